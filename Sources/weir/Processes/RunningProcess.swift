import Glibc
import WeirJSON
import WeirLive
import WeirNetwork
import WeirPipeline
import WeirTerminal

/// A running tail or replay with a control socket: JSON-RPC 2.0 with one object per line.
struct RunningProcess {
    /// The process's name, from the name of its socket.
    var name: String

    /// The path of the control socket.
    var path: String { ControlSocket.path(named: name) }

    /// Returns the process with the given name, or the only one that answers.
    static func find(_ name: String?) throws(CommandError) -> RunningProcess {
        if let name { return RunningProcess(name: name) }
        let running = all.filter { (try? $0.call(.hello)) != nil }
        guard let only = running.first else { throw CommandError("no tail is running", .noConnection) }
        guard running.count == 1 else {
            let names = running.map(\.name).joined(separator: ", ")
            throw CommandError("\(running.count) tails are running; name one: \(names)", .usage)
        }
        return only
    }

    /// All processes with a socket, in order. Sockets of ended processes are removed.
    static var all: [RunningProcess] {
        ControlSocket.names.map { RunningProcess(name: $0) }.filter { !LocalSocketClient.removeIfStale($0.path) }
    }

    /// Calls a method and returns its result.
    func call(_ method: ControlMethod, timeout: Duration = .seconds(5), _ parameters: [JSONValue.Member] = [])
        throws(CommandError) -> JSONValue
    {
        let request = Self.request(method, parameters)
        guard request.count <= LocalSocketServer.maximumLine else {
            throw CommandError(
                "the request has \(request.count) bytes; the maximum is \(LocalSocketServer.maximumLine)",
                .usage)
        }
        let line: [UInt8]
        do {
            line = try LocalSocketClient.ask(path: path, line: request, timeout: timeout)
        } catch {
            throw unanswered(error)
        }
        return try result(line, of: method)
    }

    /// The context that the process was started with; `nil` if it has none or does not answer.
    var context: Context? {
        guard case .string(let name)? = (try? call(.status))?["context"] else { return nil }
        return try? ContextFolder.context(name)
    }

    /// Returns the descriptor of a connection that carries the recording. The caller must close it.
    func attach() throws(CommandError) -> Int32 {
        let line: [UInt8]?
        let descriptor: Int32
        do throws(NetworkError) {
            let stream = try LocalSocketStream(path: path)
            try stream.send(Self.request(.attach, []))
            line = try stream.readLine(timeout: .seconds(5))
            descriptor = dup(stream.descriptor)
        } catch {
            throw unanswered(error)
        }
        guard let line, descriptor >= 0 else {
            throw CommandError("\(name) closed without an answer", .noConnection)
        }
        _ = try result(line, of: .attach)
        return descriptor
    }

    /// Returns the line of a request.
    static func request(_ method: ControlMethod, _ parameters: [JSONValue.Member]) -> [UInt8] {
        let value = JSONValue.fields([
            "jsonrpc": .string("2.0"), "id": .integer(1), "method": .string(method.rawValue),
            "params": .object(parameters),
        ])
        return Array(value.raw.bytes)
    }

    /// Returns the result in an answer, or throws its error.
    func result(_ line: [UInt8], of method: ControlMethod) throws(CommandError) -> JSONValue {
        guard let value = try? JSONValue(parsing: line[...], keepsSpelling: true) else {
            throw CommandError("the answer of \(name) is not JSON", .runtimeError)
        }
        if case .string(let message)? = value["error"]?["message"] {
            throw CommandError(
                "\(name) refused \(method.rawValue): \(message)", Self.exitCode(of: value["error"]?["code"]))
        }
        guard let result = value["result"] else {
            throw CommandError("the answer of \(name) has no result", .runtimeError)
        }
        return result
    }

    /// Returns the error for a process that does not answer, with the names of those that run.
    func unanswered(_ error: NetworkError) -> CommandError {
        let others = ControlSocket.names.filter { $0 != name }
        let running = others.isEmpty ? "no tail is running" : "running: " + others.joined(separator: ", ")
        let why =
            ControlSocket.names.contains(name)
            ? "'\(name)' does not answer: \(error.sentence)" : "no tail is named '\(name)'"
        return CommandError("\(why); \(running)" + Suggestion.phrase(for: name, among: others), .noConnection)
    }

    private static func exitCode(of code: JSONValue?) -> ExitCode {
        guard case .integer(let number)? = code, let code = ControlError.Code(rawValue: Int(clamping: number)) else {
            return .runtimeError
        }
        switch code {
        case .parse, .request, .method, .parameters: return .usage
        case .forbidden: return .refused
        case .failed, .nothing, .limit: return .runtimeError
        }
    }
}

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
