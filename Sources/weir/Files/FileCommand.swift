import Glibc
import WeirJSON
import WeirLive
import WeirPipeline
import WeirRecording
import WeirWire

/// The verbs of `weir file`.
enum FileCommand {
    /// Returns a function that runs a verb. It prints each problem of the input files, and ends normally when the
    /// reader of its output closes it.
    static func verb(_ body: @escaping @Sendable (Arguments, FileComplaints) throws -> ExitCode) -> Command.Run {
        { arguments throws(UsageError) in
            do {
                var arguments = arguments
                if let last = arguments.command.positionals.last, last.isFile, last.isRepeatable {
                    let named = arguments.positionals
                    arguments.positionals = try named.flatMap { try RemoteRecordings.segments(of: $0) }
                }
                let (read, files) = (arguments, arguments.positionals.filter { !$0.isEmpty })
                return try Progress.showing(files, prints: read.printsWhileReading) {
                    try body(read, FileComplaints())
                }
            } catch let error as UsageError {
                throw error
            } catch RecordingError.system(_, _, EPIPE), OutletError.closedByReader {
                return .done
            } catch {
                return Console.fail(error)
            }
        }
    }

    static func verb(_ body: @escaping @Sendable (Arguments) throws -> ExitCode) -> Command.Run {
        verb { arguments, _ in try body(arguments) }
    }

    static func repair(_ arguments: Arguments, _ complaints: FileComplaints) throws -> ExitCode {
        let path = arguments.positionals[0]
        let report = try RecordingRepair.repair(path, to: arguments.destination, hearing: complaints.hear)
        var words = ["\(report.kept) records kept"]
        if report.unreadable > 0 {
            words.append("\(report.unreadable) lines (\(report.unreadableBytes) bytes) cannot be read")
        }
        if report.missing > 0 { words.append("\(report.missing) records were missing") }
        if report.states > 0 { words.append("\(report.states) states of the model after the loss left out") }
        if !report.aside.isEmpty { words.append("unreadable parts saved in " + report.aside.joined(separator: ", ")) }
        Console.note("weir: \(path): " + words.joined(separator: "; "))
        return report.isLossy ? .loss : .done
    }

    static func index(_ arguments: Arguments, _ complaints: FileComplaints) throws -> ExitCode {
        _ = try RecordingCopy.index(arguments.positionals[0], to: arguments.destination, hearing: complaints.hear)
        return complaints.code
    }
}

extension FileCommand {
    static func cat(_ arguments: Arguments) throws -> ExitCode {
        let form = try arguments.printedForm()
        let settings = try arguments.lineSettings()
        var code = ExitCode.done
        for path in arguments.positionals {
            let printer = EventPrinter(
                form, colour: TerminalDevice.showsColour(1), width: nil, followsTerminal: true,
                settings: settings)
            let status = StatusPrinter(colour: TerminalDevice.showsColour(2), quiet: true)
            let summary = try Replay(path: path, outlets: [printer, status]).play()
            let ending = Ending(summary)
            if let words = ending.words { Console.note("weir: \(path): \(words)") }
            if ending.code != .done { code = ending.code }
        }
        return code
    }

    static func filter(_ arguments: Arguments, _ complaints: FileComplaints) throws -> ExitCode {
        var selection = RecordSelection()
        func criterion(_ included: Option, _ excluded: Option) -> RecordSelection.Criterion {
            .init(included: arguments.all(included), excluded: arguments.all(excluded))
        }
        selection.kinds = criterion(.kind, .notKind)
        selection.events = criterion(.event, .notEvent)
        selection.rooms = criterion(.room, .notRoom)
        selection.connections = criterion(.connection, .notConnection)
        selection.direction = try arguments.choice(.direction)
        selection.span = try arguments.span(of: arguments.positionals[0])
        let report = try RecordingCopy.filter(
            arguments.positionals[0], selection, to: arguments.destination, hearing: complaints.hear)
        Console.note("weir: \(report.written) records kept, \(report.leftOut) left out")
        return complaints.code
    }

    static func cut(_ arguments: Arguments, _ complaints: FileComplaints) throws -> ExitCode {
        let span = try arguments.span(of: arguments.positionals[0])
        guard span != RecordingSpan() else { throw arguments.error("--start or --end is missing") }
        let report = try RecordingCopy.cut(
            arguments.positionals[0], span, ripples: arguments.has(.ripple), to: arguments.destination,
            hearing: complaints.hear)
        Console.note("weir: \(report.written) records kept, \(report.leftOut) left out")
        return complaints.code
    }

    static func split(_ arguments: Arguments, _ complaints: FileComplaints) throws -> ExitCode {
        let rules = try arguments.splitRules()
        guard let rule = rules.first, rules.count == 1 else {
            throw arguments.error("one of --size, --every, --records, --marks and --connections is needed")
        }
        let path = arguments.positionals[0]
        let name = path.hasSuffix(".weir.jsonl") ? String(path.dropLast(11)) : path
        let result = try RecordingSplit.split(
            path, by: rule, to: arguments[.output] ?? name, replaces: arguments.has(.force), hearing: complaints.hear)
        for warning in result.report.warnings { Console.note("weir: \(warning)") }
        try StandardOutput().write(result.paths.map(StandardOutput.escaped))
        return complaints.code
    }

