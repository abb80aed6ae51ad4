import Events
import JSONText
import Pipeline
import Store

/// A copy of an account's outbox in the store, so that only changes are written.
struct OutboxMirror {
    /// The stored entries by action id.
    private var entries: [String: [UInt8]] = [:]
    /// The session's version of the outbox at the last write.
    private var version = 0

    var isEmpty: Bool { entries.isEmpty }

    /// Adds the entries that the store contains. Returns those that were not known.
    mutating func take(_ waiting: [(id: String, entry: [UInt8])]) -> [OutboxEntry] {
        var news: [OutboxEntry] = []
        for (id, text) in waiting where entries[id] == nil {
            guard let value = try? JSONValue(parsing: text[...]), let entry = OutboxEntry(value) else { continue }
            entries[id] = text
            news.append(entry)
        }
        return news
    }

    /// Returns the writes that make the store match the session's actions, limited to those that `isKept` selects.
    /// Returns `nil` if there are none.
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
    /// Returns the entry as it is stored. It includes the place, since the session that reads it may have another
    /// selection.
    func kept(in place: Action.Place?) -> [UInt8] {
        var writer = JSONWriter()
        encode(into: &writer, in: place)
        return writer.bytes
    }
}
