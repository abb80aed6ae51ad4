import WeirWire

/// A position in a recording, by time, number or mark.
public enum RecordingPosition: Hashable, Sendable {
    /// Microseconds since the recording began.
    case offset(Int64)
    /// A time of the wall clock, in microseconds since 1970 UTC.
    case wall(Int64)
    /// The record with this number.
    case record(Int)
    /// The first mark with this label.
    case mark(String)

    /// Parses `+90s`, `n:812`, `mark:NAME` or an RFC 3339 time; `nil` for any other text.
    public init?(parsing text: String) {
        if text.hasPrefix("+") {
            guard let span = TypedAmount.microseconds(text.dropFirst()), (0...1_000_000_000_000_000).contains(span)
            else { return nil }
            self = .offset(span)
        } else if text.hasPrefix("n:") {
            guard let number = Int(text.dropFirst(2)), number > 0 else { return nil }
            self = .record(number)
        } else if text.hasPrefix("mark:") {
            guard text.utf8.count > 5 else { return nil }
            self = .mark(String(text.dropFirst(5)))
        } else {
            guard let wall = RecordingTime.parse(text) else { return nil }
            self = .wall(wall)
        }
    }

    /// Returns whether a record is at or after the position. For a mark this is true only at the mark itself.
    func isReached(by line: RecordLine) -> Bool {
        switch self {
        case .offset(let microseconds): line.stamp.time.microseconds >= microseconds
        case .wall(let wall): line.stamp.wall >= wall
        case .record(let number): line.stamp.n >= number
        case .mark(let label): if case .mark(let mark) = line.record { mark.label == label } else { false }
        }
    }
}

/// A part of a recording: from the first record at `start` to the last one before `end`.
package struct RecordingSpan: Hashable, Sendable {
    /// The start of the span; `nil` for the start of the recording.
    package var start: RecordingPosition?
    /// The end of the span, which is excluded; `nil` for the end of the recording.
    package var end: RecordingPosition?
    package init(start: RecordingPosition? = nil, end: RecordingPosition? = nil) {
        self.start = start
        self.end = end
    }
}

/// Tracks the position of records relative to a span. A span that has begun stays begun, even if times go back later.
struct SpanCursor {
    enum Place { case before, inside, behind }

    private let span: RecordingSpan
    private(set) var place: Place

    init(_ span: RecordingSpan) {
        self.span = span
        place = span.start == nil ? .inside : .before
    }

    /// Returns where the next record is relative to the span.
    mutating func move(to line: RecordLine) -> Place {
        if line.record.isWritersOwn { return place }
        if place == .before, span.start?.isReached(by: line) ?? true { place = .inside }
        if place == .inside, span.end?.isReached(by: line) ?? false { place = .behind }
        return place
    }
}
