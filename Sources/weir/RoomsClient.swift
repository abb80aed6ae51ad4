import JSONText
import Live
import Network
import Wire

/// A client for the control socket of a running tail. The protocol is JSON-RPC 2.0 with one object per line.
struct RoomsClient {
    /// How long to wait until a room is joined or left.
    static let patience: Duration = .seconds(5)

    private let process: RunningProcess

    /// Creates a client for the tail with the given name, or for the only one that answers.
    init(_ name: String?) throws(CommandError) {
        if let name {
            process = RunningProcess(name: name)
            return
        }
        let running = ControlSocket.names.filter {
            (try? LocalSocketClient.ask(path: ControlSocket.path(named: $0), line: Self.request("hello", Params())))
                != nil
        }
        guard let only = running.first else { throw CommandError("no tail is running", .noConnection) }
        guard running.count == 1 else {
            throw CommandError(
                "\(running.count) tails are running; choose one with --on: " + running.joined(separator: ", "), .usage)
        }
        process = RunningProcess(name: only)
    }

    /// The parameters of a room request.
    struct Params {
        var rooms: [String]?
        var all = false
        var lasting: Duration?
        var wait: Duration?
        var since: Int64?
        var older = false
    }

    /// Sends a request and waits for the answer.
    func ask(_ method: String, _ params: Params) throws(CommandError) -> JSONValue {
        let answer: [UInt8]
        do {
            answer = try LocalSocketClient.ask(
                path: process.path, line: Self.request(method, params), timeout: (params.wait ?? .zero) + .seconds(5))
        } catch {
            throw process.unanswered(error)
        }
        guard let value = try? JSONValue(parsing: answer[...]) else {
            throw CommandError("the answer of \(process.name) is not JSON", .runtimeError)
        }
        if case .string(let message)? = value["error"]?["message"] {
            throw CommandError("the tail refused \(method): \(message)", .runtimeError)
        }
        guard let result = value["result"] else {
            throw CommandError("the answer of \(process.name) has no result", .runtimeError)
        }
        return result
    }

    /// Returns the rooms in the answer to a request.
    func rows(_ method: String, _ params: Params) throws(CommandError) -> [RoomRow] {
        guard case .array(let elements) = try ask(method, params) else { return [] }
        return elements.compactMap { RoomRow($0) }
    }

    private static func request(_ method: String, _ params: Params) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("jsonrpc", "2.0")
        writer.member("id", 1)
        writer.member("method", method)
        writer.key("params")
        writer.beginObject()
        if let rooms = params.rooms { writer.member("rooms", names: rooms) }
        if params.all { writer.member("all", true) }
        for (name, span) in [("for", params.lasting), ("wait", params.wait)] {
            guard let span else { continue }
            writer.key(name)
            writer.string("\(max(1, span.microseconds / 1000))ms")
        }
        writer.member("since_ms", params.since)
        if params.older { writer.member("older", true) }
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }
}
