public import Pipeline
public import Recording

/// How a tail records.
public struct RecordingPlan: Sendable {
    /// What happens when the recording cannot be written.
    public enum WriteErrors: String, Hashable, Sendable, CaseIterable {
        /// The tail ends.
        case stop
        /// The tail goes on, says so, and tries again; what is not written by then is a `gap` record.
        case `continue`
    }

    /// When the recording is brought to the disk, whether it may replace one, and what is hidden.
    public var options = RecordingWriter.Options(redactions: Set(RedactionRule.allCases))
    /// When a new segment begins; nil for one file.
    public var rotation: SegmentPlan.Rotation?
    /// Which segments stay; nil for all.
    public var keep: SegmentPlan.Keep?
    /// Whether segments are compressed when they are closed.
    public var compressesClosed = false
    /// What happens when the recording cannot be written.
    public var writeErrors = WriteErrors.stop
    /// Whether the recording says now and then what the model is like, for replays to compare themselves with.
    public var keepsStates = true
    /// Which events are recorded whole; nil for all of them. What makes them comprehensible is recorded, too.
    public var filter: Filter?
    /// What the user calls the recording.
    public var title: String?
    /// Words to find it by.
    public var tags: [String] = []

    /// A plan with everything optional left out.
    public init() {}

    /// What is kept in memory, to be written when it is asked for; nil for nothing. Needs no recording.
    public var flight: FlightPlan?

    /// The plan for a recording at `path`.
    func segments(path: String) -> SegmentPlan {
        SegmentPlan(
            path: path, rotation: rotation, keep: keep, options: options, compressesClosed: compressesClosed)
    }

    /// Whether a replay can compare its model with what was recorded of it: it lacks what was left out.
    var tellsStates: Bool { keepsStates && filter == nil }

    /// Whether the secrets that a server sends are shown and recorded as they come.
    public var keepsSecrets: Bool {
        get { !options.redactions.contains(.received) }
        set { if newValue { options.redactions.remove(.received) } else { options.redactions.insert(.received) } }
    }

    /// The names of the rules, for the head.
    var redactions: [String] { RedactionRule.allCases.filter { options.redactions.contains($0) }.map(\.rawValue) }
}

/// What a flight recorder keeps.
public struct FlightPlan: Hashable, Sendable {
    /// How much time.
    public var window: Duration
    /// How many bytes at most.
    public var most: Int
    /// What the names of its files begin with; the time follows.
    public var prefix: String

    /// A plan.
    public init(window: Duration, most: Int = 64 << 20, prefix: String = "weir-flight") {
        self.window = window
        self.most = most
        self.prefix = prefix
    }
}
