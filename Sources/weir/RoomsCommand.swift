import Glibc
import JSONText
import Live
import Network
import Wire
import Terminal

/// `weir rooms`: speaks JSON-RPC 2.0, one object a line, with the control socket of a running tail.
enum RoomsCommand {
    /// How long a room may take to be joined or left.
    private static let patience: Duration = .seconds(5)

    static func run(_ options: RoomsOptions) async -> ExitCode {
        do {
            if let store = options.store { return try RememberedRooms.run(options, store: store) }
            let path = try findTail(options.name)
            switch options.verb {
            case .ls: return list(try ask(path, "rooms.list"))
            case .select: return list(try ask(path, "rooms.select", options.rooms))
            case .join:
                return try settle(path, try ask(path, "rooms.join", options.rooms), options.rooms, joining: true)
            case .leave:
                return try settle(path, try ask(path, "rooms.leave", options.rooms), options.rooms, joining: false)
            }
        } catch {
            return Console.fail(error)
        }
    }

    /// A room as the tail tells of it.
    private struct Room {
        var name: String
        var state: String
        var source: String
        var why: String?
    }

    /// The socket of the tail called `name`, or of the only one that answers.
    private static func findTail(_ name: String?) throws(Trouble) -> String {
        if let name { return ControlSocket.path(named: name) }
        let running = ControlSocket.names.filter { (try? ask(ControlSocket.path(named: $0), "hello")) != nil }
        guard let only = running.first else { throw Trouble("no tail is running", .noConnection) }
        guard running.count == 1 else {
            throw Trouble(
                "\(running.count) tails are running; choose one with --on: " + running.joined(separator: ", "), .usage)
        }
        return ControlSocket.path(named: only)
    }

    private static func ask(_ path: String, _ method: String, _ rooms: [String]? = nil) throws(Trouble) -> JSONValue {
        let answer: [UInt8]
        do {
            answer = try LocalSocketClient.ask(path: path, line: request(method, rooms))
        } catch {
            throw Trouble("no tail answers at \(path): \(error.sentence)", .noConnection)
        }
        guard let value = try? JSONValue(parsing: answer[...]) else {
            throw Trouble("the answer at \(path) is no JSON", .runtimeError)
        }
        if case .string(let message)? = value["error"]?["message"] {
            throw Trouble("the tail refuses \(method): \(message)", .runtimeError)
        }
        guard let result = value["result"] else { throw Trouble("the answer at \(path) has no result", .runtimeError) }
        return result
    }

    private static func request(_ method: String, _ rooms: [String]?) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("jsonrpc")
        writer.string("2.0")
        writer.key("id")
        writer.integer(1)
        writer.key("method")
        writer.string(method)
        if let rooms {
            writer.key("params")
            writer.beginObject()
            writer.key("rooms")
            writer.beginArray()
            for room in rooms { writer.string(room) }
            writer.endArray()
            writer.endObject()
        }
        writer.endObject()
        return writer.bytes
    }

    private static func rooms(in result: JSONValue) -> [Room] {
        guard case .array(let elements) = result else { return [] }
        return elements.compactMap { element in
            guard case .string(let name)? = element["room"], case .string(let state)? = element["state"] else {
                return nil
            }
            var room = Room(name: name, state: state, source: "")
            if case .string(let source)? = element["source"] { room.source = source }
            if case .string(let why)? = element["why"] { room.why = why }
            return room
        }
    }

    private static func list(_ result: JSONValue) -> ExitCode {
        var text = ""
        for room in rooms(in: result) {
            let why = room.why.map { "  (" + TerminalText.escaped($0) + ")" } ?? ""
            text += padded(room.state, 9) + padded(room.source, 6) + TerminalText.escaped(room.name) + why + "\n"
        }
        return text.isEmpty ? .done : Console.print(text)
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        let shown = TerminalText.escaped(text)
        return shown + String(repeating: " ", count: max(1, width - shown.count))
    }

    /// Asks until every room is joined, refused or gone, as wished.
    private static func settle(_ path: String, _ first: JSONValue, _ wished: [String], joining: Bool) throws(Trouble)
        -> ExitCode
    {
        var known = rooms(in: first)
        var waited: Duration = .zero
        while true {
            let open = wished.filter { name in
                let state = known.first { $0.name == name }?.state
                return joining ? state != "joined" && state != "refused" : state != nil && state != "refused"
            }
            if open.isEmpty { break }
            guard waited < patience else {
                throw Trouble("the server has not answered for \(open.joined(separator: ", "))", .timeout)
            }
            usleep(50_000)
            waited += .milliseconds(50)
            known = rooms(in: try ask(path, "rooms.list"))
        }
        return report(wished, known, joining: joining)
    }

    private static func report(_ wished: [String], _ known: [Room], joining: Bool) -> ExitCode {
        var code = ExitCode.done
        for name in wished {
            let room = known.first { $0.name == name }
            if room?.state == "refused" {
                Console.note("! room \(name) refused: \(room?.why ?? "")")
                code = .refused
            } else {
                Console.note((joining ? "+ room " : "- room ") + name)
            }
        }
        return code
    }
}
