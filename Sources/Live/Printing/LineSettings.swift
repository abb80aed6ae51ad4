/// How lines for people are laid out.
public struct LineSettings: Hashable, Sendable {
    /// Which time stands in front of an event.
    public enum Time: String, Sendable, CaseIterable {
        /// The wall clock's.
        case abs
        /// Since the session began.
        case rel
        /// Since the event printed before.
        case delta
        /// None.
        case none
    }

    /// Whose wall clock it is.
    public enum Zone: String, Sendable, CaseIterable {
        case utc, local
    }

    /// Which time stands in front of an event.
    public var time: Time
    /// Whose wall clock it is.
    public var zone: Zone
    /// Columns of a room; nil for as many as the terminal has room for.
    public var roomWidth: Int?
    /// Whether rooms, people and rows are shown by their ids rather than by names.
    public var showsIDs = false
    /// A pause as long as this is shown by a line of its own; nil for none.
    public var spacer: Duration?
    /// Whether each event of a server without a schema says its namespace, `/` too.
    public var showsNamespaces = false

    /// The layout of `weir tail`, unless said otherwise.
    public init(time: Time = .abs, zone: Zone = .utc, roomWidth: Int? = nil, spacer: Duration? = nil) {
        self.time = time
        self.zone = zone
        self.roomWidth = roomWidth
        self.spacer = spacer
    }

    /// Columns of a room on a terminal of `width` columns.
    func roomWidth(in width: Int?) -> Int {
        if let roomWidth { return roomWidth }
        switch Breadth(width) {
        case .wide: return 20
        case .medium: return 14
        case .narrow: return 10
        }
    }
}
