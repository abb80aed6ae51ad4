public import Pipeline

/// What a store remembers of a scope.
public struct Remembered: Sendable {
    /// Whose it is, and what of it.
    public var scope: StoreScope
    /// When the scope was last opened for writing (milliseconds since 1970).
    public var lastUsed: Int64
    /// The model, in parts that each fit into a record.
    public var memories: [Memory]
    /// How many rows those hold.
    public var rows: Int
    /// The rooms that were wanted, each with who asked for it, in the order they were asked for.
    public var rooms: [(name: String, source: String)]
    /// When each resource was last fetched (milliseconds since 1970), ordered by resource.
    public var checkpoints: [(resource: String, at: Int64)]
    /// The account's notes.
    public var notes: [StoreNote: String]
    /// What is still to be written to the server, oldest first.
    public var outbox: [(id: String, entry: [UInt8])]
}
