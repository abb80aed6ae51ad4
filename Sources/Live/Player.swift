import Pipeline
import Recording
import SectionedModel
import Wire

/// Turns a recording's entries into inputs of a session, and its effects into reports. Pure: the times are the file's.
struct Player {
    private(set) var session: Session
    private let wallStart: Int64
    private let count: Int?
    private var effects: [Effect] = []
    /// Set when the file begins in the middle of a recording.
    private var continuation: Continuation?
    private var last = Stamp(n: 0, time: .zero, wall: 0)
    /// Number of the last record that is not restated; 0 before one came.
    private var lastInput = 0
    private var events = 0
    private var gaps = 0
    private var undecodable = 0

    /// What came out since it was last emptied.
    var reports: [StampedReport] = []

    /// A player of a session made from a recording's head; ends after `count` events.
    init(session: Session, wallStart: Int64, count: Int? = nil) {
        self.session = session
        self.wallStart = wallStart
        self.count = count
    }

    /// Whether the events asked for were played.
    var isOver: Bool { events >= count ?? .max }

    /// The session begins at time 0.
    mutating func start() {
        session.handle(.start, n: 0, at: .zero, into: &effects)
        gather(Stamp(n: 0, time: .zero, wall: wallStart))
    }

    /// Plays the next entry.
    mutating func play(_ entry: RecordingReader.Entry) {
        switch entry {
        case .record(let record, var stamp):
            // A damaged or edited file may go back in time; a session may not.
            stamp.time = max(stamp.time, last.time)
            last = stamp
            if let length = record.lengthBeforeCut {
                damaged("record \(stamp.n) was cut when it was recorded: it had \(length) bytes")
            }
            guard let input = input(record, stamp) else { return }
            session.advance(to: stamp.time, into: &effects)
            gather(Stamp(n: 0, time: stamp.time, wall: stamp.wall))
            // The end has a number in the file, but its input has none, live either.
            let number = if case .end = record { 0 } else { stamp.n }
            session.handle(input, n: number, at: stamp.time, into: &effects)
            gather(Stamp(n: number, time: stamp.time, wall: stamp.wall))
        case .damage(let line, let offset, let bytes, let message):
            damaged("line \(line) at byte \(offset) (\(bytes) bytes) cannot be read: \(message)")
        case .tornTail(let offset, let bytes):
            damaged("the last \(bytes) bytes, from \(offset), are not a whole record: the recording was cut off")
        case .discontinuity(let expected, let found, let line):
            let lost = found > expected ? found - expected : nil
            damaged("line \(line) is record \(found) where \(expected) should follow", lost: lost)
        case .checksumMismatch(let line, let bytes, let recorded):
            damaged(
                "the \(bytes) bytes before line \(line) are not the \(recorded) that were written: the checksum differs"
            )
        }
    }

    /// The input that a record is. What a later segment says again is of use only to who has nothing of what came before.
    private mutating func input(_ record: Record, _ stamp: Stamp) -> Input? {
        if stamp.isRestated {
            if lastInput > 0 { return nil }
            if continuation == nil { continuation = Continuation() }
            return continuation?.input(record, isRestated: true)
        }
        if !record.isAside { lastInput = stamp.n }
        return continuation == nil ? Input(record) : continuation?.input(record, isRestated: false)
    }

    private mutating func damaged(_ text: String, lost: Int? = nil) {
        report(.notice(Notice(.warning, text)), last)
        report(.gap(GapReport(cause: .damage, from: last.time, to: last.time, lost: lost)), last)
    }

    /// The reports among the effects; whatever else the session wanted, the recording holds what became of it.
    private mutating func gather(_ stamp: Stamp) {
        for effect in effects {
            if case .report(let report) = effect { self.report(report, stamp) }
            if case .request(let request) = effect { continuation?.note(request) }
        }
        effects.removeAll(keepingCapacity: true)
    }

    private mutating func report(_ report: Report, _ stamp: Stamp) {
        switch report {
        case .event: events += 1
        case .gap: gaps += 1
        case .undecodable: undecodable += 1
        case .diff, .connection, .room, .action, .typing, .notice: break
        }
        reports.append(StampedReport(stamp: stamp, report: report))
    }

    /// What was seen.
    func summary(_ outcome: TailOutcome) -> TailSummary {
        TailSummary(
            outcome: outcome, events: events, gaps: gaps, undecodable: undecodable,
            sections: session.model.sectionKeys.map { ($0, session.model.elementCount(in: $0)) })
    }
}

extension Record {
    /// The bytes a payload had before it was cut to what a line may hold; nil when it is whole.
    fileprivate var lengthBeforeCut: Int? {
        switch self {
        case .frame(let frame): frame.direction == .in ? frame.cutFrom : nil
        case .http(let exchange): exchange.cutFrom
        case .memory(let memory): memory.cutFrom
        case .head, .connection, .subscription, .gap, .token, .action, .mark, .state, .clock, .note, .sync, .index,
            .end,
            .unknown:
            nil
        }
    }
}
