package import Events
import JSONText
import Wire

/// The presence events of a client (Twake TW-19).
extension RealtimeConnection {
    /// Handles a presence event: `online:get` requests the presence of users as an acknowledgement, and `online:set`
    /// reports that the user is still online (Twake TW-19).
    mutating func hearOfPresence(_ event: SocketIO.Event, _ payload: JSONValue, into effects: inout [Effect]) {
        let users = (payload["data"]?.arrayValue ?? []).compactMap(\.stringValue).map { EntityID($0) }
        switch event.name {
        case "online:get":
            guard let id = event.ackID else { return }
            effects.append(.presenceAsked(of: Array(users.prefix(Self.maximumPresences)), ackID: id))
        case "online:set":
            if let user, users.contains(user) { effects.append(.present(user)) }
            if let id = event.ackID { acknowledge(id, .array([]), into: &effects) }
        default: break
        }
    }

    /// Acknowledges `online:get` with the presence of the requested users.
    package mutating func tellPresence(
        _ presence: [(user: EntityID, isOnline: Bool)], ackID: Int, into effects: inout [Effect]
    ) {
        let pairs = presence.map { JSONValue.array([.id($0.user), .bool($0.isOnline)]) }
        acknowledge(ackID, .array([.fields(["data": .array(pairs)])]), into: &effects)
    }
}
