import Recording
import Wire

// Positions as a replay looks for them.
extension RecordingPosition {
    /// Whether a record stands at this position or behind it. `time` is its time on the timeline.
    func isReached(by record: Record, _ stamp: Stamp, at time: Moment) -> Bool {
        switch self {
        case .offset(let microseconds): time.microseconds >= microseconds
        case .wall(let wall): stamp.wall >= wall
        case .record(let number): stamp.n >= number
        case .mark(let label): if case .mark(let mark) = record { mark.label == label } else { false }
        }
    }

    /// Whether this position is later than a record with that stamp, as far as the stamp alone shows it.
    func isAfter(_ stamp: Stamp) -> Bool {
        switch self {
        case .offset(let microseconds): stamp.time.microseconds < microseconds
        case .wall(let wall): stamp.wall < wall
        case .record(let number): stamp.n < number
        case .mark: false
        }
    }

    /// As it is typed.
    var text: String {
        switch self {
        case .offset(let microseconds): "+" + TimeText.span(milliseconds: microseconds / 1000)
        case .wall(let wall): TimeText.rfc3339(wall: wall)
        case .record(let number): "n:\(number)"
        case .mark(let label): "mark:\(label)"
        }
    }
}
