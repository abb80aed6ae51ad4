import WeirEvents
import WeirJSON
import WeirPipeline
package import WeirWire

/// A span of a trace: one request or one action.
package struct TraceSpan: Sendable {
    /// The id of the trace: 32 hexadecimal digits.
    package var trace: String
    /// The id of the span: 16 hexadecimal digits.
    package var id: String
    /// The id of the server's span that caused this one: 16 hexadecimal digits. `nil` if the server named none.
    package var parent: String?
    package var name: String
    /// When the work started, in microseconds since 1970 UTC. `end` has the same unit.
    package var start: Int64
    package var end: Int64
    package var attributes: [(name: String, value: String)]
    /// The error; `nil` if the work succeeded.
    package var problem: String?
}

/// Makes spans from the reports of requests and actions. Both lists are bounded: the oldest entry is dropped first.
package struct SpanBook: Sendable {
    /// The trace and the span in the server's `traceparent`, in the form of W3C Trace Context.
    struct Parent: Hashable, Sendable {
        var trace: String
        var span: String
    }

    static let mostFinished = 2048
    static let mostOpen = 512

    package private(set) var finished: [TraceSpan] = []
    /// The number of finished spans that were dropped before a collector took them.
    private(set) var dropped = 0
    /// The parents in events and answers, by the number of the record. The oldest is dropped first.
    private var parents: [(n: Int, parent: Parent)] = []
    /// The times at which actions were queued, by action id, in microseconds since 1970 UTC.
    private var begun: [(id: String, wall: Int64)] = []
    private var random: RandomSource

    package init(_ random: RandomSource) { self.random = random }

    /// Makes a span from the report of a finished request or action, and keeps the `traceparent` of an event.
    package mutating func add(_ stamped: StampedReport) {
        switch stamped.report {
        case .event(let event):
            note(event.payload.bytes, of: stamped.stamp.n)
        case .refetch(let report): add(report, stamped.stamp)
        case .action(let report): add(report, stamped.stamp)
        case .diff, .gap, .connection, .room, .emit, .typing, .undecodable, .notice: break
        }
    }

    /// Notes the `traceparent` of an answer by the number of the answer's record, before the reports that it causes. It
    /// takes precedence over the one in the event.
    package mutating func note(traceparent: String, of record: Int) {
        note(Array("{\"traceparent\":\"\(traceparent)\"}".utf8)[...], of: record)
    }

    private mutating func note(_ json: ArraySlice<UInt8>, of record: Int) {
        guard let parent = Self.parent(in: json) else { return }
        parents.append((record, parent))
        if parents.count > Self.mostOpen { parents.removeFirst() }
    }

    private func parent(of record: Int) -> Parent? { parents.last { $0.n == record }?.parent }

    /// Removes the oldest `count` finished spans.
    package mutating func take(_ count: Int) { finished.removeFirst(min(count, finished.count)) }

    private mutating func add(_ report: RefetchReport, _ stamp: Stamp) {
        var attributes: [(name: String, value: String)] = [
            ("weir.resource", report.resource), ("weir.outcome", report.outcome.rawValue),
            ("weir.cause", String(report.cause)),
        ]
        if let status = report.status { attributes.append(("http.response.status_code", String(status))) }
        let isWell = [.fetched, .outdated, .missing].contains(report.outcome)
        finish(
            "refetch", from: stamp.wall - report.duration.microseconds, to: stamp.wall, attributes,
            problem: isWell ? nil : report.outcome.rawValue,
            parent: parent(of: stamp.n) ?? parent(of: report.cause))
    }

    private mutating func add(_ report: ActionReport, _ stamp: Stamp) {
        let wall = stamp.wall
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
        finish(
            "action " + report.action.operation.name, from: start, to: wall, [("weir.action", id)], problem: problem,
            parent: parent(of: stamp.n))
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

    /// Returns the `traceparent` in a JSON text; `nil` if it contains none, or an invalid one.
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
