import Glibc
import Live
import Network
import Pipeline

/// The control sockets of this user's processes: `$XDG_RUNTIME_DIR/weir/NAME.sock`, or `/tmp/weir-UID/NAME.sock`.
enum ControlSocket {
    /// Returns the path of the socket for a tail of this process, in a private folder; `nil`, after a warning, if the
    /// folder cannot be created or other users can enter it.
    ///
    /// An unnamed socket gets the name of the context, followed by the process id if another tail of that context runs.
    /// Without a context its name is the process id.
    static func pathForThisProcess(name: String?, context: String? = nil) -> String? {
        let folder = self.folder
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST, isPrivate(folder) else {
            Console.note("warning: no control socket: \(folder) is not a folder that only this user can enter")
            return nil
        }
        if let name { return path(named: name) }
        guard let context, isName(context) else { return path(named: String(getpid())) }
        let path = path(named: context)
        return LocalSocketClient.removeIfStale(path) ? path : self.path(named: "\(context.prefix(50))-\(getpid())")
    }

    /// Returns the error for a socket path that is in use.
    static func taken(_ path: String) -> CommandError {
        CommandError("\(name(of: path)) is already running: choose another --name, or see 'weir ps'", .usage)
    }

    /// Returns the path of the socket with a name.
    static func path(named name: String) -> String { "\(folder)/\(name)\(suffix)" }

    /// Returns the name of the socket at a path.
    static func name(of path: String) -> String {
        let file = path.split(separator: "/").last ?? ""
        return String(file.dropLast(suffix.count))
    }

    /// The names of all sockets, sorted, including those without a running process.
    static var names: [String] {
        let sockets = isPrivate(folder) ? ConfigFolder.names(in: folder).filter { $0.hasSuffix(suffix) } : []
        return sockets.map { String($0.dropLast(suffix.count)) }.sorted()
    }

    /// Whether a text can be the name of a socket: letters, digits, `.`, `_` and `-`, not starting with a dot.
    static func isName(_ text: String) -> Bool {
        text.isPlainName && text.utf8.count <= 64 && !text.hasPrefix(".")
    }

    private static let suffix = ".sock"

    private static var folder: String {
        if let runtime = getenv("XDG_RUNTIME_DIR"), runtime.pointee != 0 { return String(cString: runtime) + "/weir" }
        return "/tmp/weir-\(getuid())"
    }

    /// Whether a folder belongs to this user and only this user can enter it. Anybody can create names in /tmp.
    private static func isPrivate(_ folder: String) -> Bool {
        var facts = stat()
        guard lstat(folder, &facts) == 0 else { return false }
        return facts.st_mode & S_IFMT == S_IFDIR && facts.st_uid == getuid() && facts.st_mode & 0o077 == 0
    }
}
