package import WeirJSON

/// The rows of an answer that could not be read and were left out. One bad row costs that row, not
/// the page that contains it.
package struct LeftOutRows: Hashable, Sendable {
    /// A row that could not be read.
    package struct Row: Hashable, Sendable {
        /// The row's id, if the row contains one. Untrusted text.
        package var id: String?
        /// The error, with its offset in the answer.
        package var failure: DecodingFailure
        /// The first bytes of the row's text.
        package var excerpt: ArraySlice<UInt8>
    }

    /// The first rows that were left out; `count` counts all of them.
    package fileprivate(set) var rows: [Row] = []
    /// The number of rows that were left out.
    package fileprivate(set) var count = 0
    /// Whether an entity that the answer does not list is known to be absent. A null row is harmless; any other
    /// unreadable row may describe a known entity.
    package var isHarmless = true
    /// The cursor with which to request the next page; `nil` if the answer is the last page. Untrusted text.
    package fileprivate(set) var nextPage: String?

    package init() {}

    /// Adds the rows that earlier pages left out.
    package mutating func add(earlier: LeftOutRows) {
        rows = Array((earlier.rows + rows).prefix(Self.mostRows))
        count += earlier.count
        isHarmless = isHarmless && earlier.isHarmless
    }

    /// The number of rows reported with id and offset. It is small because finding each offset
    /// reads the whole answer again.
    fileprivate static let mostRows = 3
    fileprivate static let longestExcerpt = 200
}

/// Lets the readable rows of an answer through and collects the others. A class, because rows can contain rows.
package final class RowSieve {
    /// The rows that could not be read.
    package private(set) var leftOut = LeftOutRows()

    package init() {}

    /// Records the cursor of the next page, which means that another page follows. An empty cursor is ignored.
    package func note(nextPage: String) { if !nextPage.isEmpty { leftOut.nextPage = nextPage } }

    /// Records a row that could not be read.
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
    /// Reads every element of the open array as a row. With a sieve, unreadable rows are left
    /// out; without one they throw.
    mutating func rows(
        through sieve: RowSieve?, _ read: (inout JSONReader) throws(Mismatch) -> Void
    ) throws(Mismatch) {
        while try another() { try row(through: sieve, read) }
    }

    /// Reads the next value as a row, as `rows(through:_:)` does.
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
            // Text that is not JSON fails the whole answer, because the start of the next row cannot be found.
            let range = try pass()
            sieve.holdBack(range, error, in: self)
        }
    }

    /// Returns the id of the row at the cursor, at most 64 characters; `nil` if the row contains none.
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
