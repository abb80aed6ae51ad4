import WeirJSON
import WeirLive
import WeirRecording
import WeirTerminal
import WeirWire

/// The command `weir file info`.
enum FileInfoCommand {
    static func run(_ arguments: Arguments, _ complaints: FileComplaints) throws -> ExitCode {
        let output = StandardOutput()
        for (place, path) in arguments.positionals.enumerated() {
            let overview = try RecordingOverview(reading: path, hearing: complaints.hear)
            if arguments.has(.json) {
                try output.write([json(path, overview)])
            } else {
                try output.write((place > 0 ? [""] : []) + lines(path, overview).map(StandardOutput.escaped))
            }
        }
        return complaints.code
    }

    private static func lines(_ path: String, _ overview: RecordingOverview) -> [String] {
        let head = overview.head
        var lines: [String] = []
        func add(_ name: String, _ value: String?) {
            guard let value, !value.isEmpty else { return }
            lines.append(name + String(repeating: " ", count: max(1, 12 - name.count)) + value)
        }
        func add(_ name: String, _ values: [String]) {
            for (place, value) in values.enumerated() { add(place == 0 ? name : "", value) }
        }
        add("file", path)
        add("title", head.title)
        add("tags", head.tags.joined(separator: ", "))
        add("filter", head.filter.map { "only events that match: " + $0 })
        add("recording", "\(head.recording), segment \(head.segment)")
        add("written by", "\(head.tool), format \(head.major).\(head.minor)")
        add("from", wall(overview.firstWall))
        add("to", "\(wall(overview.lastWall)), \(seconds(overview))")
        add("redacted", redactions(head))
        add("size", size(overview))
        add("numbers", overview.firstNumber.map { "\($0) to \(overview.lastNumber)" })
        add("records", list(overview.kinds, most: 20))
        add("messages", "\(overview.received) received, \(overview.sent) sent, \(overview.payloadBytes) bytes")
        add("events", list(overview.events, most: 12))
        add("rate", overview.rate.map { fixed($0) + " events/s" })
        add("connections", String(overview.connections))
        add("rooms", list(overview.rooms, most: 8))
        add("gaps", list(overview.gaps, most: 8))
        add("lost", overview.lost > 0 ? "\(overview.lost) events" : nil)
        add(
            "marks",
            overview.marks.prefix(12).map { "\($0.label) at \(fixed(Double($0.time.microseconds) / 1e6)) s" })
        add("chunks", "\(overview.chunks), \(overview.isIndexed ? "indexed" : "no index")")
        add("end", overview.end.map { $0.rawValue } ?? "none: not closed, or still being written")
        add("problems", overview.problems == 0 ? nil : String(overview.problems))
        return lines
    }

    /// Returns the applied redaction rules, and whether data from the server was searched.
    private static func redactions(_ head: Record.Head) -> String {
        let rules = head.redactions.isEmpty ? "nothing" : head.redactions.joined(separator: ", ")
        let isScrubbed = head.redactions.contains(RedactionRule.received.rawValue)
        return isScrubbed ? rules : rules + "; secrets sent by the server are not redacted"
    }

    private static func size(_ overview: RecordingOverview) -> String {
        let text = "\(overview.lines) lines, \(overview.bytes) bytes"
        guard let stored = overview.storedBytes, stored != overview.bytes else { return text }
        return text + ", \(stored) stored"
    }

    /// Returns a line for each count, with the numbers right-aligned.
    private static func list(_ counts: [Record.Count], most: Int) -> [String] {
        let width = counts.prefix(most).map { String($0.count).count }.max() ?? 0
        let shown = counts.prefix(most).map {
            String(repeating: " ", count: width - String($0.count).count) + "\($0.count) \($0.name)"
        }
        return counts.count > most ? shown + ["… \(counts.count - most) more"] : shown
    }

    private static func wall(_ microseconds: Int64) -> String { RecordingTime.text(microseconds) }

    private static func seconds(_ overview: RecordingOverview) -> String {
        let span = overview.lastTime.microseconds - (overview.firstTime ?? overview.lastTime).microseconds
        return fixed(Double(span) / 1e6) + " s"
    }

