import JSONText
import Live
import Recording
import Wire

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
