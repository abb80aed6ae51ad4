import Glibc
import Live
import Pipeline
import Recording

/// The destination of a run's HTML report, and the facts that its reports do not contain.
struct ReportPlan {
    var destination: ToolDestination
    var facts: ReportFacts

    /// Writes the HTML report of a run that has ended.
    func write(_ collected: ReportCollector, _ summary: TailSummary) throws {
        try ToolFile.write(destination) { write in try write(collected.page(facts, summary)) }
    }

    /// Throws an error if the file exists and must not be replaced, so that the run does not fail at its end.
    func check() throws(OutletError) {
        guard let path = destination.path, path != "-", !destination.replaces, access(path, F_OK) == 0 else { return }
        throw .system(operation: "create", path: path, code: EEXIST)
    }
}

extension ReportFacts {
    /// Creates the facts of a run against a server.
    init(server: String, backend: String, recording: String?) {
        self.init(title: "Weir report: \(server)", tool: Help.version)
        rows = [("server", server), ("backend", backend)]
        if let recording {
            rows.append(("recording", recording))
            if recording != "-" { allEvents = Self.command(printing: [recording]) }
        }
    }

    /// Creates the facts of recordings, from the head of the first one.
    init(recordings paths: [String]) throws(RecordingError) {
        self.init(title: "Weir report: \(paths.joined(separator: ", "))", tool: Help.version)
        allEvents = Self.command(printing: paths)
        guard let path = paths.first, path != "-" else { return }
        var reader = try RecordingReader(opening: path)
        let head = reader.head
        if let title = head.title { self.title = title }
        let configuration = try? Configuration(of: head, in: path)
        for (name, value) in [
            ("recording", paths.joined(separator: ", ")), ("server", try Self.server(&reader)),
            ("backend", configuration?.backend.rawValue), ("context", head.context),
            ("tags", head.tags.isEmpty ? nil : head.tags.joined(separator: ", ")),
            ("filter", head.filter.map { "only events that are: " + $0 }), ("written by", head.tool),
            ("id", head.recording),
            ("redacted", head.redactions.isEmpty ? "nothing" : head.redactions.joined(separator: ", ")),
        ] {
            if let value { rows.append((name, value)) }
        }
    }

    /// Returns the address of the recording's first connection, without its query.
    private static func server(_ reader: inout RecordingReader) throws(RecordingError) -> String? {
        for _ in 0..<64 {
            guard let entry = try reader.next() else { return nil }
            if case .record(.connection(let change), _) = entry, let url = change.url {
                return String(url.prefix { $0 != "?" })
            }
        }
        return nil
    }

    private static func command(printing paths: [String]) -> String {
        "weir replay --speed max --events-only " + paths.map(Self.quoted).joined(separator: " ")
    }

    /// Quotes a word for the shell if necessary.
    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "_"),
                UInt8(ascii: "-"), UInt8(ascii: ":"):
                true
            default: false
            }
        }
        return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
    }
}
