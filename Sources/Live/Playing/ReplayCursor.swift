public import Pipeline
public import Recording
public import SectionedModel

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
