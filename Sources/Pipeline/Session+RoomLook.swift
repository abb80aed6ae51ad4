import Events
import SectionedModel

// Queries about a single room.
extension Session {
    /// A part of a room that clients can ask for.
    package enum RoomPart: String, Hashable, Sendable, CaseIterable {
        /// The people who are in the room.
        case people = "who"
        /// The latest messages of the room.
        case messages = "history"
    }

    /// Returns the section of the model that contains a part of a room; `nil` if the backend cannot name it.
    package func section(_ part: RoomPart, of room: String) -> Item.Section? {
        backend.section(part, of: room, context.model)?.section
    }

    /// Returns whether the session is fetching a part of a room.
    package func isFetching(_ part: RoomPart, of room: String) -> Bool {
        guard let key = backend.section(part, of: room, context.model)?.key else { return false }
        return context.refetcher.isBusy(key) || part == .messages && backend.isGoingBack(in: room)
    }

    /// Returns the names of the resources of a room, of the resource with that name, or, if the name is empty, of all
    /// joined rooms.
    package func resources(named name: String) -> [String] { resourceKeys(name).map(\.resource.label) }

    /// Refetches the resources that `resources(named:)` returns.
    mutating func refetch(_ name: String) {
        for key in resourceKeys(name) { context.refetcher.invalidate(key, cause: context.cause) }
    }

    private func resourceKeys(_ name: String) -> [ResourceKey] {
        let isRoom = rooms[name] != nil
        var seen = Set<ResourceKey>()
        var keys: [ResourceKey] = []
        for room in rooms.entries {
            if isRoom { guard room.name == name else { continue } }
            guard case .joined = room.state else { continue }
            keys += backend.resources(of: room.name, context.model).filter { seen.insert($0).inserted }
        }
        return isRoom || name.isEmpty ? keys : keys.filter { $0.resource.label == name }
    }

    /// Fetches a part of a room; messages are fetched back to `since`.
    mutating func look(_ room: String, _ part: RoomPart, since: Timestamp?) {
        guard let key = backend.section(part, of: room, context.model)?.key else { return }
        if part == .messages { backend.goBack(to: since, in: room) }
        context.refetcher.invalidate(key, cause: context.cause)
    }

    /// Returns the time from which the messages of a room are known without a hole, in milliseconds since 1970; `nil`
    /// if it is unknown.
    package func messagesKnownSince(_ room: String) -> Int64? { backend.knownSince(room) }
}
