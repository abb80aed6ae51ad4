public import Pipeline
public import Recording

/// What a replay is told once.
public struct ReplayConfiguration: Sendable {
    /// How fast a recording is played.
    public enum Pace: Hashable, Sendable {
        /// As fast as it goes.
        case maximum
        /// Times the original; more than 0.
        case factor(Double)
        /// So many events a second, whatever their times; more than 0.
        case rate(Double)
    }

    /// The recordings; `-` for standard input. Segments of one recording are played one behind the other; different recordings are
    /// merged by their wall clocks, each with a session of its own.
    public var paths: [String]
    /// How fast.
    public var pace = Pace.maximum
    /// No pause is longer, as it is played; nil for what the recording's head advises.
    public var idleLimit: Duration?
    /// What is before it is applied and not shown.
    public var start: RecordingPosition?
    /// Whether nothing may stand at the start yet: it is waited for where the file is followed.
    package var startMayComeLater = false
    /// It ends before the first record that stands there.
    public var end: RecordingPosition?
    /// Not more is played than so much of the recording's time, from the start on.
    public var span: Duration?
    /// How often it is played; nil for until somebody stops it.
    public var loops: Int? = 1
    /// Whether a file without an end is waited for to grow.
    public var follows = false
    /// Whether it begins paused.
    public var isStepping = false
    /// Ends with the first record that something is told of which this holds of, shown or not.
    public var untilMatch: Filter?
    /// Ends after so many events of those that are shown.
    public var count: Int?
    /// What is shown; nil for everything.
    public var filter: ViewFilter?

    /// What the server speaks, in place of what the recording says; nil for that.
    public var backend: Configuration.BackendKind?
    /// What becomes of the requests that the sessions make.
    public var refetch = RefetchPolicy.recorded
    /// Whether the model is compared with the recorded states, and every chunk with its checksum: what differs ends the replay, and so
    /// does a line that is damaged, missing or torn.
    public var verifies = false

    /// The control socket to serve; its folder must be the user's own, mode 0700. What was played as fast as it goes cannot be gone back
    /// in by it: reading ahead is what makes that fast.
    public var controlPath: String?
    /// The tool's name and version, for clients of the control socket.
    public var tool = "weir"

    /// An open descriptor that the one recording is read from, instead of a file: what comes is shown when it comes, and what it begins
    /// with is not. Whoever writes to it may begin anew, with another head. It stays the caller's.
    public var stream: Int32?

    /// A replay of what a running tail sends a viewer; `name` is what it is called in messages.
    public init(stream: Int32, name: String) {
        paths = [name]
        self.stream = stream
    }

    /// A replay of these recordings, as fast as it goes.
    public init(_ paths: [String]) { self.paths = paths }
}
