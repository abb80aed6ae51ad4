import Glibc
import Live
import Recording

/// The subjects that `watch` can show, with their options.
enum WatchOptions {
    /// A server at a URL, with the options of a tail.
    case server(TailOptions)
    /// A running tail, by its name.
    case running(String, OutputOptions)
    /// A recording, with the options of a replay.
    case recording(ReplayOptions)

    init(_ arguments: Arguments) throws(UsageError) {
        if let name = arguments[.on], !arguments.has(.emit), !arguments.has(.ack) {
            guard ControlSocket.isName(name) else {
                throw arguments.error(
                    "--on: no tail is named \(UsageError.quoted(name)); 'weir ps' lists them")
            }
            guard arguments.positionals.isEmpty else {
                throw arguments.error("--on and \(UsageError.quoted(arguments.positionals[0])) exclude each other")
            }
            try Self.refuseAllBut(.running, arguments)
            self = .running(name, try OutputOptions(arguments))
            return
        }
        guard let subject = arguments.positionals.first else {
            throw arguments.error(
                "nothing to watch: give a URL, a recording FILE, or --on NAME for a running tail")
        }
        if Self.isAddress(subject) {
            try Self.refuseAllBut(.server, arguments)
            self = .server(try TailOptions(arguments))
        } else {
            try Self.refuseAllBut(.recording, arguments)
            let options = try ReplayOptions(arguments)
            if subject == "-" {
                throw arguments.error("standard input provides keys and cannot provide the recording; give a FILE")
            }
            self = .recording(options)
        }
    }

    /// Whether a text is a URL rather than the name of a file.
    private static func isAddress(_ text: String) -> Bool {
        text.contains("://") && !RemoteRecordings.isOne(text) && access(text, F_OK) != 0
    }

    /// Refuses typed options that belong to other subjects.
    private static func refuseAllBut(
        _ allowed: Option.Scope.Watched, _ arguments: Arguments
    ) throws(UsageError) {
        for option in Option.allCases where arguments.isTyped(option) {
            let watched = option.row.scope.watched
            if watched.isEmpty || watched.contains(allowed) { continue }
            let meant =
                watched.contains(.server) ? "a server" : watched.contains(.recording) ? "a recording" : "a running tail"
            throw arguments.error("\(option.flag) applies only to watching \(meant)")
        }
    }
}
