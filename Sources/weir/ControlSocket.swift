import Glibc
import Live
import Network
import Pipeline

/// Where the control sockets of this user's tails are: `$XDG_RUNTIME_DIR/weir/NAME.sock`, or `/tmp/weir-UID/NAME.sock`.
enum ControlSocket {
    /// The path for a tail of this process, in a folder that is there and nobody else's; nil, with a note, when that
    /// cannot be had.
    ///
    /// Without a name it is called as its context, or by the process id where another one of that context runs, or by that alone.
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

    /// Why a process cannot have the socket at `path`.
    static func taken(_ path: String) -> Trouble {
        Trouble("\(name(of: path)) runs already: choose another --name, or see 'weir ps'", .usage)
    }

    /// The path of the socket called `name`.
    static func path(named name: String) -> String { "\(folder)/\(name)\(suffix)" }

    /// The name of the socket at `path`.
    static func name(of path: String) -> String {
        let file = path.split(separator: "/").last ?? ""
        return String(file.dropLast(suffix.count))
    }

    /// The names of the sockets that are there, whether somebody answers or not, in order.
    static var names: [String] {
        let sockets = isPrivate(folder) ? ConfigFolder.names(in: folder).filter { $0.hasSuffix(suffix) } : []
        return sockets.map { String($0.dropLast(suffix.count)) }.sorted()
    }

    /// Whether it can be the name of a socket: letters, digits, `.`, `_` and `-`, not beginning with a dot.
    static func isName(_ text: String) -> Bool {
        text.isPlainName && text.utf8.count <= 64 && !text.hasPrefix(".")
    }

    private static let suffix = ".sock"

    private static var folder: String {
        if let runtime = getenv("XDG_RUNTIME_DIR"), runtime.pointee != 0 { return String(cString: runtime) + "/weir" }
        return "/tmp/weir-\(getuid())"
    }

    /// Whether it is a folder of this user that nobody else can enter; anybody can make a name in /tmp.
    private static func isPrivate(_ folder: String) -> Bool {
        var facts = stat()
        guard lstat(folder, &facts) == 0 else { return false }
        return facts.st_mode & S_IFMT == S_IFDIR && facts.st_uid == getuid() && facts.st_mode & 0o077 == 0
    }
}
