import JSONText
import Live
import Recording
import Wire

/// `weir file grep`.
enum FileGrepCommand {
    static func run(_ arguments: Arguments, _ complaints: FileComplaints) throws -> ExitCode {
        let paths = arguments.positionals.dropFirst()
        let search = try search(arguments)
        let output = StandardOutput()
        var matches = 0
        for path in paths {
            let prefix = paths.count > 1 ? path + ":" : ""
            var found = 0
            if arguments.has(.countOnly) {
                found = try search.search(path, hearing: complaints.hear) { _ in }
                try output.write([StandardOutput.escaped(prefix + String(found))])
            } else {
                let isJSON = arguments.has(.json)
                found = try search.search(path, hearing: complaints.hear) { hit in
                    if hit.followsHole, !isJSON { try output.write(["--"]) }
                    let text = String(decoding: hit.text, as: UTF8.self)
                    try output.write([
                        isJSON
                            ? text : StandardOutput.escaped(prefix + line(hit, text, isRaw: arguments.has(.raw)))
                    ])
                }
            }
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

    /// Number, time of day, direction and text of a record.
    private static func line(_ hit: RecordingSearch.Hit, _ text: String, isRaw: Bool) -> String {
        let time = RecordingTime.text(hit.stamp.wall).dropFirst(11).prefix(12)
        var words = words(of: hit.record) ?? text
        if !isRaw { words = String(decoding: RawJSON.readable(Array(words.utf8)[...]), as: UTF8.self) }
        return "\(hit.stamp.n)\(hit.isMatch ? ":" : "-") \(time)  \(words)"
    }

    private static func words(of record: Record) -> String? {
        switch record {
        case .frame(let frame):
            let sign = frame.direction == .in ? "<" : ">"
            switch frame.message {
            case .text(let bytes): return "\(sign) \(String(decoding: bytes, as: UTF8.self))"
            case .binary(let bytes): return "\(sign) \(bytes.count) bytes"
            }
        case .http(let exchange):
            switch exchange.phase {
            case .request(let method, let url, let body):
                return "> \(method) \(url) \(String(decoding: body, as: UTF8.self))"
            case .response(let status, let body, _): return "< \(status) \(String(decoding: body, as: UTF8.self))"
            case .failure(let kind, let message): return "< \(kind): \(message)"
            }
        case .head, .connection, .subscription, .gap, .token, .action, .memory, .mark, .state, .clock, .note, .sync,
            .index, .end, .unknown:
            return nil
        }
    }
}
