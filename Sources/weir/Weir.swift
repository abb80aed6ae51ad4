import Glibc
import Live

/// The program: from arguments to an exit code.
enum Weir {
    /// Runs the command the arguments name.
    static func run(_ arguments: [String]) async -> ExitCode {
        holdClosedDescriptors()
        // A reader that goes away is told by EPIPE, a normal end.
        signal(SIGPIPE, SIG_IGN)
        // A file that may not grow any more is told by EFBIG, as a full disk is.
        signal(SIGXFSZ, SIG_IGN)
        do throws(UsageError) {
            switch arguments.first {
            case "--version", "-V": return Console.print(Help.version + "\n")
            case "--help", "-h": return Console.print(Help.overview)
            case "complete": return CompletionCommand.complete(Array(arguments.dropFirst()))
            default: break
            }
            var words = arguments[...]
            let command = try CommandName.take(&words)
            var parsed = try Arguments(parsing: Array(words), for: command)
            if parsed.wantsHelp { return Console.print(Help.text(of: command)) }
            if parsed.has(.schema) { return Console.print(EnvelopeSchema.text) }
            try parsed.settle(try Settings.read(for: parsed))
            TerminalDevice.choose(try parsed.choice(.color) ?? .auto)
            if parsed.has(.explainFilter) { return Console.print(try FilterOptions(parsed).explanation) }
            return try await run(command, parsed)
        } catch {
            return Console.refuse(error)
        }
    }

    /// A standard descriptor that the caller has closed must not become a socket or a file of ours, which would be given what is printed. Each is
    /// opened for what it is not used for: using it fails as if it were closed.
    private static func holdClosedDescriptors() {
        for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest that is free is given.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    private static func run(_ command: CommandName, _ arguments: Arguments) async throws(UsageError) -> ExitCode {
        switch command {
        case .help: return try help(arguments)
        case .demo: return await DemoCommand.run(try DemoOptions(arguments))
        case .serve: return await ServeCommand.run(try ServeOptions(arguments))
        case .tail, .record: return await TailCommand.run(try TailOptions(arguments))
        case .watch: return await WatchCommand.run(try WatchOptions(arguments))
        case .replay: return await ReplayCommand.run(try ReplayOptions(arguments))
        case .send, .edit, .react, .delete, .read, .channel, .workspace:
            return await ActionCommand.run(try ActionOptions(arguments))
        case .download: return await DownloadCommand.run(try DownloadOptions(arguments))
        case .login: return await AccountCommand.login(try LoginOptions(arguments))
        case .logout: return await AccountCommand.logout(try AccountOptions(arguments))
        case .whoami: return await AccountCommand.whoami(try AccountOptions(arguments))
        case .ctx: return Console.print(Help.text(of: command))
        case .ctxAdd, .ctxEdit, .ctxCopy, .ctxRename, .ctxRemove, .ctxList, .ctxUse, .ctxUnuse, .ctxPrevious, .ctxShow,
            .ctxCheck:
            return try await ContextCommand.run(arguments)
        case .completion: return try CompletionCommand.run(arguments)
        case .man: return try ManualCommand.man(arguments)
        case .cheat: return try ManualCommand.cheat(arguments)
        case .explain: return try ExplainCommand.run(arguments)
        case .config: return Console.print(Help.text(of: command))
        case .configShow, .configPath, .configCheck: return try ConfigCommand.run(arguments)
        case .file: return Console.print(Help.text(of: command))
        case .fileInfo, .fileDoctor, .fileRepair, .fileIndex, .fileCat, .fileGrep, .fileFilter, .fileCut, .fileMerge,
            .fileSplit, .fileMark, .fileRedact, .fileCompress, .fileConvert, .fileDiff:
            return try FileCommand.run(arguments)
        case .ps: return ProcessesCommand.run(arguments)
        case .attach: return try await AttachCommand.run(arguments)
        case .emit: return await EmitCommand.run(try EmitOptions(arguments))
        case .ctl: return await ControlCommand.run(try ControlOptions(arguments))
        case .rooms: return Console.print(Help.text(of: command))
        case .roomsLs, .roomsResolve, .roomsJoin, .roomsLeave, .roomsOnly, .roomsReset, .roomsSelect, .roomsPin,
            .roomsUnpin, .roomsMute, .roomsUnmute, .roomsSet, .roomsWho, .roomsHistory:
            return RoomsCommand.run(try RoomsOptions(arguments))
        case .roomsWatch: return await RoomsWatch.run(try RoomsOptions(arguments))
        }
    }

    private static func help(_ arguments: Arguments) throws(UsageError) -> ExitCode {
        guard !arguments.positionals.isEmpty else { return Console.print(Help.overview) }
        return Console.print(Help.text(of: try arguments.namedCommand()))
    }
}
