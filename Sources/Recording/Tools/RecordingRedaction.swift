import JSONText
import Wire

/// Takes out of a recording what should not be in it.
///
/// The rules are applied to every value of a line and, in payloads and strings that hold JSON, to every value in there; what is around
/// stays as it was. Binary payloads are not looked into.
package struct RecordingRedaction {
    /// What was done.
    package struct Report: Sendable {
        /// Records that were changed.
        package var changed = 0
        /// How often something was replaced.
        package var replacements = 0
        /// Binary payloads, which were not looked into.
        package var binary = 0
        /// What was wrong with what was read.
        package var problems = 0
        /// Rules that name something of which nothing was there, each with where the last of its keys stands.
        package var unmet: [(rule: String, near: [String])] = []
    }

    private let rules: [RedactionTarget]
    private let replacement: Replacement
    private var salt = ""
    private var report = Report()
    /// The rules that something matched, and the places like those of the others.
    private var met: Set<Int> = []
    private var near: [Int: Set<String>] = [:]

    /// A redaction by these rules.
    package init(_ rules: [RedactionTarget], replacement: Replacement = Replacement()) {
        self.rules = rules
        self.replacement = replacement
    }

    /// Writes the recording without what the rules name, and lists the rules in its head.
    package mutating func redact(
        _ path: String, to destination: ToolDestination, hearing hear: ProblemListener = { _, _ in }
    ) throws(RecordingError) -> Report {
        (report, met, near) = (Report(), [], [:])
        var reader = try LineReader(opening: path)
        salt = reader.head.recording
        let first = try reader.firstNumber()
        var writer = try LineWriter.begin(
            destination, head: head(reader.headText, reader.head), wallStart: reader.head.wallStart, firstNumber: first)
        var source = LineWriter.Source()
        while var line = try reader.next(hearing: hear) {
            if line.record.isWritersOwn { continue }
            // The model is another one where words of it were replaced.
            if case .state = line.record, report.changed > 0 { continue }
            redact(&line)
            try writer.append(line, from: &source)
        }
        report.problems = reader.problems
        for (number, rule) in rules.enumerated() where rule.isExpected && !met.contains(number) {
            report.unmet.append((rule.id, near[number, default: []].sorted()))
        }
        try writer.close()
        return report
    }

    private mutating func head(_ text: [UInt8], _ head: Record.Head) -> [UInt8] {
        var json = JSONWriter()
        json.beginArray()
        for id in head.redactions + rules.flatMap(\.ids).filter({ !head.redactions.contains($0) }) { json.string(id) }
        json.endArray()
        var changes = MemberChanges()
        changes.set("redact", json.bytes)
        return changes.applied(to: replaced(in: text) ?? text)
    }

    private mutating func redact(_ line: inout RecordLine) {
        if line.record.isBinary { report.binary += 1 }
        guard let text = replaced(in: line.text, isBinary: line.record.isBinary) else { return }
        report.changed += 1
        line.text = text
        // The index must not say what the line does not.
        if let decoded = try? LineDecoder.decode(text.span) { line.record = decoded.record }
    }

    /// The line without what the rules name; nil when nothing of it is in there.
    private mutating func replaced(in line: [UInt8], isBinary: Bool = false) -> [UInt8]? {
        var count = 0
        let clean = LineValues.changed(line, isBinary: isBinary, seeksSecrets: rules.allSatisfy(\.isOfSecrets)) {
            value in
            value.replacing(matches(in: value)) { secret in
                count += 1
                return replacement.replacement(of: secret, salt: salt)
            }
        }
        report.replacements += count
        return clean
    }

    private mutating func matches(in value: PayloadWalk.Value) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        for (number, rule) in rules.enumerated() {
            let found = rule.matches(in: value)
            if !found.isEmpty {
                met.insert(number)
                ranges += found
            } else if let place = rule.near(value), near[number, default: []].count < 4 {
                near[number, default: []].insert(place)
            }
        }
        return ranges
    }
}
