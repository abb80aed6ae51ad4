import Live
import Recording
import Terminal
import Wire

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