    /// Returns a number with three decimals.
    private static func fixed(_ value: Double) -> String {
        let thousandths = Int64(min(max(value * 1000, 0), 1e15).rounded())
        let decimals = String(thousandths % 1000)
        return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - decimals.count) + decimals
    }

    private static func json(_ path: String, _ overview: RecordingOverview) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        func text(_ key: StaticString, _ value: String?) {
            guard let value else { return }
            writer.key(key)
            writer.string(value)
        }
        func integer(_ key: StaticString, _ value: Int?) {
            guard let value else { return }
            writer.key(key)
            writer.integer(value)
        }
        func counts(_ key: StaticString, _ counts: [Record.Count]) {
            writer.key(key)
            writer.beginObject()
            for entry in counts {
                writer.key(entry.name)
                writer.integer(entry.count)
            }
            writer.endObject()
        }
        let head = overview.head
        text("file", path)
        text("rec", head.recording)
        integer("seg", head.segment)
        text("title", head.title)
        text("tool", head.tool)
        text("from", wall(overview.firstWall))
        text("to", wall(overview.lastWall))
        integer("t0", overview.firstTime.map { Int($0.microseconds) })
        integer("t1", Int(overview.lastTime.microseconds))
        integer("n0", overview.firstNumber)
        integer("n1", overview.lastNumber)
        integer("stored", overview.storedBytes)
        integer("bytes", overview.bytes)
        integer("lines", overview.lines)
        integer("received", overview.received)
        integer("sent", overview.sent)
        integer("payload_bytes", overview.payloadBytes)
        integer("connections", overview.connections)
        integer("lost", overview.lost)
        integer("chunks", overview.chunks)
        counts("kinds", overview.kinds)
        counts("events", overview.events)
        counts("rooms", overview.rooms)
        counts("gaps", overview.gaps)
        writer.member("redact", names: head.redactions)
        writer.key("marks")
        writer.beginArray()
        for mark in overview.marks {
            writer.beginObject()
            text("label", mark.label)
            integer("t", Int(mark.time.microseconds))
            writer.endObject()
        }
        writer.endArray()
        writer.member("indexed", overview.isIndexed)
        text("end", overview.end?.rawValue)
        integer("problems", overview.problems)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// The command `weir file doctor`.
enum FileDoctorCommand {
    static func run(_ arguments: Arguments) throws -> ExitCode {
        let isJSON = arguments.has(.json)
        var doctor = RecordingDoctor(looksForSecrets: arguments.has(.secrets))
        let output = StandardOutput()
        var problems = 0
        for path in arguments.positionals {
            var lines: [String] = []
            let report = try doctor.examine(path) { path, problem in
                lines.append(isJSON ? json(path, problem) : StandardOutput.escaped("\(path): \(problem.description)"))
            }
            problems += report.problems
            if report.problems == 0, !isJSON {
                let words =
                    "\(report.records) records, no problems"
                    + (report.goesOn ? "; the recording continues in another file" : "")
                lines.append(StandardOutput.escaped("\(path): \(words)"))
            }
            try output.write(lines)
        }
        return problems > 0 ? .loss : .done
    }

    private static func json(_ path: String, _ problem: FileProblem) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("file", path)
        writer.member("kind", problem.kind.rawValue)
        writer.member("line", problem.line)
        writer.member("offset", problem.offset)
        writer.member("bytes", problem.bytes)
        writer.member("lost", problem.lost)
        writer.member("message", problem.message)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// The command `weir file grep`.
enum FileGrepCommand {
    static func run(_ arguments: Arguments, _ complaints: FileComplaints) throws -> ExitCode {
        let paths = arguments.positionals.dropFirst()
        let search = try search(arguments)
        let output = StandardOutput()
        let theme = TerminalDevice.theme(of: 1)
        var matches = 0
        for path in paths {
            let prefix = paths.count > 1 ? path + ":" : ""
            let isQuiet = arguments.has(.countOnly) || arguments.has(.filesWithMatches)
            let found = try search.search(path, hearing: complaints.hear) { hit in
                if isQuiet { return }
                if arguments.has(.json) { return try output.write([String(decoding: hit.text, as: UTF8.self)]) }
                if arguments.has(.onlyMatching) {
                    for match in hit.matches {
                        try output.write([StandardOutput.escaped(prefix + text(hit.shown[match]))])
                    }
                    return
                }
                if hit.followsHole { try output.write(["--"]) }
                try output.write([line(hit, prefix, theme, isWhole: arguments.has(.raw))])
            }
            if arguments.has(.countOnly) { try output.write([StandardOutput.escaped(prefix + String(found))]) }
            if arguments.has(.filesWithMatches), found > 0 { try output.write([StandardOutput.escaped(path)]) }
            matches += found
        }
        if complaints.count > 0 { return .loss }
        return matches > 0 ? .done : .runtimeError
    }

