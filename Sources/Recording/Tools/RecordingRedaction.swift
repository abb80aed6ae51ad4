import JSONText
import Wire

/// Removes data from a recording by rules.
///
/// The rules apply to every value of a line, including the values inside payloads and inside strings that contain JSON.
/// Everything else is unchanged. Binary payloads are not searched.
package struct RecordingRedaction {
    /// The result of a redaction.
    package struct Report: Sendable {
        /// The number of records that were changed.
        package var changed = 0
        /// The number of replacements in all records.
        package var replacements = 0
        /// The number of binary payloads, which were not searched.
        package var binary = 0
        /// The number of problems in the input file.
        package var problems = 0
        /// The rules that matched nothing although a match was expected. `near` lists paths with the same last key.
        package var unmet: [(rule: String, near: [String])] = []
    }

    private let rules: [RedactionTarget]
    private let replacement: Replacement
    private var salt = ""
    private var report = Report()
    /// The indices of rules that matched, and the similar paths found for the others.
    private var met: Set<Int> = []
    private var near: [Int: Set<String>] = [:]

    package init(_ rules: [RedactionTarget], replacement: Replacement = Replacement()) {
        self.rules = rules
        self.replacement = replacement
    }

    /// Writes the recording without the data that the rules cover, and lists the rules in its head.
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
            // Replacing text changes the model, so its recorded state can no longer be compared.
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
        // The index must not contain what was removed from the line.
        if let decoded = try? LineDecoder.decode(text.span) { line.record = decoded.record }
    }

    /// Returns the line after replacement, or `nil` if no rule matched.
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
