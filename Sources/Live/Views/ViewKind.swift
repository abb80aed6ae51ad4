import Terminal
import Wire

/// What a terminal shows of what happens.
public enum ViewKind: String, Sendable, CaseIterable {
    /// Line after line.
    case log
    /// A line for each room: what came last.
    case latest
    /// Rates, bytes and lag by room, actor and kind.
    case top
    /// A minute of each room's rate.
    case graph
    /// The sections of the model and the rows that changed last.
    case model
    /// What was on the wire, line after line, both ways.
    case raw
    /// The states of the connection, one after the other.
    case conn

    /// Whether it is drawn in one place; else it prints line after line.
    public var isDrawn: Bool { makeView() != nil }

    /// A view that has seen nothing; nil for those that print line after line.
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

/// A view of what happens that is drawn anew in one place. Pure: reports and time in, lines out. Of a size that does not grow with what
/// it has seen.
protocol LiveView: Sendable {
    /// Takes a report in; `names` are those known by then.
    mutating func take(_ stamped: StampedReport, _ names: KnownNames)

    /// Appends the lines.
    func draw(_ place: ViewPlace, to buffer: inout TerminalBuffer)
}

/// Where and when a view is drawn.
struct ViewPlace {
    /// The session's time.
    var now: Moment
    /// The wall clock then, in microseconds.
    var wall: Int64
    /// The most lines there is room for.
    var rows: Int
    /// Columns of a room.
    var roomWidth = 20
    /// What rooms, people and rows are called.
    var names = KnownNames()
    /// Whether ids are shown rather than names.
    var showsIDs = false

    /// A room in its columns.
    func label(ofRoom room: String) -> String {
        ShortName.room(showsIDs ? room : names.look(at: room).label, width: roomWidth)
    }

    /// A text with names in place of ids.
    func naming(_ text: String) -> String { showsIDs ? ShortName.shorteningIDs(text) : names.naming(text) }
}
