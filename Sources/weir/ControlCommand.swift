import Glibc
import JSONText
import Live
import Network

/// The command `weir ctl`: calls one method of a running tail or replay, and prints the result as JSON.
enum ControlCommand {
    static func run(_ options: ControlOptions) async -> ExitCode {
        do {
            let process = try RunningProcess.find(options.name)
            switch options.method {
            case .attach, .observe: return try follow(process, options)
            default:
                let result = try process.call(options.method, timeout: options.patience, options.parameters)
                return Console.print(text(result))
            }
        } catch {
            return Console.fail(error)
        }
    }

    /// Prints the lines after the answer until the stream ends.
    private static func follow(_ process: RunningProcess, _ options: ControlOptions) throws(CommandError) -> ExitCode {
        do throws(NetworkError) {
            let stream = try LocalSocketStream(path: process.path)
            try stream.send(RunningProcess.request(options.method, options.parameters))
            guard let first = try stream.readLine(timeout: options.patience) else {
                return Console.fail(CommandError("\(process.name) closed without an answer", .noConnection))
            }
            let result: JSONValue
            do throws(CommandError) {
                result = try process.result(first, of: options.method)
            } catch {
                return Console.fail(error)
            }
            if options.method == .observe, Console.print(text(result)) != .done { return .cannotWrite }
            while let line = try stream.readLine(timeout: nil) {
                guard Console.print(String(decoding: line, as: UTF8.self) + "\n") == .done else { return .cannotWrite }
                guard options.method == .observe, let value = try? JSONValue(parsing: line[...]) else { continue }
                if value["method"] == .string("ended") {
                    return value["params"]?["why"] == .string("timeout") ? .timeout : .done
                }
            }
            return .done
        } catch {
            throw process.unanswered(error)
        }
    }

    private static func text(_ value: JSONValue) -> String { value.raw.description + "\n" }
}
