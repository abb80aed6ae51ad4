import Events
import JSONText

/// The entities in the form of era A's answers (Twake TW-72). Times are in milliseconds, as in the proxy of Q2.550 and
/// later.
extension World {
    func proxyAccount(_ user: User) -> JSONValue {
        .fields([
            "id": .id(user.id), "email": .string(user.email), "username": .string(user.username),
            "firstname": .string(user.firstName), "lastname": .string(user.lastName),
            "thumbnail": .string(user.hasPicture ? EraA.picturePath(of: user) : ""),
            // In Unix seconds, unlike all other times.
            "last_activity": .integer(user.createdAt / 1_000), "console_id": .string(""), "status_icon": .string(""),
            "status": .string(user.status), "language": .string(user.language),
        ])
    }

    func proxyChannel(_ channel: Channel, for user: User) -> JSONValue {
        let membership = channel.membership(of: user.id)
        let isUnread =
            membership.map { $0.lastAccess < channel.lastActivity && channel.lastMessage?.sender != user.id } ?? false
        var members = channel.isDirect ? channel.participants : channel.memberships.map(\.user)
        if channel.isDirect, members.count > 1 { members.removeAll { $0 == user.id } }
        var value = JSONValue.fields([
            "id": .id(channel.id), "name": .string(proxyName(of: channel, members: members)),
            "icon": .string(channel.icon),
            "company_id": .id(company.id), "workspace_id": .id(channel.workspace),
            "description": .string(channel.description),
            "channel_group": .string(""), "last_message": channel.lastMessage.map { json($0) } ?? .null,
            "last_activity": .integer(channel.lastActivity), "has_unread": .bool(isUnread),
        ])
        if let membership { value = value.adding(["user_last_access": .integer(membership.lastAccess)]) }
        return value.adding([
            "members": .ids(members), "visibility": .string(channel.visibility.rawValue),
            "is_member": .bool(membership != nil),
            "permissions": permissions(user, in: channel),
        ])
    }

    /// Returns a channel's name. A direct channel is named after the other users; other names get a capital first
    /// letter.
    private func proxyName(of channel: Channel, members: [EntityID]) -> String {
        if channel.isDirect { return members.compactMap { user($0)?.fullName }.joined(separator: ", ") }
        return channel.name.prefix(1).uppercased() + channel.name.dropFirst()
    }

    /// Returns a user's permissions in a channel: all for the owner, the first four for others.
    private func permissions(_ user: User, in channel: Channel) -> JSONValue {
        let all = [
            "UPDATE_NAME", "UPDATE_DESCRIPTION", "ADD_MEMBER", "REMOVE_MEMBER", "UPDATE_PRIVACY", "DELETE_CHANNEL",
        ]
        return .array(all.prefix(channel.owner == user.id ? 6 : 4).map { .string($0) })
    }

    func proxyMessage(_ message: Message) -> JSONValue {
        let sender = user(message.user)
        return .fields([
            "id": .id(message.id), "thread_id": message.isHead ? .null : .id(message.thread),
            "responses_count": .integer(
                Int64(message.isHead ? threads[message.id].map { replyCount(of: $0) } ?? 0 : 0)),
            "user_id": .id(message.user), "creation_date": .integer(message.createdAt),
            "modification_date": .integer(modificationDate(message)),
            "content": .fields([
                "original_str": .string(message.text),
                "prepared": .array(pieces(of: message.text) + proxyParts(filesOf: message)),
            ]),
            "reactions": json(message.reactions), "channel_id": .id(message.channel),
            "username": .text(sender?.username),
            "thumbnail": .string(sender.map { $0.hasPicture ? EraA.picturePath(of: $0) : "" } ?? ""),
            "firstname": .text(sender?.firstName), "lastname": .text(sender?.lastName),
        ])
    }

    /// Returns the time of the last activity in a head's thread, or a reply's creation time. Edits and reactions do not
    /// change it, so a catch-up by date misses them (Twake TW-77).
    func modificationDate(_ message: Message) -> Int64 {
        message.isHead ? threads[message.id]?.lastActivity ?? message.createdAt : message.createdAt
    }
}
