import Events
import SectionedModel

// What somebody wants to know of one room.
extension Session {
    /// A part of what a room is about.
    package enum RoomPart: String, Hashable, Sendable, CaseIterable {
        /// Who is in it.
        case people = "who"
        /// What was said in it last.
        case messages = "history"
    }

    /// The section of the model that holds a part of a room; nil where the backend cannot say.
    package func section(_ part: RoomPart, of room: String) -> Item.Section? {
        backend.section(part, of: room, transaction.model)?.section
    }

    /// Whether the server is being asked for it.
    package func isFetching(_ part: RoomPart, of room: String) -> Bool {
        guard let key = backend.section(part, of: room, transaction.model)?.key else { return false }
        return transaction.refetcher.isBusy(key) || part == .messages && backend.isGoingBack(in: room)
    }

    /// The names of the resources that a room is about, of the one of that name, or, with nothing named, of all joined rooms.
    package func resources(named name: String) -> [String] { resourceKeys(name).map(\.resource.label) }

    /// Asks the server for them again.
    mutating func refetch(_ name: String) {
        for key in resourceKeys(name) { transaction.refetcher.invalidate(key, cause: transaction.cause) }
    }

    private func resourceKeys(_ name: String) -> [ResourceKey] {
        let isRoom = rooms[name] != nil
        var seen = Set<ResourceKey>()
        var keys: [ResourceKey] = []
        for room in rooms.entries {
            if isRoom { guard room.name == name else { continue } }
            guard case .joined = room.state else { continue }
            keys += backend.resources(of: room.name, transaction.model).filter { seen.insert($0).inserted }
        }
        return isRoom || name.isEmpty ? keys : keys.filter { $0.resource.label == name }
    }

    /// Asks the server.
    mutating func look(_ room: String, _ part: RoomPart, since: Timestamp?) {
        guard let key = backend.section(part, of: room, transaction.model)?.key else { return }
        if part == .messages { backend.goBack(to: since, in: room) }
        transaction.refetcher.invalidate(key, cause: transaction.cause)
    }

    /// From when on the messages of a room are known without a hole, milliseconds since 1970; nil where nothing says it.
    package func messagesKnownSince(_ room: String) -> Int64? { backend.knownSince(room) }
}
