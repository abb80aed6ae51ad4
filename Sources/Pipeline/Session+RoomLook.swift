import SectionedModel

// What somebody wants to know of one room.
extension Session {
    /// A part of what a room is about.
    public enum RoomPart: String, Hashable, Sendable, CaseIterable {
        /// Who is in it.
        case people = "who"
        /// What was said in it last.
        case messages = "history"
    }

    /// The section of the model that holds a part of a room; nil where the backend cannot say.
    public func section(_ part: RoomPart, of room: String) -> Item.Section? {
        backend.section(part, of: room, transaction.model)?.section
    }

    /// Whether the server is being asked for it.
    public func isFetching(_ part: RoomPart, of room: String) -> Bool {
        guard let key = backend.section(part, of: room, transaction.model)?.key else { return false }
        return transaction.refetcher.entries[key] != nil
    }

    /// Asks the server.
    mutating func look(_ room: String, _ part: RoomPart) {
        guard let key = backend.section(part, of: room, transaction.model)?.key else { return }
        transaction.refetcher.invalidate(key, cause: transaction.cause)
    }
}
