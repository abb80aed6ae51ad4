import Glibc
import Live

/// What `watch` is to show.
enum WatchOptions {
    /// A server.
    case server(TailOptions)
    /// A recording.
    case recording(ReplayOptions)

    init(_ arguments: Arguments) throws(UsageError) {
        guard let subject = arguments.positionals.first else {
            throw arguments.error("what is to be watched is missing: a URL, or a recording's FILE")
        }
        if Self.isAddress(subject) {
            try Self.refuse(Option.ofWatchedRecording.subtracting(Option.ofWatchedServer), arguments, "a recording")
            self = .server(try TailOptions(arguments))
        } else {
            try Self.refuse(Option.ofWatchedServer.subtracting(Option.ofWatchedRecording), arguments, "a server")
            let options = try ReplayOptions(arguments)
            if subject == "-" {
                throw arguments.error("keys come from standard input: a recording cannot, too; give a FILE")
            }
            self = .recording(options)
        }
    }

    /// Whether it is a URL rather than a file's name.
    private static func isAddress(_ text: String) -> Bool { text.contains("://") && access(text, F_OK) != 0 }

    private static func refuse(
        _ options: Set<Option>, _ arguments: Arguments, _ meant: String
    ) throws(UsageError) {
        guard let option = Option.allCases.first(where: { options.contains($0) && arguments.isTyped($0) }) else {
            return
        }
        throw arguments.error("\(option.flag) is for watching \(meant)")
    }
}
