import JSONText
import Wire

/// Takes out of a recording what should not be in it.
///
/// The rules are applied to every string of a line and, in payloads that hold JSON, to every string in there; what is around stays
/// as it was. Binary payloads are not looked into.
public struct RecordingRedaction {
    /// What was done.
    public struct Report: Hashable, Sendable {
        /// Records that were changed.
        public var changed = 0
        /// How often something was replaced.
        public var replacements = 0
        /// Binary payloads, which were not looked into.
        public var binary = 0
        /// What was wrong with what was read.
        public var problems = 0
    }

    /// Members that make a line what it is, and hold nothing of a peer's.
    private static let structure: Set<String> = [
        "k", "n", "t", "w", "c", "d", "op", "len", "st", "ph", "m", "id", "for", "at", "h", "fmt", "v", "minor", "rec",
        "seg",
        "prev", "w0", "clock", "boot", "redact", "max_payload", "seed", "act", "lvl", "tr", "proto", "phase", "retry",
        "b",
    ]

    private let rules: [RedactionTarget]
    private let replacement: Replacement
    private var salt = ""
    private var report = Report()

    /// A redaction by these rules.
    public init(_ rules: [RedactionTarget], replacement: Replacement = Replacement()) {
        self.rules = rules
        self.replacement = replacement
    }

    /// Writes the recording without what the rules name, and lists the rules in its head.
    public mutating func redact(
        _ path: String, to destination: ToolDestination, hearing hear: ProblemListener = { _, _ in }
    ) throws(RecordingError) -> Report {
        report = Report()
        var reader = try LineReader(opening: path)
        salt = reader.head.recording
        let first = try reader.firstNumber()
        var writer = try LineWriter.begin(
            destination, head: head(reader.headText, reader.head), wallStart: reader.head.wallStart, firstNumber: first)
        var source = LineWriter.Source()
        while let item = try reader.next() {
            switch item {
            case .problem(let problem):
                report.problems += 1
                hear(path, problem)
            case .line(var line):
                if line.record.isWritersOwn { continue }
                // The model is another one where words of it were replaced.
                if case .state = line.record, report.changed > 0 { continue }
                redact(&line)
                try writer.append(line, from: &source)
            }
        }
        try writer.close()
        return report
    }

    private mutating func head(_ text: [UInt8], _ head: Record.Head) -> [UInt8] {
        var json = JSONWriter()
        json.beginArray()
        for id in head.redactions + rules.map(\.id).filter({ !head.redactions.contains($0) }) { json.string(id) }
        json.endArray()
        var changes = MemberChanges()
        changes.set("redact", json.bytes)
        return changes.applied(to: replaced(in: text) ?? text)
    }

    private mutating func redact(_ line: inout RecordLine) {
        if case .frame(let frame) = line.record, case .binary = frame.message { report.binary += 1 }
        guard let text = replaced(in: line.text) else { return }
        report.changed += 1
        line.text = text
        // The index must not say what the line does not.
        if let decoded = try? LineDecoder.decode(text.span) { line.record = decoded.record }
    }

    /// The line without what the rules name; nil when nothing of it is in there.
    private mutating func replaced(in line: [UInt8]) -> [UInt8]? {
        var edits: [(range: Range<Int>, text: [UInt8])] = []
        var length: Int?
        var leaves: [JSONLeaf] = []
        guard JSONLeaf.visit(line[...], { leaves.append($0) }) else { return nil }
        for leaf in leaves where leaf.keys.first.map({ !Self.structure.contains($0) }) ?? false {
            if leaf.keys == ["p"] {
                let payload = Array(leaf.value.utf8)
                guard let text = replaced(inPayload: payload) else { continue }
                length = text.count
                edits.append((leaf.range, Self.quoted(text)))
            } else if let text = value(of: leaf) {
                edits.append((leaf.range, Self.quoted(text)))
            }
        }
        guard !edits.isEmpty else { return nil }
        let text = Self.edited(line, edits)
        guard let length else { return text }
        var changes = MemberChanges()
        changes.set("len", Int64(length))
        return changes.applied(to: text)
    }

    private mutating func replaced(inPayload payload: [UInt8]) -> [UInt8]? {
        if let start = JSONLeaf.jsonStart(in: payload[...]) {
            var leaves: [JSONLeaf] = []
            if JSONLeaf.visit(payload[start...], { leaves.append($0) }) {
                var edits: [(range: Range<Int>, text: [UInt8])] = []
                for leaf in leaves { if let text = value(of: leaf) { edits.append((leaf.range, Self.quoted(text))) } }
                return edits.isEmpty ? nil : Self.edited(payload, edits)
            }
        }
        return value(payload, under: ["p"])
    }

    private mutating func value(of leaf: JSONLeaf) -> [UInt8]? { value(Array(leaf.value.utf8), under: leaf.keys) }

    /// A value without what the rules name; nil when nothing of it is in there.
    private mutating func value(_ text: [UInt8], under keys: [String]) -> [UInt8]? {
        let ranges = Self.joined(rules.flatMap { $0.matches(in: text, under: keys) })
        guard !ranges.isEmpty else { return nil }
        var result: [UInt8] = []
        var place = 0
        for range in ranges {
            result += text[place..<range.lowerBound]
            result += replacement.replacement(of: text[range], salt: salt)
            place = range.upperBound
            report.replacements += 1
        }
        return result + text[place...]
    }

    /// Ranges that overlap are one: of what a rule names nothing may be left because another rule names a part of it.
    private static func joined(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var joined: [Range<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, range.lowerBound < last.upperBound {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return joined
    }

    private static func quoted(_ text: [UInt8]) -> [UInt8] {
        var json = JSONWriter()
        json.string(utf8: text[...])
        return json.bytes
    }

    private static func edited(_ text: [UInt8], _ edits: [(range: Range<Int>, text: [UInt8])]) -> [UInt8] {
        var result: [UInt8] = []
        var place = 0
        for edit in edits {
            result += text[place..<edit.range.lowerBound]
            result += edit.text
            place = edit.range.upperBound
        }
        return result + text[place...]
    }
}
