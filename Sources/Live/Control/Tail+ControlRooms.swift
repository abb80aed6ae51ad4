import JSONText
import Pipeline

// Rooms, by the control socket.
extension Tail {
    func performRooms(_ call: ControlCall) throws(ControlError) -> ControlResult {
        let rooms = call.arguments.texts("rooms")
        switch call.method {
        case .roomsJoin: for room in rooms { feed(.want(rooms: [room], source: .ctl)) }
        case .roomsLeave: for room in rooms { feed(.unwant(rooms: [room])) }
        case .roomsSelect:
            guard let room = rooms.first, rooms.count == 1 else {
                throw ControlError(.parameters, "params.rooms is to be a list of one room")
            }
            feed(.select(room: room))
        default: break
        }
        return ControlResult { session.roomBook.encode(into: &$0) }
    }
}

extension RoomBook {
    /// Writes the rooms as a list of objects: `room`, `source`, `state` (`wanted`, `joining`, `joined`, `refused`), `why`.
    func encode(into writer: inout JSONWriter) {
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
