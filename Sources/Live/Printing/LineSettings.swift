/// The layout of lines for people.
public struct LineSettings: Hashable, Sendable {
    /// The kind of time before an event.
    public enum Time: String, Sendable, CaseIterable {
        /// The time of day on the wall clock.
        case abs
        /// The time since the start of the session.
        case rel
        /// The time since the last printed event.
        case delta
        /// No time before the event.
        case none
    }

    /// The time zone of wall-clock times.
    public enum Zone: String, Sendable, CaseIterable {
        case utc, local
    }

    /// The kind of time before an event.
    public var time: Time
    /// The time zone of wall-clock times.
    public var zone: Zone
    /// The width of the room column; `nil` for a width that suits the terminal.
    public var roomWidth: Int?
    /// Whether to show ids of rooms, people and rows instead of names.
    public var showsIDs = false
    /// The minimum pause between two events that gets a line of its own; `nil` for no such lines.
    public var spacer: Duration?
    /// Whether events without a room show the default namespace `/`, too. Applies to untyped Socket.IO events.
    public var showsNamespaces = false

    /// Creates a layout. The defaults are those of `weir tail`.
    public init(time: Time = .abs, zone: Zone = .utc, roomWidth: Int? = nil, spacer: Duration? = nil) {
        self.time = time
        self.zone = zone
        self.roomWidth = roomWidth
        self.spacer = spacer
    }

    /// Returns the width of the room column on a terminal of `width` columns.
    func roomWidth(in width: Int?) -> Int {
        if let roomWidth { return roomWidth }
        switch Breadth(width) {
        case .wide: return 20
        case .medium: return 14
        case .narrow: return 10
        }
    }
}
