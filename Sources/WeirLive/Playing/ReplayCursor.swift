public import WeirModel
public import WeirPipeline
public import WeirRecording
import WeirWire

/// A position in a recording: the model at that position, and the means to move to any other. Not thread-safe.
///
/// The cursor keeps states along the way, so that a passed position is reached again within milliseconds, however long
/// the recording is. The number of states is bounded (`Waypoints`). The cursor does not compare requests and states
/// with the recorded ones.
public final class ReplayCursor {
    private let timeline: RecordingTimeline

    /// Opens a recording at its beginning.
    ///
    /// - Throws: If the file is not a recording.
    public init(opening path: String) throws(RecordingError) {
        var configuration = ReplayConfiguration([path])
        configuration.refetch = .stub
        timeline = try RecordingTimeline(opening: configuration, keepsWay: true, keepsChecksum: false)
    }

    /// The model at this position. It is a copy and does not change when the cursor moves.
    public var model: SectionedCollection<Item> { timeline.model }

    /// The number of events from the beginning to this position.
    public var events: Int { timeline.position.events }

    /// The number of the last record passed.
    public var number: Int { timeline.position.number }

    /// Moves to just after the event with this number, counted from 1, or to the end if there are fewer events.
    public func seek(toEvent number: Int) throws(RecordingError) { try seek(.events(number)) }

    /// Moves to just after the record with this number, or to the end.
    public func seek(toRecord number: Int) throws(RecordingError) { try seek(.record(number)) }

    private func seek(_ goal: RecordingTimeline.Goal) throws(RecordingError) {
        guard try timeline.approach(goal) else { return }
        while true {
            switch try timeline.upcoming() {
            case .end, .starved: return
            case .record, .trouble:
                if timeline.hasReached(goal) { return }
                timeline.play()
                if timeline.isFull { _ = timeline.takeReports() }
            }
        }
    }
}

/// Complete states that a replay can go back to.
///
/// A state shares everything unchanged with its neighbours, so keeping it costs only the changes since the one before.
/// The states are evenly spaced, counted in entries. When there are too many, every second one is discarded and the
/// distance doubles. Any position is at most one distance after a waypoint.
struct Waypoints {
    /// A kept state with its position.
    struct Waypoint {
        var position: TimelinePosition
        var tracks: [RecordingTrack.Bookmark]
        var group: GroupModel?
    }

    /// The maximum number of waypoints. A million events, with an occasional answer, stay at the closest distance.
    private static let most = 384
    /// The initial number of entries between two waypoints. They take some milliseconds to play.
    private static let closest = 4096

    private(set) var all: [Waypoint] = []
    private(set) var distance = closest

    /// Returns whether a state at this position should be kept.
    func wants(_ position: TimelinePosition) -> Bool {
        guard let last = all.last else { return true }
        return position.entries >= last.position.entries + distance
    }

    mutating func add(_ waypoint: Waypoint) {
        all.append(waypoint)
        guard all.count > Self.most else { return }
        // The first waypoint is the beginning and is always kept.
        all = all.indices.filter { $0.isMultiple(of: 2) }.map { all[$0] }
        distance *= 2
    }

    /// Returns the last waypoint that satisfies a condition. The condition must not hold after a waypoint for which it
    /// fails, since the search is binary.
    func last(where holds: (TimelinePosition) -> Bool) -> Waypoint? {
        var bounds = all.startIndex..<all.endIndex
        while !bounds.isEmpty {
            let middle = bounds.lowerBound + bounds.count / 2
            if holds(all[middle].position) {
                bounds = middle + 1..<bounds.upperBound
            } else {
                bounds = bounds.lowerBound..<middle
            }
        }
        return bounds.lowerBound > 0 ? all[bounds.lowerBound - 1] : nil
    }
}

/// How far a timeline was played.
struct TimelinePosition: Hashable {
    /// The number of entries played, of all recordings.
    var entries = 0
    /// The number of events that these entries showed.
    var events = 0
    /// The number of the last record.
    var number = 0
    /// The time of the last record on the timeline.
    var time = Moment.zero
    /// The wall clock of the last record, in microseconds since 1970; `nil` before the first one.
    var wall: Int64?
}
