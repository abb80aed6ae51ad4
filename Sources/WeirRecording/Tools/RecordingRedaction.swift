import WeirJSON
import WeirWire

/// A rule that selects data to remove from a recording.
package struct RedactionTarget {
    private enum Form {
        case secret(SecretRule)
        /// Every kind of secret (`SecretRule`).
        case secrets
        /// Members whose key path ends with these keys; `*` matches any key.
        case path([String])
        case expression(TextPattern)
    }

    /// The rule's name. For an expression it omits the pattern, which may contain the very data to remove.
    package let id: String
    /// The rule names listed in the new file's head. `secrets` covers everything that a recorder's rule `received`
    /// covers.
    var ids: [String] {
        switch form {
        case .secrets: [id, RedactionRule.received.rawValue]
        case .secret, .path, .expression: [id]
        }
    }
    private let form: Form

    /// An error for text that is not a valid rule.
    package struct Malformed: Error {
        /// The reason, in one sentence.
        package var message: String
    }

    /// The names of the rules for secrets.
    package static var names: [String] { ["secrets"] + SecretRule.allCases.map(\.rawValue) }

    /// Parses a rule: one of `names`, `path:resource.email`, or `regex:` and a regular expression in RE2 syntax.
    package init(parsing text: String) throws(Malformed) {
        if text == "secrets" {
            (id, form) = (text, .secrets)
        } else if let rule = SecretRule(rawValue: text) {
            (id, form) = (text, .secret(rule))
        } else if text.hasPrefix("path:") {
            let keys = text.dropFirst(5).split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard keys.allSatisfy({ !$0.isEmpty }) else { throw Malformed(message: "a path is keys with dots between") }
            (id, form) = (text, .path(keys))
        } else if text.hasPrefix("regex:") {
            do throws(TextPattern.Malformed) {
                (id, form) = ("regex", .expression(try TextPattern(String(text.dropFirst(6)))))
            } catch {
                throw Malformed(message: error.message)
            }
        } else {
            throw Malformed(message: "not one of \(Self.names.joined(separator: ", ")), path:KEYS and regex:PATTERN")
        }
    }

    /// Whether the rule selects secrets.
    var isOfSecrets: Bool {
        switch form {
        case .secret, .secrets: true
        case .path, .expression: false
        }
    }

    /// Whether a rule without any match is worth reporting. It is not for secrets, since a recording should have none.
    var isExpected: Bool { !isOfSecrets }

    /// Returns the path of the value if its last key is the rule's, but the keys before differ.
    func near(_ value: PayloadWalk.Value) -> String? {
        guard case .path(let path) = form, path.count > 1, path.last == value.keys.last else { return nil }
        return value.keys.suffix(path.count).joined(separator: ".")
    }

    /// Returns the values of members in text that is not JSON: in the query of a URL, in a form, and in truncated JSON,
    /// at any depth.
    private static func members(called key: [UInt8], in text: [UInt8]) -> [Range<Int>] {
        let quote = UInt8(ascii: "\""), backslash = UInt8(ascii: "\\")
        func end(of isPassed: (UInt8) -> Bool, from place: Int) -> Int {
            text[min(place, text.count)...].firstIndex { !isPassed($0) } ?? text.count
        }
        var found: [Range<Int>] = []
        var place = 0
        while place + key.count < text.count {
            let last = place + key.count
            guard text[place] == key[0], text[place..<last].elementsEqual(key) else {
                place += 1
                continue
            }
            let before = place == 0 ? UInt8(ascii: "&") : text[place - 1]
            place = last
            var start = last + 1
            if text[last] == UInt8(ascii: "="), "?&\"' ".utf8.contains(before) {
                place = end(of: { !"&#\"'\\ \n".utf8.contains($0) }, from: start)
            } else if before == quote {
                let close = end(of: { $0 == backslash }, from: last)
                guard close < text.count, text[close] == quote else { continue }
                let colon = end(of: { $0 <= UInt8(ascii: " ") }, from: close + 1)
                guard colon < text.count, text[colon] == UInt8(ascii: ":") else { continue }
                let value = end(of: { $0 <= UInt8(ascii: " ") }, from: colon + 1)
                start = end(of: { $0 == backslash }, from: value)
                guard start < text.count, text[start] == quote else {
                    place = end(of: { !",}] \n".utf8.contains($0) }, from: value)
                    if place > value { found.append(value..<place) }
                    continue
                }
                // A quote inside the value has more backslashes before it.
                let depth = start - value
                start += 1
                place = start
                while place < text.count {
                    let stop = end(of: { $0 == backslash }, from: place)
                    if stop < text.count, text[stop] == quote, stop - place <= depth { break }
                    place = min(stop + 1, text.count)
                }
            }
            if place > start { found.append(start..<place) }
        }
        return found
    }

    /// Returns the parts of a value to remove, as ranges of its UTF-8.
    func matches(in value: PayloadWalk.Value) -> [Range<Int>] {
        switch form {
        case .secret(let rule): return value.secrets.filter { $0.rule == rule }.map(\.range)
        case .secrets: return value.secrets.map(\.range)
        case .path(let path):
            if value.text.isEmpty { return [] }
            let keys = value.keys
            let isHere =
                keys.count >= path.count && zip(keys.suffix(path.count), path).allSatisfy { $1 == "*" || $0 == $1 }
            return isHere
                ? [0..<value.text.count] : Self.members(called: Array(path[path.count - 1].utf8), in: value.text)
        case .expression(let pattern): return pattern.matches(in: value.text)
        }
    }
}

