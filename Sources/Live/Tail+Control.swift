import JSONText
import Network
import Pipeline

// The control socket: JSON-RPC 2.0, one object a line. No method runs a command or reads a file.
extension Tail {
    /// Serves the control socket, when one is wanted. Not on the loop, which has to answer.
    nonisolated func openControl() -> Result<LocalSocketServer?, NetworkError> {
        guard let path = configuration.controlPath else { return .success(nil) }
        return Result { () throws(NetworkError) in
            try LocalSocketServer(on: loop, path: path) { [weak self] line, reply in
                self?.assumeIsolated { reply($0.reply(toControl: line)) }
            }
        }
    }

    /// Without a control socket the tail goes on, with a notice.
    func adopt(_ opened: Result<LocalSocketServer?, NetworkError>) {
        do {
            control = try opened.get()
        } catch {
            let notice = Notice(.warning, "no control socket: \(error)")
            pending.append(.report(StampedReport(stamp: journal.unnumbered(at: loop.now), report: .notice(notice))))
        }
    }

    private func reply(toControl line: [UInt8]) -> [UInt8] {
        let request = ControlRequest(line[...])
        switch request.method {
        case "hello":
            return request.reply { writer in
                writer.beginObject()
                writer.key("tool")
                writer.string(configuration.tool)
                writer.key("methods")
                writer.beginArray()
                for method in ["hello", "rooms.list", "rooms.join", "rooms.leave", "rooms.select"] {
                    writer.string(method)
                }
                writer.endArray()
                writer.endObject()
            }
        case "rooms.list": return request.reply { session.roomBook.encode(into: &$0) }
        case "rooms.join":
            guard !request.rooms.isEmpty else {
                return request.refuse(code: -32602, "params.rooms: a list of room names is wanted")
            }
            for room in request.rooms { feed(.want(rooms: [room], source: .ctl)) }
            return request.reply { session.roomBook.encode(into: &$0) }
        case "rooms.leave":
            guard !request.rooms.isEmpty else {
                return request.refuse(code: -32602, "params.rooms: a list of room names is wanted")
            }
            for room in request.rooms { feed(.unwant(rooms: [room])) }
            return request.reply { session.roomBook.encode(into: &$0) }
        case "rooms.select":
            guard let room = request.rooms.first, request.rooms.count == 1 else {
                return request.refuse(code: -32602, "params.rooms: a list of one room name is wanted")
            }
            feed(.select(room: room))
            return request.reply { session.roomBook.encode(into: &$0) }
        case nil: return request.refuse(code: -32600, "not a JSON-RPC 2.0 request")
        case let method?: return request.refuse(code: -32601, "there is no method \(method)")
        }
    }
}

/// One request on the control socket.
private struct ControlRequest {
    var id: JSONValue = .null
    var method: String?
    var rooms: [String] = []

    init(_ line: ArraySlice<UInt8>) {
        guard let value = try? JSONValue(parsing: line) else { return }
        id = value["id"] ?? .null
        if case .string(let method) = value["method"] { self.method = method }
        if case .array(let rooms) = value["params"]?["rooms"] {
            self.rooms = rooms.compactMap { if case .string(let room) = $0 { room } else { nil } }
        }
    }

    func reply(_ writeResult: (inout JSONWriter) -> Void) -> [UInt8] {
        respond { writer in
            writer.key("result")
            writeResult(&writer)
        }
    }

    func refuse(code: Int, _ message: String) -> [UInt8] {
        respond { writer in
            writer.key("error")
            writer.beginObject()
            writer.key("code")
            writer.integer(code)
            writer.key("message")
            writer.string(message)
            writer.endObject()
        }
    }

    private func respond(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("jsonrpc")
        writer.string("2.0")
        writer.key("id")
        writer.value(id)
        body(&writer)
        writer.endObject()
        return writer.bytes
    }
}

extension RoomBook {
    /// Writes the rooms as a list of objects: `room`, `source`, `state` (`wanted`, `joining`, `joined`, `refused`), `why`.
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.beginArray()
        for entry in entries {
            writer.beginObject()
            writer.key("room")
            writer.string(entry.name)
            writer.key("source")
            writer.string(entry.source.rawValue)
            writer.key("state")
            switch entry.state {
            case .wanted: writer.string("wanted")
            case .joining: writer.string("joining")
            case .joined: writer.string("joined")
            case .refused(let why):
                writer.string("refused")
                writer.key("why")
                writer.string(why)
            }
            writer.endObject()
        }
        writer.endArray()
    }
}
