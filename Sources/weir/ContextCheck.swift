import JSONText
import Live
import Terminal

/// The command `weir ctx check`. It prints a line for each step of the connection to the server.
enum ContextCheck {
    static func run(_ context: Context, _ arguments: Arguments) async throws(UsageError) -> ExitCode {
        var tail = Arguments(for: .tail)
        var settings = try Settings.read(for: arguments, command: .tail)
        settings.context = context
        try tail.settle(settings)
        let options = try TailOptions(tail)
        let configuration: TailConfiguration
        do { configuration = try TailCommand.configuration(options) } catch { return Console.fail(error) }
        var code = ExitCode.done
        let isJSON = arguments.has(.json)
        await ServerCheck.run(configuration, wallClock: { WallTime.milliseconds }) { result in
            if case .failed(let failure, _) = result.outcome, code == .done { code = Self.code(of: failure) }
            let printed = Console.print(isJSON ? json(result) : line(result))
            if code == .done { code = printed }
        }
        return code
    }

    private static func code(of failure: ServerCheck.Failure) -> ExitCode {
        switch failure {
        case .unreachable: .noConnection
        case .refused: .refused
        case .late: .timeout
        case .clock: .runtimeError
        }
    }

    private static func line(_ result: ServerCheck.Result) -> String {
        var buffer = TerminalBuffer(TerminalDevice.theme(of: 1))
        let (word, style, words, isTimed): (String, TerminalStyle, String, Bool) =
            switch result.outcome {
            case .passed(let words): ("pass", .good, words, true)
            case .failed(_, let words): ("FAIL", .bad, words, true)
            case .skipped(let words): ("skip", .faint, words, false)
            }
        buffer.append(word, style)
        let name = result.step.rawValue
        buffer.append("  " + name + String(repeating: " ", count: max(0, 16 - name.count)))
        let time = isTimed ? "\(milliseconds(result.duration)) ms" : ""
        buffer.append(String(repeating: " ", count: max(0, 9 - time.count)) + time + "  ", .faint)
        buffer.append(words)
        buffer.endLine()
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    private static func milliseconds(_ duration: Duration) -> Int64 { max(0, Int64(duration / .milliseconds(1))) }

    private static func json(_ result: ServerCheck.Result) -> String {
        let (outcome, why, words) =
            switch result.outcome {
            case .passed(let words): ("pass", JSONValue.null, words)
            case .failed(let failure, let words): ("fail", JSONValue.string(failure.rawValue), words)
            case .skipped(let words): ("skip", JSONValue.null, words)
            }
        let value = JSONValue.fields([
            "step": .string(result.step.rawValue), "outcome": .string(outcome), "failure": why,
            "ms": .integer(milliseconds(result.duration)), "detail": .string(words),
        ])
        return value.raw.description + "\n"
    }
}
