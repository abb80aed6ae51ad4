import Wire

/// A place in a recording.
public enum RecordingPosition: Hashable, Sendable {
    /// So many microseconds after the recording began.
    case offset(Int64)
    /// A time of the wall clock, microseconds since 1970 UTC.
    case wall(Int64)
    /// The record with this number.
    case record(Int)
    /// The first mark that is called so.
    case mark(String)

    /// A position from text: `+90s`, `n:812`, `mark:NAME` or an RFC 3339 time; nil when it is none.
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

    /// Whether a record stands there or behind. Of a mark it is asked record by record.
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
    /// Where it begins; nil for the beginning.
    package var start: RecordingPosition?
    /// Where it ends; what stands there is not in it. Nil for the end.
    package var end: RecordingPosition?
    /// A span.
    package init(start: RecordingPosition? = nil, end: RecordingPosition? = nil) {
        self.start = start
        self.end = end
    }
}

/// Follows a recording through a span: once it has begun it has begun, whatever times go back later.
struct SpanCursor {
    enum Place { case before, inside, behind }

    private let span: RecordingSpan
    private(set) var place: Place

    init(_ span: RecordingSpan) {
        self.span = span
        place = span.start == nil ? .inside : .before
    }

    /// Where the next record stands.
    mutating func move(to line: RecordLine) -> Place {
        if line.record.isWritersOwn { return place }
        if place == .before, span.start?.isReached(by: line) ?? true { place = .inside }
        if place == .inside, span.end?.isReached(by: line) ?? false { place = .behind }
        return place
    }
}
