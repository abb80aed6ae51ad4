package import JSONText

/// The rows of an answer that could not be read and were left out: one bad row costs one row, not the page it stands in.
package struct LeftOutRows: Hashable, Sendable {
    /// A row that could not be read.
    package struct Row: Hashable, Sendable {
        /// Which row it is, as far as it says; untrusted text.
        package var id: String?
        /// What is wrong, and where in the answer.
        package var failure: DecodingFailure
        /// The start of its text.
        package var excerpt: ArraySlice<UInt8>
    }

    /// The first of them.
    package fileprivate(set) var rows: [Row] = []
    /// How many they are.
    package fileprivate(set) var count = 0
    /// Whether what the answer does not list is not there. A row that is null stands for nothing; any other may be of something that is known.
    package var isHarmless = true
    /// What the page that follows is asked for with; nil if the answer is the last page. Untrusted text.
    package fileprivate(set) var nextPage: String?

    /// None.
    package init() {}

    /// Adds those of the pages before.
    package mutating func add(earlier: LeftOutRows) {
        rows = Array((earlier.rows + rows).prefix(Self.mostRows))
        count += earlier.count
        isHarmless = isHarmless && earlier.isHarmless
    }

    /// The rows reported with id and place: finding each place reads the whole answer again.
    fileprivate static let mostRows = 3
    fileprivate static let longestExcerpt = 200
}

/// Lets the rows of an answer through that can be read and holds back the others. A reference, since rows have rows inside.
package final class RowSieve {
    /// What was held back.
    package private(set) var leftOut = LeftOutRows()

    /// A sieve that nothing was held back by.
    package init() {}

    /// The answer is a page that another one follows.
    package func note(nextPage: String) { if !nextPage.isEmpty { leftOut.nextPage = nextPage } }

    /// Holds a row back that could not be read.
    package func leaveOut(_ row: RawJSON, _ failure: DecodingFailure) {
        leftOut.count += 1
        leftOut.isHarmless = leftOut.isHarmless && row.bytes.elementsEqual("null".utf8)
        guard leftOut.rows.count < LeftOutRows.mostRows else { return }
        let excerpt = Array(row.bytes.prefix(LeftOutRows.longestExcerpt))[...]
        leftOut.rows.append(LeftOutRows.Row(id: nil, failure: failure, excerpt: excerpt))
    }

    fileprivate func holdBack(
        _ range: Range<Int>, _ mismatch: Mismatch, in reader: borrowing JSONReader
    ) {
        leftOut.count += 1
        let text = reader.span(at: range).withUnsafeBufferPointer {
            ArraySlice($0.prefix(LeftOutRows.longestExcerpt))
        }
        if !text.elementsEqual("null".utf8) { leftOut.isHarmless = false }
        guard leftOut.rows.count < LeftOutRows.mostRows else { return }
        var whole = reader.fromStart
        let failure = mismatch.failure(of: "row", in: &whole)
        var row = reader.fromStart
        row.seek(to: range.lowerBound)
        leftOut.rows.append(LeftOutRows.Row(id: row.rowID(), failure: failure, excerpt: text))
    }
}

extension JSONReader {
    /// Reads every element of the array entered as a row. With a sieve, what cannot be read is left out; without one it is an error.
    mutating func rows(
        through sieve: RowSieve?, _ read: (inout JSONReader) throws(Mismatch) -> Void
    ) throws(Mismatch) {
        while try another() { try row(through: sieve, read) }
    }

    /// Reads the next value as a row.
    mutating func row(
        through sieve: RowSieve?, _ read: (inout JSONReader) throws(Mismatch) -> Void
    ) throws(Mismatch) {
        guard let sieve else { return try read(&self) }
        _ = try kind()
        let place = self.place
        do throws(Mismatch) {
            try read(&self)
        } catch {
            seek(to: place)
            // What is no JSON costs the answer: where the next row begins cannot be told.
            let range = try pass()
            sieve.holdBack(range, error, in: self)
        }
    }

    /// The id of the row the reader stands before; nil where it says none.
    fileprivate mutating func rowID() -> String? {
        var found: String?
        guard (try? beginObject()) != nil else { return nil }
        while let key = try? nextKey() {
            let isID = matches(key, "id")
            let isOther =
                matches(key, "user_id") || matches(key, "channel_id") || matches(key, "conversation_id")
            guard isID || (isOther && found == nil), let kind = try? peek(),
                kind == .string || kind == .number
            else {
                guard (try? skip()) != nil else { break }
                continue
            }
            guard let text = try? raw() else { break }
            let id = kind == .string ? String(text.description.dropFirst().dropLast()) : text.description
            if isID { return String(id.prefix(64)) }
            found = String(id.prefix(64))
        }
        return found
    }
}
