public import Pipeline
public import Recording

/// The settings of a replay, fixed when it starts.
public struct ReplayConfiguration: Sendable {
    /// The speed at which a recording is played.
    public enum Pace: Hashable, Sendable {
        /// As fast as the machine can.
        case maximum
        /// A multiple of the original speed, greater than 0.
        case factor(Double)
        /// This many events per second, whatever their times; greater than 0.
        case rate(Double)
    }

    /// The paths of the recordings; `-` is standard input. Segments of one recording are played one after the other.
    /// Different recordings are merged by their wall clocks, and each has its own session.
    public var paths: [String]
    /// The speed of the replay.
    public var pace = Pace.maximum
    /// The longest pause between two records as they are played; `nil` for the limit in the recording's head, if it has
    /// one.
    public var idleLimit: Duration?
    /// The position at which output starts; earlier records are applied but not shown. `nil` for the beginning.
    public var start: RecordingPosition?
    /// Whether the start position may still be missing. A replay of a followed file then waits for new records.
    package var startMayComeLater = false
    /// The position before which the replay ends; `nil` for the end of the recording.
    public var end: RecordingPosition?
    /// The longest span of the recording to play, measured from the start; `nil` for no limit.
    public var span: Duration?
    /// How often the recording is played; `nil` to repeat until stopped.
    public var loops: Int? = 1
    /// Whether to wait for a file without an end record to grow.
    public var follows = false
    /// Whether the replay starts paused.
    public var isStepping = false
    /// A filter that ends the replay at the first record with a matching report, shown or not; `nil` for none.
    public var untilMatch: Filter?
    /// The number of shown events after which the replay ends; `nil` for no limit.
    public var count: Int?
    /// The filter for what is shown; `nil` to show everything.
    public var filter: ViewFilter?

    /// The server's protocol, overriding the one in the recording; `nil` to use the recorded one.
    public var backend: Configuration.BackendKind?
    /// How requests of the sessions are answered.
    public var refetch = RefetchPolicy.recorded
    /// Whether to compare the model with the recorded states, and every chunk with its checksum. A difference ends the
    /// replay, and so does a damaged, missing or torn line.
    public var verifies = false

    /// The path of the control socket to serve; `nil` for none. Its folder must belong to the user and have mode 0700.
    /// A replay at maximum speed reads ahead, so its clients cannot move back.
    public var controlPath: String?
    /// The tool's name and version, reported to clients of the control socket.
    public var tool = "weir"

    /// An open descriptor to read the recording from, instead of a file; the caller keeps ownership. Records are shown
    /// as they arrive, except the state that the stream begins with. The writer may restart the stream with a new head.
    public var stream: Int32?

    /// Creates a replay of the stream that a running tail sends to a viewer. Messages refer to it as `name`.
    public init(stream: Int32, name: String) {
        paths = [name]
        self.stream = stream
    }

    /// Creates a replay of these recordings at maximum speed.
    public init(_ paths: [String]) { self.paths = paths }
}
