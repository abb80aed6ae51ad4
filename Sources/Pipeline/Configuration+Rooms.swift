extension Configuration {
    /// Whether the backend is asked for its rooms: not where all are named one by one.
    var asksForRooms: Bool {
        guard adoption == nil || adoption == .off else { return true }
        return rooms.isEmpty
            || rooms.contains {
                RoomExpression(recorded: $0).terms.contains { $0.isExcluded || $0.pattern.exactName == nil }
            }
    }
}
