import Glibc
import Live
import Pipeline
import Recording

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
