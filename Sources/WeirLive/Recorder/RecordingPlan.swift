public import WeirPipeline
public import WeirRecording
import WeirWire

/// The settings of a tail's recording.
public struct RecordingPlan: Sendable {
    /// The reactions to a failed write.
    public enum WriteErrors: String, Hashable, Sendable, CaseIterable {
        /// The tail ends with the outcome `cannotWrite`.
        case stop
        /// The tail continues, reports the failure and retries. The records lost meanwhile become a `gap` record.
        case `continue`
    }

    /// When the recording is flushed to the disk, whether it may replace a file, and what is redacted.
    public var options = RecordingWriter.Options(redactions: Set(RedactionRule.allCases))
    /// When a new segment begins; `nil` for a single file.
    public var rotation: SegmentPlan.Rotation?
    /// Which segments are kept; `nil` for all.
    public var keep: SegmentPlan.Keep?
    /// Whether segments are compressed when they are closed.
    public var compressesClosed = false
    /// The reaction to a failed write.
    public var writeErrors = WriteErrors.stop
    /// Whether the recording contains checksums of the model now and then, which replays compare with their own.
    public var keepsStates = true
    /// Which events are recorded whole; `nil` for all. Everything needed to understand them is recorded as well.
    public var filter: Filter?
    /// The user's title for the recording.
    public var title: String?
    /// The tags for finding the recording.
    public var tags: [String] = []

    /// Creates a plan with the defaults.
    public init() {}

    /// The flight recorder's settings; `nil` for no flight recorder. It does not need a recording.
    public var flight: FlightPlan?

    /// Returns the segment plan for a recording at `path`.
    func segments(path: String) -> SegmentPlan {
        SegmentPlan(
            path: path, rotation: rotation, keep: keep, options: options, compressesClosed: compressesClosed)
    }

    /// Whether to record model checksums. A filtered recording lacks events, so a replay's model would differ.
    var tellsStates: Bool { keepsStates && filter == nil }

    /// Whether secrets sent by the server are shown and recorded as they are.
    public var keepsSecrets: Bool {
        get { !options.redactions.contains(.received) }
        set { if newValue { options.redactions.remove(.received) } else { options.redactions.insert(.received) } }
    }

    /// The names of the redaction rules, for the head.
    var redactions: [String] { RedactionRule.allCases.filter { options.redactions.contains($0) }.map(\.rawValue) }
}

/// The settings of a flight recorder.
public struct FlightPlan: Hashable, Sendable {
    /// The time span to keep.
    public var window: Duration
    /// The maximum number of bytes in memory.
    public var most: Int
    /// The prefix of the file names. The time follows it.
    public var prefix: String

    /// Creates a plan with a limit of 64 MiB and the prefix `weir-flight` by default.
    public init(window: Duration, most: Int = 64 << 20, prefix: String = "weir-flight") {
        self.window = window
        self.most = most
        self.prefix = prefix
    }
}

/// Decides which messages a filtered recording stores whole. It must see every report, in order. Not for use by several
/// threads at once.
///
/// Connection records, answers and undecodable messages are always recorded, so that the file can be played. If neither
/// an event nor anything it caused matches the filter, its record keeps its number and time but loses its text.
struct RecordFilter {
    private var judge: FilterJudge
    private var hasEvent = false
    private var isWanted = false

    init(_ filter: Filter) { judge = FilterJudge(filter) }

    /// The parts of the filter that no event had, one line each.
    var absent: [String] { judge.tally.absent.map { "--record-filter:" + $0.dropFirst() } }

    /// Begins a new message, which is unwanted until a report matches.
    mutating func begin() { (hasEvent, isWanted) = (false, false) }

    /// Takes the next report about the current message.
    mutating func note(_ stamped: StampedReport) {
        // Judge every report: the filter must know names and causes.
        let holds = judge.matches(stamped)
        switch stamped.report {
        case .event: (hasEvent, isWanted) = (true, isWanted || holds)
        case .diff, .typing: isWanted = isWanted || holds
        case .undecodable, .gap: isWanted = true
        case .connection, .room, .action, .emit, .refetch, .notice: break
        }
    }

    /// Returns the shortened record of an unwanted message; `nil` if the message is recorded whole. A part of a larger
    /// message is always recorded whole, since the parts after it could not be decoded without it.
    func remainder(of record: Record) -> Record? {
        guard hasEvent, !isWanted, case .frame(var frame) = record, case .text = frame.message else { return nil }
        frame.message = .text([])
        frame.isDropped = true
        return .frame(frame)
    }
}

extension Record.Head {
    /// Returns the head for a recording with a filter.
    func recording(_ filter: Filter?) -> Record.Head {
        var head = self
        head.filter = filter?.text
        return head
    }
}
