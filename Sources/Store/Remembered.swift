public import Pipeline

/// The stored state of a scope, read at the start of a session.
public struct Remembered: Sendable {
    /// The account, and the view of it, that this state belongs to.
    public var scope: StoreScope
    /// The last time a session wrote the account's whole model, in milliseconds since 1970.
    public var lastUsed: Int64
    /// The rows of the model, in parts that each fit into one record.
    public var memories: [Memory]
    /// The number of rows in all `memories` together.
    public var rows: Int
    /// The wanted rooms in the order of the requests, each with the source of the request.
    public var rooms: [(name: String, source: String)]
    /// The time each resource was last fetched, in milliseconds since 1970, sorted by resource.
    public var checkpoints: [(resource: String, at: Int64)]
    /// The notes of the account, which all of its views share.
    public var notes: [StoreNote: String]
    /// The pending writes for the server, oldest first.
    public var outbox: [(id: String, entry: [UInt8])]
}