/// How removed text is replaced.
package struct Replacement: Hashable, Sendable {
    /// The forms of a replacement.
    package enum Form: String, Hashable, Sendable, CaseIterable {
        /// The same text for all values.
        case fixed
        /// A hash, so that equal values stay equal.
        case hash
        /// Letters for letters and digits for digits, so that an address still looks like an address.
        case fake
    }
    /// The form of the replacement.
    package var form: Form
    /// Whether the replacement has the same length in bytes as the original.
    package var keepsLength: Bool
    package init(_ form: Form = .fixed, keepsLength: Bool = false) {
        self.form = form
        self.keepsLength = keepsLength
    }

    /// Returns the replacement of `text`. The salt belongs to the recording, so that hashes in different recordings
    /// cannot be compared.
    func replacement(of text: ArraySlice<UInt8>, salt: String) -> [UInt8] {
        switch form {
        case .fixed:
            return keepsLength
                ? [UInt8](repeating: UInt8(ascii: "x"), count: text.count) : Array(Redactor.replacement.utf8)
        case .hash:
            let digest = Array(Self.digest(of: text, salt).utf8)
            if !keepsLength { return Array("‹".utf8) + digest.prefix(16) + Array("›".utf8) }
            return text.indices.map { digest[($0 - text.startIndex) % digest.count] }
        case .fake:
            let digest = Array(Self.digest(of: text, salt).utf8).map { Int($0.hexValue ?? 0) }
            return text.indices.map { place in
                let at = (place - text.startIndex) * 2
                return Self.fake(text[place], digest[at % digest.count] * 16 + digest[(at + 1) % digest.count])
            }
        }
    }

    private static func digest(of text: ArraySlice<UInt8>, _ salt: String) -> String {
        let bytes = Array(salt.utf8) + [0] + text
        return SHA256Digest.of(bytes.span)
    }

    /// Returns a byte of the same class. Punctuation stays; bytes outside ASCII become letters.
    private static func fake(_ byte: UInt8, _ random: Int) -> UInt8 {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt8(ascii: "0") + UInt8(random % 10)
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt8(ascii: "A") + UInt8(random % 26)
        case UInt8(ascii: "a")...UInt8(ascii: "z"), 0x80...: UInt8(ascii: "a") + UInt8(random % 26)
        default: byte
        }
    }
}

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
