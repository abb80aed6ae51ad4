import Events
package import JSONText

/// An event that the server sends to every client in a room.
package struct Frame: Hashable, Sendable {
    /// The Socket.IO events that carry frames.
    package enum Name: String, Hashable, Sendable {
        case resource = "realtime:resource"
        case event = "realtime:event"
    }

    /// The change to a resource (Twake TW-26).
    enum Action: String, Hashable, Sendable {
        case created, saved, updated, deleted, event
    }

    package var room: String
    package var name: Name
    package var payload: JSONValue

    /// Creates a `realtime:resource` frame about one resource.
    static func resource(_ action: Action, _ type: String, room: String, path: String? = "/", _ resource: JSONValue)
        -> Frame
    {
        Frame(
            room: room, name: .resource,
            payload: .fields([
                "action": .string(action.rawValue), "room": .string(room), "type": .string(type), "path": .text(path),
                "resource": resource,
            ]))
    }

    /// Creates a `realtime:event` frame with the room as its name.
    static func event(room: String, data: JSONValue) -> Frame {
        Frame(room: room, name: .event, payload: .fields(["name": .string(room), "data": data]))
    }
}
