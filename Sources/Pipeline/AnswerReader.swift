import Events

/// Reads the answer to one request outside the session: the session need not do it again, and comes to the same.
package struct AnswerReader: Sendable {
    /// The request.
    let call: RESTCall
    private let parse: @Sendable (ArraySlice<UInt8>, RowSieve) -> Result<any Sendable, DecodingFailure>

    init<Answer: Sendable>(_ endpoint: Endpoint<Answer>) {
        call = endpoint.call
        let parse = endpoint.parse
        self.parse = { body, sieve in
            Result { () throws(DecodingFailure) -> any Sendable in try parse(body, sieve) }
        }
    }

    /// Reads a body. Any thread; takes as long as the body is large.
    package func read(_ body: ArraySlice<UInt8>) -> AnswerReading {
        let sieve = RowSieve()
        let result = parse(body, sieve)
        return AnswerReading(result: result, leftOut: sieve.leftOut)
    }
}

/// What a body was read as.
package struct AnswerReading: Sendable {
    let result: Result<any Sendable, DecodingFailure>
    let leftOut: LeftOutRows
}

extension Session {
    /// Reads the body of a successful answer to a request that is under way; nil for those that write. What is read goes back with
    /// `take`, just before the answer is handled.
    package func reader(of request: Int) -> AnswerReader? {
        transaction.refetcher.flights.first { $0.request == request }.flatMap { backend.reader(for: $0.key) }
    }

    /// Spares the session the reading of the answer that is handled next. It changes nothing of what comes of it.
    package mutating func take(_ reading: AnswerReading) { transaction.reading = reading }
}

extension Transaction {
    /// The answer to a call: as it was read already, else read now. `leftOut` says what could not be read of it.
    mutating func answer<Answer>(
        to endpoint: Endpoint<Answer>, _ body: ArraySlice<UInt8>
    ) throws(DecodingFailure) -> Answer {
        if let reading, let answer = try reading.result.get() as? Answer {
            leftOut = reading.leftOut
            return answer
        }
        let sieve = RowSieve()
        let answer = try endpoint.parse(body, sieve)
        leftOut = sieve.leftOut
        return answer
    }

    /// Pages of a list at most, whatever a server sends.
    static let mostListPages = 1000

    /// The rows of a list, once its last page came; nil while more are asked for. A list that is too large, or does not end, ends with the
    /// page that came: then `leftOut` says that what is not listed may be there.
    mutating func list<Row: Sendable>(
        of key: ResourceKey, to endpoint: Endpoint<[Row]>, _ body: ArraySlice<UInt8>
    ) throws(DecodingFailure) -> [Row]? {
        var rows = try answer(to: endpoint, body)
        let next = leftOut.nextPage
        let before = refetcher.endPaging(key)
        if let before {
            rows = (before.rows as? [Row] ?? []) + rows
            leftOut.add(earlier: before.leftOut)
        }
        guard let next else {
            refetcher.read(key, inPages: before != nil)
            return rows
        }
        let (pages, bytes) = ((before?.pages ?? 0) + 1, (before?.bytes ?? 0) + body.count)
        guard next != before?.next, pages < Self.mostListPages, bytes < largestList else {
            leftOut.isHarmless = false
            notice(
                .warning,
                "\(key.resource.label): the list does not end after \(rows.count) rows in \(pages) pages (\(bytes) bytes, --max-body): it is read no"
                    + " further, and nothing is removed")
            return rows
        }
        refetcher.goOn(
            key, Refetcher.Paging(next: next, pages: pages, bytes: bytes, rows: rows, leftOut: leftOut))
        return nil
    }
}
