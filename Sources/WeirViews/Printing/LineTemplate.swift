import WeirEvents
import WeirJSON
import WeirPipeline
import WeirTerminal
import WeirWire

/// A template that prints one line for each event: `{time} {room:20} {actor:>12.12} {payload.resource.text}`.
///
/// A template contains text and fields. The forms of a field are:
///
/// - `{NAME}`: The value at its full length.
/// - `{NAME:WIDTH}`: Exactly WIDTH columns, padded or cut.
/// - `{NAME:WIDTH!}`: At least WIDTH columns, never cut.
/// - `{NAME:<WIDTH.MOST}`: At least WIDTH and at most MOST columns.
///
/// Before the width, `<` aligns left, `>` right and `^` centres. `{{` and `}}` are braces, `\t` is a tab and `\\` is a
/// backslash. There are no conditions and no code. Text from the peer is escaped, including tabs, so that only the
/// template defines lines and columns.
public struct LineTemplate: Hashable, Sendable {
    /// An error in a template.
    public struct Malformed: Error, Hashable, Sendable {
        /// The error in one sentence, with a suggestion if there is one.
        public var message: String
    }

    /// The names of all fields. A path may follow `payload`.
    public static let fieldNames = Field.allCases.map(\.rawValue) + ["payload"]

    private enum Field: String, CaseIterable {
        case time, date, rel, n, lag, room, title, actor, kind, event, namespace, known, mentions, size, summary, text
        case roomTitle = "room_title"
        case actorName = "actor_name"
    }

    private enum Value: Hashable {
        case field(Field)
        case payload(JSONPath)
    }

    private enum Part: Hashable {
        case text(String)
        case value(Value, Layout)
    }

    private struct Layout: Hashable {
        enum Side { case left, right, middle }
        var side = Side.left
        var least = 0
        var most: Int?
    }

    /// The maximum width of a field, in columns.
    private static let widest = 1000
    private var parts: [Part] = []

    /// Parses the text of a template.
    public init(_ text: String) throws(Malformed) {
        var literal = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            switch character {
            case "{" where rest.first == "{", "}" where rest.first == "}", "\\" where rest.first == "\\":
                literal.append(character)
                rest.removeFirst()
            case "\\" where rest.first == "t":
                literal.append("\t")
                rest.removeFirst()
            case "{":
                guard let end = rest.firstIndex(of: "}") else {
                    throw Malformed(message: "{ without }; write {{ for a brace")
                }
                if !literal.isEmpty { parts.append(.text(literal)) }
                literal = ""
                parts.append(try Self.part(rest[..<end]))
                rest = rest[rest.index(after: end)...]
            case "}": throw Malformed(message: "} without {; write }} for a brace")
            default: literal.append(character)
            }
        }
        if !literal.isEmpty { parts.append(.text(literal)) }
        guard parts.contains(where: { if case .value = $0 { true } else { false } }) else {
            throw Malformed(message: "no field; write one like {kind}: " + Self.fieldNames.joined(separator: ", "))
        }
    }

    private static func part(_ text: Substring) throws(Malformed) -> Part {
        let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(halves[0])
        let layout = halves.count > 1 ? try layout(halves[1]) : Layout()
        if let field = Field(rawValue: name) { return .value(.field(field), layout) }
        if name.hasPrefix("payload"), let path = JSONPath(name.dropFirst("payload".count), beginsInArguments: true) {
            return .value(.payload(path), layout)
        }
        throw Malformed(
            message: "unknown field '\(TerminalText.truncated(name, to: 40))'"
                + Suggestion.phrase(for: name, among: fieldNames) + "; fields: " + fieldNames.joined(separator: ", ")
                + " and payload.KEY; \(JSONPath.hint)")
    }

    private static func layout(_ text: Substring) throws(Malformed) -> Layout {
        var (layout, rest) = (Layout(), text)
        switch rest.first {
        case "<": layout.side = .left
        case ">": layout.side = .right
        case "^": layout.side = .middle
        default: rest = "<" + rest
        }
        let isUncut = rest.last == "!"
        if isUncut { rest.removeLast() }
        let numbers = rest.dropFirst().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let least = numbers.first.map { $0.isEmpty ? 0 : Int($0) ?? -1 } ?? 0
        let most = numbers.count > 1 ? Int(numbers[1]) ?? -1 : isUncut ? nil : least
        guard (0...widest).contains(least), (0...widest).contains(most ?? 0), !text.isEmpty else {
            throw Malformed(
                message:
                    "invalid width ':\(TerminalText.truncated(String(text), to: 20))'; write it like :12, :>12, :<12.20 or :12!"
            )
        }
        (layout.least, layout.most) = (least, most)
        return layout
    }
}

extension LineTemplate {
    /// The state that a line needs in addition to the report.
    package struct Context {
        var clock: ZoneClock
        var names = KnownNames()
    }

    /// Returns the line of an event; empty for other reports.
    func line(of stamped: StampedReport, _ context: inout Context) -> [UInt8] {
        guard case .event(let report) = stamped.report else { return [] }
        var line: [UInt8] = []
        for part in parts {
            switch part {
            case .text(let text): line.append(contentsOf: text.utf8)
            case .value(let value, let layout):
                line.append(contentsOf: Self.laidOut(Self.text(of: value, report, stamped, &context), layout).utf8)
            }
        }
        line.append(UInt8(ascii: "\n"))
        return line
    }

    private static func laidOut(_ text: String, _ layout: Layout) -> String {
        let text = layout.most.map { TerminalText.truncated(text, to: $0) } ?? TerminalText.escaped(text)
        guard layout.least > 0 else { return text }
        let missing = max(layout.least - TerminalText.width(of: text), 0)
        let left =
            switch layout.side {
            case .left: 0
            case .right: missing
            case .middle: missing / 2
            }
        return String(repeating: " ", count: left) + text + String(repeating: " ", count: missing - left)
    }

    private static func text(
        of value: Value, _ report: EventReport, _ stamped: StampedReport, _ context: inout Context
    ) -> String {
        switch value {
        case .payload(let path):
            guard let value = path.value(in: report.payload) else { return "" }
            if case .string(let text)? = try? JSONValue(parsing: value.bytes) { return text }
            return String(decoding: RawJSON.readable(value.bytes), as: UTF8.self)
        case .field(let field):
            let event = report.event
            return switch field {
            case .time: context.clock.time(stamped.stamp.wall, columns: ZoneClock.columns(of: 12, context.clock.zone))
            case .date: TimeText.rfc3339(wall: stamped.stamp.wall)
            case .rel: TimeText.elapsed(milliseconds: stamped.stamp.time.microseconds / 1000)
            case .n: String(stamped.stamp.n)
            case .lag: stamped.lag.map { TimeText.span(milliseconds: $0) } ?? ""
            case .room: event.room ?? ""
            case .title, .roomTitle: event.room.flatMap { context.names.room($0).channel?.title } ?? event.room ?? ""
            case .actor: event.actor ?? ""
            case .actorName: context.names.actor(of: report) ?? ""
            case .text: event.said?.text ?? event.summary
            case .kind: event.kind
            case .event: report.wireName
            case .namespace: report.namespace
            case .known: event.isKnown ? "true" : "false"
            case .mentions: event.mentions.map(\.title).joined(separator: ", ")
            case .size: String(report.payload.bytes.count)
            case .summary: event.summary
            }
        }
    }
}
