import Glibc
import JSONText
import Live
import Network
import Terminal

/// A tail or replay that runs, as its control socket shows it: JSON-RPC 2.0, one object a line.
struct RunningProcess {
    /// What it is called.
    var name: String

    /// Where its socket is.
    var path: String { ControlSocket.path(named: name) }

    /// The one called `name`, or the only one that answers.
    static func find(_ name: String?) throws(Trouble) -> RunningProcess {
        if let name { return RunningProcess(name: name) }
        let running = all.filter { (try? $0.call(.hello)) != nil }
        guard let only = running.first else { throw Trouble("no tail is running", .noConnection) }
        guard running.count == 1 else {
            let names = running.map(\.name).joined(separator: ", ")
            throw Trouble("\(running.count) tails are running; name one: \(names)", .usage)
        }
        return only
    }

    /// Those whose sockets are there, in order; sockets of processes that ended are removed.
    static var all: [RunningProcess] {
        ControlSocket.names.map { RunningProcess(name: $0) }.filter { !LocalSocketClient.removeIfStale($0.path) }
    }

    /// Calls a method and gives its result.
    func call(_ method: ControlMethod, timeout: Duration = .seconds(5), _ parameters: [JSONValue.Member] = [])
        throws(Trouble) -> JSONValue
    {
        let request = Self.request(method, parameters)
        guard request.count <= LocalSocketServer.maximumLine else {
            throw Trouble(
                "a request of \(request.count) bytes, more than \(LocalSocketServer.maximumLine): send less at once",
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

    /// The context it was begun with; nil for none, and where it does not answer.
    var context: Context? {
        guard case .string(let name)? = (try? call(.status))?["context"] else { return nil }
        return try? ContextFolder.context(name)
    }

    /// The descriptor of a connection that is a stream of its recording; the caller's to close.
    func attach() throws(Trouble) -> Int32 {
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
            throw Trouble("\(name) closed without an answer", .noConnection)
        }
        _ = try result(line, of: .attach)
        return descriptor
    }

    /// The line of a request.
    static func request(_ method: ControlMethod, _ parameters: [JSONValue.Member]) -> [UInt8] {
        let value = JSONValue.fields([
            "jsonrpc": .string("2.0"), "id": .integer(1), "method": .string(method.rawValue),
            "params": .object(parameters),
        ])
        return Array(value.raw.bytes)
    }

    /// The result that a line says, or why there is none.
    func result(_ line: [UInt8], of method: ControlMethod) throws(Trouble) -> JSONValue {
        guard let value = try? JSONValue(parsing: line[...], keepsSpelling: true) else {
            throw Trouble("the answer of \(name) is no JSON", .runtimeError)
        }
        if case .string(let message)? = value["error"]?["message"] {
            throw Trouble("\(name) refuses \(method.rawValue): \(message)", Self.exitCode(of: value["error"]?["code"]))
        }
        guard let result = value["result"] else { throw Trouble("the answer of \(name) has no result", .runtimeError) }
        return result
    }

    /// The process does not answer: which do.
    func unanswered(_ error: NetworkError) -> Trouble {
        let others = ControlSocket.names.filter { $0 != name }
        let running = others.isEmpty ? "none runs" : "there are " + others.joined(separator: ", ")
        let why =
            ControlSocket.names.contains(name)
            ? "'\(name)' does not answer: \(error.sentence)" : "no tail is named '\(name)'"
        return Trouble("\(why); \(running)" + Suggestion.phrase(for: name, among: others), .noConnection)
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
