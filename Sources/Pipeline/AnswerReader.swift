import Events

/// A decoder for the answer to one request, which runs outside the session. It saves the session the decoding and leads
/// to the same result.
package struct AnswerReader: Sendable {
    /// The call whose answer is decoded.
    let call: RESTCall
    private let parse: @Sendable (ArraySlice<UInt8>, RowSieve) -> Result<any Sendable, DecodingFailure>

    init<Answer: Sendable>(_ endpoint: Endpoint<Answer>) {
        call = endpoint.call
        let parse = endpoint.parse
        self.parse = { body, sieve in
            Result { () throws(DecodingFailure) -> any Sendable in try parse(body, sieve) }
        }
    }

    /// Decodes a body. Can be called on any thread; the time grows with the size of the body.
    package func read(_ body: ArraySlice<UInt8>) -> AnswerReading {
        let sieve = RowSieve()
        let result = parse(body, sieve)
        return AnswerReading(result: result, leftOut: sieve.leftOut)
    }
}

/// The result of decoding a body.
package struct AnswerReading: Sendable {
    let result: Result<any Sendable, DecodingFailure>
    let leftOut: LeftOutRows
}

extension Session {
    /// Returns the decoder for a successful answer to a request in flight; `nil` for a request that writes, or whose
    /// answer is always small. Pass the decoded answer to `take` just before the answer is handled.
    package func reader(of request: Int) -> AnswerReader? {
        context.refetcher.flights.first { $0.request == request }.flatMap { backend.reader(for: $0.key) }
    }

    /// Takes the decoded form of the answer that is handled next. It saves time and does not change the outcome.
    package mutating func take(_ reading: AnswerReading) { context.reading = reading }
}

extension HandlerContext {
    /// Returns the answer to a call: decoded already, or decoded now. Sets `leftOut` to the rows that could not be
    /// decoded.
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

    /// The maximum number of pages of a list, whatever the server sends.
    static let mostListPages = 1000

    /// Returns the rows of a list once its last page has arrived; `nil` while further pages are requested. A list that
    /// is too large or does not end stops at the current page, and `leftOut` then records that rows may be missing.
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
                "\(key.resource.label): the list does not end after \(rows.count) rows in \(pages) pages (\(bytes) bytes, --max-body): reading stops"
                    + ", and nothing is removed")
            return rows
        }
        refetcher.goOn(
            key, Refetcher.Paging(next: next, pages: pages, bytes: bytes, rows: rows, leftOut: leftOut))
        return nil
    }
}
