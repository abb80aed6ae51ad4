import CWeirBuild
import CWeirMimalloc
import Glibc
import WeirLive
import WeirNetwork
import WeirRecording
import WeirStore
import WeirWire
import WeirYAML

/// The program, from its arguments to its exit code.
enum Weir {
    /// Runs the command that the arguments name.
    static func run(_ arguments: [String]) async -> ExitCode {
        holdClosedDescriptors()
        // A reader that closed the output causes EPIPE, which is a normal end.
        signal(SIGPIPE, SIG_IGN)
        // A file that reached its size limit causes EFBIG, which is handled like a full disk.
        signal(SIGXFSZ, SIG_IGN)
        do throws(UsageError) {
            switch arguments.first {
            case "--version", "-V": return Console.print(VersionText.text)
            case "--help", "-h": return Pager.show(Help.overview)
            case "complete": return CompletionCommand.complete(Array(arguments.dropFirst()))
            default: break
            }
            var words = arguments[...]
            var command = try Command.take(&words)
            var parsed = try Arguments(parsing: Array(words), for: command)
            if parsed.wantsHelp { return Pager.show(Help.text(of: command)) }
            if parsed.has(.schema) { return Console.print(EnvelopeSchema.text) }
            let choice = try ServerChoice.settle(command, Array(words), parsed)
            if choice.words.count > words.count {
                command = choice.command
                parsed = try Arguments(parsing: choice.words, for: command)
            }
            try parsed.settle(try Settings.read(for: parsed))
            TerminalDevice.choose(try parsed.choice(.color) ?? .auto, try parsed.theme())
            if parsed.has(.explainFilter) { return Console.print(try FilterOptions(parsed).explanation) }
            StreamCommand.open(parsed)
            return try await command.run?(parsed) ?? Console.print(Help.text(of: command))
        } catch {
            return Console.refuse(error)
        }
    }

    /// Opens closed standard descriptors, so that none of them becomes a socket or file of this process that would
    /// receive its output. Each is opened for the opposite use: using it then fails as if it were closed.
    private static func holdClosedDescriptors() {
        for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 {
            // open returns the lowest free descriptor.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}

#if NATS
    import WeirStreams
#endif

/// The output of `weir --version`: the version, the commit of the build if it is known, and the versions of the linked libraries.
enum VersionText {
    static var text: String {
        let commit = String(cString: weir_commit())
        var lines = [Help.version + (commit.isEmpty ? "" : " (\(commit))")]
        for (name, version) in libraries {
            lines.append("  \(name)" + String(repeating: " ", count: max(1, 15 - name.count)) + version)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static var libraries: [(name: String, version: String)] {
        let mimalloc = Int(mi_version())
        var all =
            NetworkLibraries.versions + StoreLibraries.versions + WireLibraries.versions + RecordingLibraries.versions
            + YAMLLibraries.versions
        #if NATS
            all += StreamsLibraries.versions
        #endif
        all.append(("mimalloc", "\(mimalloc / 100).\(mimalloc / 10 % 10).\(mimalloc % 10)"))
        return all.sorted { $0.name < $1.name }
    }
}

/// The JSON Schema of the objects of `--format json`.
enum EnvelopeSchema {
    /// The content of `schemas/envelope.schema.json` at build time.
    static var text: String { String(decoding: PackageResources.envelope_schema_json, as: UTF8.self) }
}