    private static func search(_ arguments: Arguments) throws(UsageError) -> RecordingSearch {
        let text = arguments.positionals[0]
        let pattern: TextPattern
        do throws(TextPattern.Malformed) {
            pattern = try TextPattern(
                text, isFixed: arguments.has(.fixedStrings), ignoresCase: arguments.has(.ignoreCase))
        } catch {
            throw arguments.error("invalid regular expression \(UsageError.quoted(text)): \(error.message)")
        }
        let context = try arguments.count(.context, in: 0...10_000)
        return RecordingSearch(
            pattern, isInverted: arguments.has(.invertMatch), isRaw: arguments.has(.raw),
            before: try arguments.count(.before, in: 0...10_000) ?? context ?? 0,
            after: try arguments.count(.after, in: 0...10_000) ?? context ?? 0, around: try arguments.duration(.around))
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    /// The number of bytes shown of a long text before its first match, and in total.
    private static let (lead, most) = (40, 160)

    /// Returns the number, the time of day, the direction and the text of a record. A long text is shortened to the
    /// part around the matches.
    private static func line(_ hit: RecordingSearch.Hit, _ prefix: String, _ theme: TerminalTheme?, isWhole: Bool)
        -> String
    {
        var buffer = TerminalBuffer(theme)
        let time = RecordingTime.text(hit.stamp.wall).dropFirst(11).prefix(12)
        buffer.append("\(prefix)\(hit.stamp.n)\(hit.isMatch ? ":" : "-") \(time)  ", .faint)
        buffer.append(sign(of: hit.record))
        if case .frame(let frame) = hit.record, case .binary(let bytes) = frame.message {
            buffer.append("\(bytes.count) bytes")
            return text(buffer.bytes[...])
        }
        func boundary(_ place: Int) -> Int {
            var place = min(max(place, 0), hit.shown.count)
            while place > 0, place < hit.shown.count, hit.shown[place] & 0xC0 == 0x80 { place -= 1 }
            return place
        }
        let isShort = isWhole || hit.shown.count <= most
        let start = isShort ? 0 : boundary((hit.matches.first?.lowerBound ?? 0) - lead)
        let end = isShort ? hit.shown.count : boundary(start + most)
        if start > 0 { buffer.append("…") }
        var place = start
        for match in hit.matches where match.lowerBound < end {
            buffer.append(text(hit.shown[place..<match.lowerBound]))
            place = min(match.upperBound, end)
            buffer.append(text(hit.shown[match.lowerBound..<place]), .bad)
        }
        buffer.append(text(hit.shown[place..<end]))
        if end < hit.shown.count { buffer.append("… (\(hit.shown.count) bytes)") }
        return text(buffer.bytes[...])
    }

    private static func sign(of record: Record) -> String {
        switch record {
        case .frame(let frame): frame.direction == .in ? "< " : "> "
        case .http(let exchange):
            switch exchange.phase {
            case .request: "> "
            case .response(let status, _, _): "< \(status) "
            case .failure: "< "
            }
        case .head, .connection, .subscription, .gap, .token, .action, .memory, .mark, .state, .clock, .note, .sync,
            .index, .end, .unknown:
            ""
        }
    }
}

/// The command `weir file diff`.
enum FileDiffCommand {
    static func run(_ arguments: Arguments) throws -> ExitCode {
        let diff = try ReplayDiff(arguments.positionals[0], arguments.positionals[1])
        let output = StandardOutput()
        if arguments.has(.json) {
            try output.write([json(diff)])
        } else {
            try output.write(lines(diff).map(StandardOutput.escaped))
        }
        return diff.modelsDiffer == nil ? .done : .mismatch
    }

    private static func lines(_ diff: ReplayDiff) -> [String] {
        var lines: [String] = []
        if let number = diff.recordsDiffer { lines.append("records differ from record \(number) on") }
        guard let (number, stamp) = diff.modelsDiffer else {
            return lines + ["the models are the same after each of \(diff.records) records"]
        }
        lines.append("models differ after record \(number), at \(RecordingTime.text(stamp.wall))")
        var section = ""
        for row in diff.rows {
            if row.section != section { lines.append("  " + row.section) }
            section = row.section
            lines.append("    \(words(of: row.difference))  \(row.id)\(row.label.map { "  “\($0)”" } ?? "")")
        }
        if diff.rowCount > diff.rows.count { lines.append("  … \(diff.rowCount - diff.rows.count) more rows") }
        return lines
    }

    private static func words(of difference: ReplayDiff.Row.Difference) -> String {
        switch difference {
        case .onlyInFirst: "< only in the first"
        case .onlyInSecond: "> only in the second"
        case .changed(let fields): "~ " + fields.joined(separator: ", ")
        case .moved(let first, let second): "→ \(first) in the first, \(second) in the second"
        }
    }

    private static func json(_ diff: ReplayDiff) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("records", diff.records)
        writer.member("records_differ", orNull: diff.recordsDiffer)
        writer.member("models_differ", orNull: diff.modelsDiffer?.number)
        writer.key("rows")
        writer.beginArray()
        for row in diff.rows {
            writer.beginObject()
            writer.member("section", row.section)
            writer.member("id", row.id)
            writer.key("op")
            switch row.difference {
            case .onlyInFirst: writer.string("first")
            case .onlyInSecond: writer.string("second")
            case .moved: writer.string("moved")
            case .changed(let fields):
                writer.string("changed")
                writer.member("fields", names: fields)
            }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