    static func merge(_ arguments: Arguments, _ complaints: FileComplaints) throws -> ExitCode {
        let paths = arguments.positionals
        guard paths.count <= RecordingMerge.mostFiles else {
            throw arguments.error("at most \(RecordingMerge.mostFiles) files can be merged at once")
        }
        guard !paths.contains("-") else { throw arguments.error("standard input cannot be merged") }
        _ = try RecordingMerge.merge(paths, to: arguments.destination, hearing: complaints.hear)
        return complaints.code
    }

    static func mark(_ arguments: Arguments, _ complaints: FileComplaints) throws -> ExitCode {
        let path = arguments.positionals[0]
        guard let label = arguments[.set] else {
            let output = StandardOutput()
            for mark in try RecordingMarks.list(path, hearing: complaints.hear) {
                let time = RecordingTime.text(mark.stamp.wall)
                try output.write([StandardOutput.escaped("\(mark.stamp.n)  \(time)  \(mark.label)")])
            }
            return complaints.code
        }
        guard let position = try arguments.filePosition(.at, in: path) else {
            throw arguments.error("--set needs --at POSITION")
        }
        let unreached = "the recording ends before --at: no mark added"
        let wish = RecordingMarks.Wish(label: label, at: position)
        guard path == "-" || arguments[.output] != nil else {
            guard try RecordingMarks.keep(wish, beside: path, hearing: complaints.hear) else {
                throw CommandError(unreached)
            }
            return complaints.code
        }
        let result = try RecordingMarks.add(
            [wish], to: path, writing: arguments.destination, hearing: complaints.hear)
        guard result.unset.isEmpty else { throw CommandError(unreached) }
        return complaints.code
    }
}

extension FileCommand {
    static func redact(_ arguments: Arguments, _ complaints: FileComplaints) throws -> ExitCode {
        let texts = arguments.all(.rule)
        guard !texts.isEmpty else { throw arguments.error("--rule RULE is missing") }
        var rules: [RedactionTarget] = []
        for text in texts {
            do throws(RedactionTarget.Malformed) {
                rules.append(try RedactionTarget(parsing: text))
            } catch {
                throw arguments.error("--rule: invalid rule \(UsageError.quoted(text)): \(error.message)")
            }
        }
        let form: Replacement.Form = try arguments.choice(.replace) ?? .fixed
        var redaction = RecordingRedaction(
            rules, replacement: Replacement(form, keepsLength: arguments.has(.keepLength)))
        let report = try redaction.redact(
            arguments.positionals[0], to: arguments.destination, hearing: complaints.hear)
        var words = "\(report.replacements) values replaced in \(report.changed) records"
        if report.binary > 0 { words += "; \(report.binary) binary messages were not searched" }
        Console.note("weir: " + words)
        for (rule, near) in report.unmet {
            let hint =
                near.isEmpty
                ? "write the keys as in the payload, such as path:email"
                : "similar: " + near.map { "path:" + $0 }.joined(separator: ", ")
            Console.note("weir: --rule \(rule) matches nothing" + (rule == "regex" ? "" : "; \(hint)"))
        }
        return report.unmet.isEmpty ? complaints.code : .loss
    }

    static func compress(_ arguments: Arguments) throws -> ExitCode {
        let path = arguments.positionals[0]
        if arguments.has(.decompress) {
            try RecordingCopy.text(of: path, to: arguments.destination)
            return .done
        }
        guard path != "-" || arguments[.output] != nil else { throw arguments.error("--output FILE is missing") }
        let target = ToolDestination(path: arguments[.output] ?? path + ".zst", replaces: arguments.has(.force))
        let result = try RecordingCopy.compress(path, to: target)
        Console.note("weir: compressed \(result.text) bytes to \(result.compressed) bytes")
        return .done
    }
}

/// Prints the problems of the input files on standard error.
final class FileComplaints {
    private(set) var count = 0

    /// The listener that the tools report problems to.
    var hear: ProblemListener {
        { [self] path, problem in
            count += 1
            Console.note("weir: \(path): \(problem.description)")
        }
    }

    /// The exit code of the command: `.loss` if the tools reported a problem.
    var code: ExitCode { count > 0 ? .loss : .done }
}

extension Arguments {
    /// Whether the command prints before it has read everything.
    fileprivate var printsWhileReading: Bool {
        ![.fileInfo, .fileDoctor, .fileDiff, .filePublish].contains(command) && self[.output] == nil
    }

    /// The destination of the tool's output.
    var destination: ToolDestination { ToolDestination(path: self[.output], replaces: has(.force)) }

