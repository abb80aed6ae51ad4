extension Configuration {
    /// Whether the session asks the backend for its rooms. It does not if the configuration names every room.
    var asksForRooms: Bool {
        guard adoption == nil || adoption == .off else { return true }
        return rooms.isEmpty
            || rooms.contains {
                RoomExpression(recorded: $0).terms.contains { $0.isExcluded || $0.pattern.exactName == nil }
            }
    }
}
