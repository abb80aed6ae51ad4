public import Pipeline
public import SectionedModel

/// Something to be kept. Making one costs no more than a reference: it is taken apart on the store's thread.
public enum StoreWrite: Sendable {
    /// The whole model of the scope as it is now; what was kept of the scope's rows and is not in it goes. Makes the account known.
    case model(SectionedSnapshot<Item>)
    /// A committed batch of that model.
    case batch(Batch<Item>)
    /// A room is wanted; `source` is who asked for it.
    case room(name: String, source: String)
    /// A room is not wanted any more.
    case roomLeft(name: String)
    /// A resource was fetched, at that time (milliseconds since 1970).
    case checkpoint(resource: String, at: Int64)
    /// A note about the account, in the place of the one before; nil takes it away.
    case note(StoreNote, String?)
    /// A write for the server that is still to be made, behind all others of the account. One of the same id stays where it is in the order
    /// and is replaced. On disk when the commit returns, whatever happens to the machine.
    case enqueue(id: String, entry: [UInt8])
    /// A write for the server was made, or given up.
    case dequeue(id: String)
}

/// A small thing that is remembered of an account.
public enum StoreNote: Hashable, Sendable {
    /// What the user selected: a JSON object.
    case globals
    /// What was typed and not sent yet, in a channel or thread.
    case draft(channel: String, thread: String?)
    /// A pattern of rooms that are wanted at every start.
    case pin(pattern: String)
    /// A pattern of rooms that are not shown; one with a `-` before it is shown all the same. The note says in which place of their
    /// order it stands.
    case mute(pattern: String)
    /// A named set of rooms: an expression of patterns.
    case roomSet(name: String)
    /// Up to when a channel was read (milliseconds since 1970, as decimal digits), where the model does not say.
    case readMarker(channel: String)
}

extension StoreNote {
    /// What the note is about, as two columns.
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

    /// The note that `columns` names; nil for one this version does not know.
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
