import JSONText

/// What an account's rows were in an earlier session, as far as it fits into one record: JSON Lines, one row a line, the same members as in
/// a diff log. It is only read where it is fed, so that live and replay read the same bytes.
public struct Memory: Hashable, Sendable {
    /// Whose rows they are: the server's id of the user.
    public var user: String
    /// The rows, each ended by a line feed.
    public var rows: [UInt8]

    /// A memory of nothing yet.
    public init(user: String, rows: [UInt8] = []) {
        self.user = user
        self.rows = rows
    }

    /// Adds a row that `Item.encode` wrote.
    public mutating func append(row: [UInt8]) {
        rows += row
        rows.append(UInt8(ascii: "\n"))
    }

    /// Calls `body` with each row that can be read; gives how many cannot.
    func forEachRow(_ body: (Item) -> Void) -> Int {
        var unreadable = 0
        for line in rows.split(separator: UInt8(ascii: "\n")) {
            if let item = Item(decoding: line) { body(item) } else { unreadable += 1 }
        }
        return unreadable
    }
}

extension Item {
    /// Reads what `encode` wrote; nil when it is something else.
    public init?(decoding text: ArraySlice<UInt8>) {
        var reader = JSONReader(text.span)
        guard let row = try? DiffLogRow(decoding: &reader), let item = row.item, (try? reader.end()) != nil else {
            return nil
        }
        self = item
    }
}
