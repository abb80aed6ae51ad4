package import Events
import JSONText

/// The accounts' languages and status, and presence (1.6): the company's room hears of users that come. That a user left goes, as at the real
/// server, to a room without members.
extension World {
    /// Somebody comes or leaves who is no client of ours.
    mutating func presence(of user: EntityID, isOnline: Bool) -> Outcome {
        guard isOnline != present.contains(user) else { return Outcome() }
        if isOnline { present.append(user) } else { present.removeAll { $0 == user } }
        return Outcome(frames: [presenceFrame(user, isOnline: isOnline)])
    }

    /// Sent to the user's own clients (Q4 on).
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
