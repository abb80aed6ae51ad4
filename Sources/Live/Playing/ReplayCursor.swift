public import Pipeline
public import Recording
public import SectionedModel

/// A recording and a place in it: the model as it was there, and the way to any other place. Not thread-safe.
///
/// States are kept on the way, so that a place that was passed is found again in some milliseconds, however long the recording is;
/// their number is bounded (`Waypoints`). Requests and states are not compared with the recorded ones.
public final class ReplayCursor {
    private let timeline: Timeline

    /// Opens a recording, at its beginning. Throws when it is none.
    public init(opening path: String) throws(RecordingError) {
        var configuration = ReplayConfiguration([path])
        configuration.refetch = .stub
        timeline = try Timeline(opening: configuration, keepsWay: true, keepsChecksum: false)
    }

    /// The model here. A copy of its own: it stays as it is when the cursor goes on.
    public var model: SectionedCollection<Item> { timeline.tracks[0].player.session.model }

    /// Events passed from the beginning up to here.
    public var events: Int { timeline.position.events }

    /// Number of the last record passed.
    public var number: Int { timeline.position.number }

    /// Goes behind the event with this number, counted from 1; to the end when there are not so many.
    public func seek(toEvent number: Int) throws(RecordingError) { try seek(.events(number)) }

    /// Goes behind the record with this number, or to the end.
    public func seek(toRecord number: Int) throws(RecordingError) { try seek(.record(number)) }

    private func seek(_ goal: Timeline.Goal) throws(RecordingError) {
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
