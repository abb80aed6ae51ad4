import Events
import JSONText

/// Presence (1.6): who is there is told to everybody in the company's room; who left, as by the real server, to a room nobody is in.
extension World {
    func presenceFrame(_ user: EntityID, isOnline: Bool) -> Frame {
        let place: JSONValue = isOnline ? .id(company.id) : .string("toBeFetched")
        return .resource(
            .event, "user:online", room: isOnline ? rooms.online : rooms.offline, path: nil,
            .fields([
                "online": .array([
                    .fields(["company_id": place, "user_id": .id(user), "is_online": .bool(isOnline)])
                ])
            ]))
    }
}
