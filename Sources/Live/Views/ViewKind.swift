import Terminal
import Wire

/// The kinds of terminal view. The raw values are the values of the command-line option.
public enum ViewKind: String, Sendable, CaseIterable {
    /// Events are printed line by line.
    case log
    /// The last event of each room, one line per room.
    case latest
    /// Rates, bytes and lag by room, actor and kind.
    case top
    /// The rate of each room over the last minute.
    case graph
    /// The sections of the model and the rows that changed last.
    case model
    /// The messages on the wire in both directions, printed line by line.
    case raw
    /// The past states of the connection, in order.
    case conn

    /// Whether the view is redrawn in place. Otherwise it prints line by line.
    public var isDrawn: Bool { makeView() != nil }

    /// Returns a new, empty view; `nil` for the kinds that print line by line.
    func makeView() -> (any LiveView)? {
        switch self {
        case .log, .raw: nil
        case .latest: LatestView()
        case .top: TopView()
        case .graph: GraphView()
        case .model: ModelView()
        case .conn: ConnectionView()
        }
    }
}

/// A view that is redrawn in place. Pure and bounded: reports and times go in, lines come out.
protocol LiveView: Sendable {
    /// Updates the view with a report. `names` contains the names known at that point.
    mutating func take(_ stamped: StampedReport, _ names: KnownNames)

    /// Appends the lines of the view.
    func draw(_ place: ViewPlace, to buffer: inout TerminalBuffer)
}

/// The time and the space for drawing a view.
struct ViewPlace {
    /// The current session time, from which ages and rates follow.
    var now: Moment
    /// The current wall clock, in microseconds since 1970.
    var wall: Int64
    /// The maximum number of lines.
    var rows: Int
    /// The number of columns for a room's name.
    var roomWidth = 20
    /// The names of rooms, people and rows.
    var names = KnownNames()
    /// Whether to show ids instead of names.
    var showsIDs = false

    /// Returns the display name of a room, cut to `roomWidth` columns.
    func label(ofRoom room: String) -> String {
        ShortName.room(showsIDs ? room : names.look(at: room).label, width: roomWidth)
    }

    /// Replaces the ids in a text by names, where they are known.
    func naming(_ text: String) -> String { showsIDs ? ShortName.shorteningIDs(text) : names.naming(text) }
}
