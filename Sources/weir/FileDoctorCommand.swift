import JSONText
import Recording

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
