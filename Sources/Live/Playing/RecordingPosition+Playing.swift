import Recording
import Wire

// Comparing positions with records during a replay.
extension RecordingPosition {
    /// Returns whether a record is at or after this position. `time` is the record's time on the timeline.
    func isReached(by record: Record, _ stamp: Stamp, at time: Moment) -> Bool {
        switch self {
        case .offset(let microseconds): time.microseconds >= microseconds
        case .wall(let wall): stamp.wall >= wall
        case .record(let number): stamp.n >= number
        case .mark(let label): if case .mark(let mark) = record { mark.label == label } else { false }
        }
    }

    /// Returns whether this position is after a record with this stamp, as far as the stamp alone determines it. A mark
    /// never is.
    func isAfter(_ stamp: Stamp) -> Bool {
        switch self {
        case .offset(let microseconds): stamp.time.microseconds < microseconds
        case .wall(let wall): stamp.wall < wall
        case .record(let number): stamp.n < number
        case .mark: false
        }
    }

    /// The position in the syntax that `RecordingPosition` parses.
    var text: String {
        switch self {
        case .offset(let microseconds): "+" + TimeText.span(milliseconds: microseconds / 1000)
        case .wall(let wall): TimeText.rfc3339(wall: wall)
        case .record(let number): "n:\(number)"
        case .mark(let label): "mark:\(label)"
        }
    }
}