    /// The requested ways to split.
    func splitRules() throws(UsageError) -> [RecordingSplit.Rule] {
        var rules: [RecordingSplit.Rule] = []
        if let text = self[.size] {
            guard let size = RecordingOptions.size(text) else {
                throw error("--size: invalid size \(UsageError.quoted(text)); write it like 64K, 100M or 2G")
            }
            rules.append(.bytes(size))
        }
        if let span = try duration(.every) { rules.append(.time(span)) }
        if let count = try count(.records) { rules.append(.records(count)) }
        if has(.marks) { rules.append(.marks) }
        if has(.connections) { rules.append(.connections) }
        return rules
    }

    /// Returns the part of a recording between `--start` and `--end`.
    func span(of path: String) throws -> RecordingSpan {
        RecordingSpan(start: try filePosition(.start, in: path), end: try filePosition(.end, in: path))
    }

    /// Returns a position in a recording. A mark must exist.
    func filePosition(_ option: Option, in path: String) throws -> RecordingPosition? {
        let position = try filePosition(option)
        guard case .mark(let label)? = position, path != "-" else { return position }
        let labels = try RecordingMarks.list(path).map(\.label)
        guard labels.contains(label) else {
            throw CommandError("\(option.flag): \(MarkFile.absence(of: label, among: labels))")
        }
        return try position.map(MarkFile(beside: path).resolved)
    }

    /// Returns a position without checking that a mark exists.
    func filePosition(_ option: Option) throws(UsageError) -> RecordingPosition? {
        guard let text = self[option] else { return nil }
        guard let position = RecordingPosition(parsing: text) else {
            throw error(
                "\(option.flag): invalid position \(UsageError.quoted(text)); write it like +90s, n:812, mark:NAME or "
                    + "2026-01-02T03:04:05Z")
        }
        return position
    }
}

/// The command `weir file convert`.
enum FileConvertCommand {
    /// The formats that a file is converted to.
    private enum Target: String, CaseIterable {
        case weir, har, cloudevents, lines, asciicast
    }

    /// The formats that a file is converted from.
    private enum Origin: String, CaseIterable {
        case weir, har, cloudevents, lines
    }

    static func run(_ arguments: Arguments, _ complaints: FileComplaints) throws -> ExitCode {
        guard let target: Target = try arguments.choice(.to) else { throw arguments.error("--to FORMAT is missing") }
        let path = arguments.positionals[0]
        switch (try origin(arguments, path), target) {
        case (let format?, .weir):
            let backend: Configuration.BackendKind = try arguments.choice(.backend) ?? .socketio
            let report = try RecordingConversion.import(
                path, from: format, to: arguments.destination,
                ImportOptions(backend: backend, namespace: try arguments.namespaces[0], tool: Help.version),
                hearing: complaints.hear)
            Console.note("weir: \(report.written) records written")
        case (.some, _): throw arguments.error("convert it to a recording first: --to weir")
        case (nil, .weir): throw arguments.error("the file is already an event file")
        case (nil, .asciicast): try asciicast(path, arguments)
        case (nil, .har): try export(path, .har, arguments, complaints)
        case (nil, .cloudevents): try export(path, .cloudevents, arguments, complaints)
        case (nil, .lines): try export(path, .lines, arguments, complaints)
        }
        return complaints.code
    }

    /// Returns the format of the file: the value of `--from`, otherwise by its first bytes; `nil` for an event file.
    private static func origin(_ arguments: Arguments, _ path: String) throws -> ForeignFormat? {
        guard let origin: Origin = try arguments.choice(.from) else {
            // Detecting the format would consume the beginning of standard input.
            return path == "-" ? nil : try ForeignFormat.sniff(path)
        }
        switch origin {
        case .weir: return nil
        case .har: return .har
        case .cloudevents: return .cloudevents
        case .lines: return .lines
        }
    }

    private static func export(
        _ path: String, _ format: ForeignFormat, _ arguments: Arguments, _ complaints: FileComplaints
    ) throws {
        let report = try RecordingConversion.export(
            path, as: format, to: arguments.destination, tool: Help.version, hearing: complaints.hear)
        let noun = format == .cloudevents ? "events" : "messages"
        Console.note("weir: \(report.written) \(noun) written")
    }

    private static func asciicast(_ path: String, _ arguments: Arguments) throws {
        try ToolFile.write(arguments.destination) { write in try Asciicast.export(path, write: write) }
    }
}

/// `weir file report`: writes an HTML report of a recording.
enum FileReportCommand {
    static func run(_ arguments: Arguments) throws -> ExitCode {
        let paths = arguments.positionals
        let plan = ReportPlan(destination: arguments.destination, facts: try ReportFacts(recordings: paths))
        try plan.check()
        let collected = ReportCollector()
        let status = StatusPrinter(colour: TerminalDevice.showsColour(2), quiet: true)
        let summary = try Replay(ReplayConfiguration(paths), outlets: [collected, status]).play()
        try plan.write(collected, summary)
        let ending = Ending(summary)
        if let words = ending.words { Console.note("weir: \(words)") }
        return ending.code
    }
}
