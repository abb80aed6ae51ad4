package import WeirModel
package import WeirPipeline

/// A change to the stored state of a scope.
///
/// Creating one costs no more than a reference; the store's thread does the encoding.
package enum StoreWrite: Sendable {
    /// The complete current model of the scope. It replaces the stored rows, and registers the account.
    case model(SectionedSnapshot<Item>)
    /// A committed batch of the model stored before.
    case batch(Batch<Item>)
    /// A room is wanted. `source` names the requester.
    case room(name: String, source: String)
    /// A room is no longer wanted.
    case roomLeft(name: String)
    /// A resource was fetched at the given time, in milliseconds since 1970.
    case checkpoint(resource: String, at: Int64)
    /// Sets a note of the account, or removes it when the value is `nil`.
    case note(StoreNote, String?)
    /// A pending write for the server, appended to the account's outbox. An entry with the same id is replaced in
    /// place.
    ///
    /// The entry is on disk when the commit returns, so it survives a crash of the machine.
    case enqueue(id: String, entry: [UInt8])
    /// A write for the server was done or abandoned.
    case dequeue(id: String)
}

/// The key of a small value that is stored with an account.
package enum StoreNote: Hashable, Sendable {
    /// The user's current selection. The value is a JSON object.
    case globals
    /// The unsent text of a channel, or of a thread in it.
    case draft(channel: String, thread: String?)
    /// A pattern of rooms that every start subscribes to.
    case pin(pattern: String)
    /// A pattern of rooms that are not shown. A pattern with a leading `-` makes its rooms visible again. The value is
    /// the pattern's position in the list.
    case mute(pattern: String)
    /// A named set of rooms. The value is an expression of patterns.
    case roomSet(name: String)
    /// The time up to which a channel was read, where the model does not contain it. The value is in milliseconds since
    /// 1970, as decimal digits.
    case readMarker(channel: String)
}

extension StoreNote {
    /// The values of the `kind` and `key` columns of table `note`.
    var columns: (kind: String, key: String) {
        switch self {
        case .globals: ("globals", "")
        case .draft(let channel, let thread): ("draft", thread.map { "\(channel)\n\($0)" } ?? channel)
        case .readMarker(let channel): ("read", channel)
        case .pin(let pattern): ("pin", pattern)
        case .mute(let pattern): ("mute", pattern)
        case .roomSet(let name): ("set", name)
        }
    }

    /// Creates the note from its two columns, or returns `nil` for a kind that this version does not know.
    init?(kind: String, key: String) {
        switch kind {
        case "globals": self = .globals
        case "draft":
            let parts = key.split(separator: "\n", maxSplits: 1).map(String.init)
            guard let channel = parts.first else { return nil }
            self = .draft(channel: channel, thread: parts.count > 1 ? parts[1] : nil)
        case "read": self = .readMarker(channel: key)
        case "pin": self = .pin(pattern: key)
        case "mute": self = .mute(pattern: key)
        case "set": self = .roomSet(name: key)
        default: return nil
        }
    }
}

/// A user of a server: the owner of everything in the store.
public struct StoreAccount: Hashable, Sendable {
    /// The server's scheme, host and port.
    public var server: String
    /// The server's id of the user.
    public var user: String
    /// Creates an account from the server's origin and its id of the user.
    public init(server: String, user: String) {
        self.server = server
        self.user = user
    }
}

/// The owner of one stored model: an account and a view of it.
package struct StoreScope: Hashable, Sendable {
    /// The account that owns the model.
    package var account: StoreAccount
    /// The part of the account that the session was configured to show. Sessions with equal views share a memory. Empty
    /// for the default view.
    package var view: String
    /// Creates a scope; without `view` it is the account's default view.
    package init(_ account: StoreAccount, view: String = "") {
        self.account = account
        self.view = view
    }
}

/// The stored state of a scope, read at the start of a session.
package struct Remembered: Sendable {
    /// The account, and the view of it, that this state belongs to.
    package var scope: StoreScope
    /// The last time a session wrote the account's whole model, in milliseconds since 1970.
    package var lastUsed: Int64
    /// The rows of the model, in parts that each fit into one record.
    package var memories: [Memory]
    /// The number of rows in all `memories` together.
    package var rows: Int
    /// The wanted rooms in the order of the requests, each with the source of the request.
    package var rooms: [(name: String, source: String)]
    /// The time each resource was last fetched, in milliseconds since 1970, sorted by resource.
    package var checkpoints: [(resource: String, at: Int64)]
    /// The notes of the account, which all of its views share.
    package var notes: [StoreNote: String]
    /// The pending writes for the server, oldest first.
    package var outbox: [(id: String, entry: [UInt8])]
}
