import JSONText

/// The rows of an account from an earlier session, as many as fit into one record.
///
/// The rows are JSON Lines, one row a line, with the members of a diff log. They are decoded only when the session
/// takes them in, so that a live run and a replay read the same bytes.
public struct Memory: Hashable, Sendable {
    /// The server's id of the user who owns the rows.
    public var user: String
    /// The rows, each terminated by a line feed.
    public var rows: [UInt8]

    /// Creates a memory, without rows unless given.
    public init(user: String, rows: [UInt8] = []) {
        self.user = user
        self.rows = rows
    }

    /// Appends a row that `Item.encode` wrote.
    public mutating func append(row: [UInt8]) {
        rows += row
        rows.append(UInt8(ascii: "\n"))
    }

    /// Calls `body` with each row that can be decoded; returns the number of rows that cannot.
    func forEachRow(_ body: (Item) -> Void) -> Int {
        var unreadable = 0
        for line in rows.split(separator: UInt8(ascii: "\n")) {
            if let item = Item(decoding: line) { body(item) } else { unreadable += 1 }
        }
        return unreadable
    }
}

extension Item {
    /// Creates a row from the JSON that `encode` wrote, or returns `nil` for anything else.
    public init?(decoding text: ArraySlice<UInt8>) {
        var reader = JSONReader(text.span)
        guard let row = try? DiffLogRow(decoding: &reader), let item = row.item, (try? reader.end()) != nil else {
            return nil
        }
        self = item
    }
}
