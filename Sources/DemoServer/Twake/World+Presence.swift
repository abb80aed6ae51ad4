package import Events
import JSONText

/// Presence (1.6): who is there is told to everybody in the company's room; who left, as by the real server, to a room nobody is in.
extension World {
    /// Somebody comes or leaves who is no client of ours.
    mutating func presence(of user: EntityID, isOnline: Bool) -> Outcome {
        guard isOnline != present.contains(user) else { return Outcome() }
        if isOnline { present.append(user) } else { present.removeAll { $0 == user } }
        return Outcome(frames: [presenceFrame(user, isOnline: isOnline)])
    }

    package func presenceFrame(_ user: EntityID, isOnline: Bool) -> Frame {
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
