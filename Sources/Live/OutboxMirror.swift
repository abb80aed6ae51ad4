import Events
import JSONText
import Pipeline
import Store

/// The outbox of an account as it is in the store, so that only what changed is written.
struct OutboxMirror {
    /// By id.
    private var entries: [String: [UInt8]] = [:]
    /// The session's version of it.
    private var version = 0

    var isEmpty: Bool { entries.isEmpty }

    /// Takes in what the store has; gives what of it a session does not know.
    mutating func take(_ waiting: [(id: String, entry: [UInt8])]) -> [OutboxEntry] {
        var news: [OutboxEntry] = []
        for (id, text) in waiting where entries[id] == nil {
            guard let value = try? JSONValue(parsing: text[...]), let entry = OutboxEntry(value) else { continue }
            entries[id] = text
            news.append(entry)
        }
        return news
    }

    /// The writes that bring the store to the session, of the actions that `isKept` chooses; nil when there are none.
    mutating func writes(of session: Session, where isKept: (OutboxEntry) -> Bool = { _ in true }) -> [StoreWrite]? {
        guard version != session.pendingActionsVersion else { return nil }
        version = session.pendingActionsVersion
        var writes: [StoreWrite] = []
        var present: [String: [UInt8]] = [:]
        for entry in session.pendingActions where isKept(entry) {
            let id = entry.action.id.description
            let text = entry.kept(in: session.actionPlace)
            present[id] = text
            if entries[id] != text { writes.append(.enqueue(id: id, entry: text)) }
        }
        for id in entries.keys.sorted() where present[id] == nil { writes.append(.dequeue(id: id)) }
        entries = present
        return writes.isEmpty ? nil : writes
    }
}

extension OutboxEntry {
    /// As the store keeps it: with the place, since the session that finds it may look elsewhere.
    func kept(in place: Action.Place?) -> [UInt8] {
        var writer = JSONWriter()
        encode(into: &writer, in: place)
        return writer.bytes
    }
}
