package import Events
import JSONText

/// Language and status of accounts, and presence (Twake TW-19). The company's room reports users who come online. As on
/// the real server, users who go offline are reported to a room without members.
extension World {
    /// Sets the presence of a user without a client here. Sends no frame when nothing changes.
    mutating func presence(of user: EntityID, isOnline: Bool) -> Outcome {
        guard isOnline != present.contains(user) else { return Outcome() }
        if isOnline { present.append(user) } else { present.removeAll { $0 == user } }
        return Outcome(frames: [presenceFrame(user, isOnline: isOnline)])
    }

    /// Changes an account. The frame goes to the user's own clients (from 2021.Q4 on).
    mutating func changeAccount(of user: EntityID, language: String?, status: String?) -> Outcome {
        guard let index = users.firstIndex(where: { $0.id == user }) else { return Outcome() }
        users[index].language = language ?? users[index].language
        users[index].status = status ?? users[index].status
        return Outcome(
            frames: [.resource(.saved, "user", room: rooms.me(user), account(users[index]))], subject: user)
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
