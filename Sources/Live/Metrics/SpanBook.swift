import Events
import JSONText
import Pipeline
import Recording
import Wire

/// A piece of work, as traces tell it.
struct TraceSpan: Sendable {
    /// 32 hex digits.
    var trace: String
    /// 16 hex digits.
    var id: String
    /// The span of the server that it belongs to, 16 hex digits; nil where the server said none.
    var parent: String?
    var name: String
    /// Microseconds since 1970.
    var start: Int64
    var end: Int64
    var attributes: [(name: String, value: String)]
    /// What went wrong; nil where nothing did.
    var problem: String?
}

/// Makes spans of requests and actions. Bounded: what nobody takes goes, the oldest first.
struct SpanBook: Sendable {
    /// A `traceparent` as W3C Trace Context has it.
    struct Parent: Hashable, Sendable {
        var trace: String
        var span: String
    }

    static let mostFinished = 2048
    static let mostOpen = 512

    private(set) var finished: [TraceSpan] = []
    /// Spans that went before anybody took them.
    private(set) var dropped = 0
    /// The parents that events named, by the number of their record; the oldest go first.
    private var parents: [(n: Int, parent: Parent)] = []
    /// When actions were asked for, by their id.
    private var begun: [(id: String, wall: Int64)] = []
    private var random = SystemRandomNumberGenerator()

    /// Notes a report.
    mutating func add(_ stamped: StampedReport) {
        switch stamped.report {
        case .event(let event):
            guard let parent = Self.parent(in: event.payload.bytes) else { return }
            parents.append((stamped.stamp.n, parent))
            if parents.count > Self.mostOpen { parents.removeFirst() }
        case .refetch(let report): add(report, stamped.stamp.wall)
        case .action(let report): add(report, stamped.stamp.wall)
        case .diff, .gap, .connection, .room, .emit, .typing, .undecodable, .notice: break
        }
    }

    /// The first so many are somebody else's.
    mutating func take(_ count: Int) { finished.removeFirst(min(count, finished.count)) }

    private mutating func add(_ report: RefetchReport, _ wall: Int64) {
        var attributes: [(name: String, value: String)] = [
            ("weir.resource", report.resource), ("weir.outcome", report.outcome.rawValue),
            ("weir.cause", String(report.cause)),
        ]
        if let status = report.status { attributes.append(("http.response.status_code", String(status))) }
        let isWell = [.fetched, .outdated, .missing].contains(report.outcome)
        finish(
            "refetch", from: wall - report.duration.microseconds, to: wall, attributes,
            problem: isWell ? nil : report.outcome.rawValue,
            parent: parents.last { $0.n == report.cause }?.parent)
    }

    private mutating func add(_ report: ActionReport, _ wall: Int64) {
        let id = report.action.id.description
        let problem: String?
        switch report.change {
        case .queued:
            begun.append((id, wall))
            if begun.count > Self.mostOpen { begun.removeFirst() }
            return
        case .sending, .delayed: return
        case .done: problem = nil
        case .refused(let why, _): problem = why
        case .dropped: problem = "taken back"
        }
        let start = begun.firstIndex { $0.id == id }.map { begun.remove(at: $0).wall } ?? wall
        finish("action " + report.action.operation.name, from: start, to: wall, [("weir.action", id)], problem: problem)
    }

    private mutating func finish(
        _ name: String, from start: Int64, to end: Int64, _ attributes: [(name: String, value: String)],
        problem: String?, parent: Parent? = nil
    ) {
        let trace = parent?.trace ?? hex() + hex()
        finished.append(
            TraceSpan(
                trace: trace, id: hex(), parent: parent?.span, name: name, start: start, end: end,
                attributes: attributes,
                problem: problem))
        if finished.count > Self.mostFinished {
            finished.removeFirst()
            dropped += 1
        }
    }

    private mutating func hex() -> String {
        let text = String(UInt64.random(in: 1 ... .max, using: &random), radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }

    private static let key = Array(#""traceparent":"00-"#.utf8)

    /// The parent that a JSON text names; nil where it names none that is valid.
    static func parent(in json: ArraySlice<UInt8>) -> Parent? {
        guard let found = json.firstRange(of: key) else { return nil }
        let rest = json[found.upperBound...]
        let (trace, span) = (rest.prefix(32), rest.dropFirst(33).prefix(16))
        guard rest.count > 53, isID(trace), isID(span),
            rest[rest.startIndex + 32] == UInt8(ascii: "-"), rest[rest.startIndex + 49] == UInt8(ascii: "-")
        else { return nil }
        return Parent(trace: String(decoding: trace, as: UTF8.self), span: String(decoding: span, as: UTF8.self))
    }

    private static func isID(_ digits: ArraySlice<UInt8>) -> Bool {
        digits.allSatisfy(isHex) && digits.contains { $0 != UInt8(ascii: "0") }
    }

    private static func isHex(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 || byte >= 0x61 && byte <= 0x66 }
}
