import Glibc
import Live

/// The program: from arguments to an exit code.
enum Weir {
    /// Runs the command the arguments name.
    static func run(_ arguments: [String]) async -> ExitCode {
        // A reader that goes away is told by EPIPE, a normal end.
        signal(SIGPIPE, SIG_IGN)
        do {
            guard let first = arguments.first else { throw UsageError("a command is missing") }
            switch first {
            case "--version", "-V": return Console.print(Help.version + "\n")
            case "--help", "-h": return Console.print(Help.overview)
            default: break
            }
            guard let command = CommandName(rawValue: first) else { throw unknown(first) }
            let parsed = try Arguments(parsing: Array(arguments.dropFirst()), for: command)
            if parsed.wantsHelp { return Console.print(Help.text(of: command)) }
            return try await run(command, parsed)
        } catch let error as UsageError {
            return Console.refuse(error)
        } catch {
            return Console.fail(error)
        }
    }

    private static func run(_ command: CommandName, _ arguments: Arguments) async throws(UsageError) -> ExitCode {
        switch command {
        case .help: return try help(arguments)
        case .demo: return await DemoCommand.run(try DemoOptions(arguments))
        case .serve: return await ServeCommand.run(try ServeOptions(arguments))
        case .tail, .record: return await TailCommand.run(try TailOptions(arguments))
        case .replay: return await ReplayCommand.run(try ReplayOptions(arguments))
        case .send, .edit, .react, .delete, .read, .channel, .workspace:
            return await ActionCommand.run(try ActionOptions(arguments))
        case .login: return await AccountCommand.login(try LoginOptions(arguments))
        case .logout: return await AccountCommand.logout(try AccountOptions(arguments))
        case .whoami: return await AccountCommand.whoami(try AccountOptions(arguments))
        case .rooms: return await RoomsCommand.run(try RoomsOptions(arguments))
        }
    }

    private static func help(_ arguments: Arguments) throws(UsageError) -> ExitCode {
        guard let name = arguments.positionals.first else { return Console.print(Help.overview) }
        guard let command = CommandName(rawValue: name) else { throw unknown(name) }
        return Console.print(Help.text(of: command))
    }

    private static func unknown(_ name: String) -> UsageError {
        let kind = name.hasPrefix("-") ? "option" : "command"
        let candidates = CommandName.allCases.map(\.rawValue) + ["--version", "--help"]
        return UsageError(
            "unknown \(kind) \(UsageError.quoted(name))" + Suggestion.phrase(for: name, among: candidates))
    }
}
