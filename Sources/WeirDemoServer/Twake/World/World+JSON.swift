import WeirEvents
import WeirJSON

/// The entities in the form of frames (Twake TW-29). Era B's answers extend these forms.
extension World {
    func json(_ channel: Channel) -> JSONValue {
        let value = sharedJSON(channel)
        guard edition == .last else { return value }
        let count = channel.threads.reduce(0) { $0 + 1 + (threads[$1]?.replies.count ?? 0) }
        return value.adding([
            "default": .bool(channel.isDefault), "is_readonly": .bool(false),
            "stats": .fields([
                "members": .integer(Int64(channel.memberships.count)), "messages": .integer(Int64(count)),
            ]),
        ])
    }

    private func sharedJSON(_ channel: Channel) -> JSONValue {
        .fields([
            "is_default": .bool(channel.isDefault), "archived": .bool(false), "members": .ids(channel.participants),
            "connectors": .array([]), "last_activity": .integer(channel.lastActivity), "company_id": .id(company.id),
            "workspace_id": .id(channel.workspace), "id": .id(channel.id), "archivation_date": .integer(0),
            "channel_group": .string(""), "description": .string(channel.description), "icon": .string(channel.icon),
            "name": .string(channel.name), "owner": .id(channel.owner),
            "visibility": .string(channel.visibility.rawValue),
            "updated_at": .integer(channel.updatedAt), "created_at": .integer(channel.createdAt),
        ])
    }

    /// Returns a deleted channel: its key and the defaults of the server's class.
    func sparseJSON(_ channel: Channel) -> JSONValue {
        .fields([
            "is_default": .bool(false), "archived": .bool(false), "members": .array([]), "connectors": .array([]),
            "last_activity": .integer(0), "company_id": .id(company.id), "workspace_id": .id(channel.workspace),
            "id": .id(channel.id),
        ])
    }

    func json(_ summary: MessageSummary) -> JSONValue {
        .fields([
            "date": .integer(summary.date), "sender": .id(summary.sender), "sender_name": .string(summary.senderName),
            "title": .string(summary.title), "text": .string(summary.text),
        ])
    }

    func json(_ membership: Membership, in channel: Channel) -> JSONValue {
        .fields([
            "company_id": .id(company.id), "workspace_id": .id(channel.workspace), "user_id": .id(membership.user),
            "channel_id": .id(channel.id), "id": .id(membership.user), "type": .string("member"),
            "last_access": .integer(membership.lastAccess), "last_increment": .integer(0),
            "favorite": .bool(membership.isFavorite), "notification_level": .string(membership.level.rawValue),
            "expiration": .null, "updated_at": .integer(membership.updatedAt),
            "created_at": .integer(membership.createdAt),
        ])
    }

    func json(_ message: Message) -> JSONValue {
        let deleted = message.isDeleted
        return .fields([
            "thread_id": .id(message.thread), "id": .id(message.id), "ephemeral": .null, "type": .string("message"),
            "subtype": .text(deleted ? "deleted" : nil), "created_at": .integer(message.createdAt),
            "updated_at": .integer(message.updatedAt), "user_id": .id(message.user), "application_id": .null,
            "text": .string(message.text),
            "blocks": .array(
                deleted ? [] : [.fields(["type": .string("twacode"), "elements": .array(pieces(of: message.text))])]),
            "files": deleted ? .array([]) : json(filesOf: message), "context": message.context ?? .null,
            "edited": message.editedAt.map { .fields(["edited_at": .integer($0)]) } ?? .null,
            "pinned_info": message.pin.map { .fields(["pinned_at": .integer($0.at), "pinned_by": .id($0.by)]) }
                ?? .null,
            "reactions": message.reactions.isEmpty && !deleted ? .null : json(message.reactions), "bookmarks": .null,
            "override": .null,
        ])
    }

    /// Splits a text as the sender's client does: mentions, and the text between them (Twake TW-75). An unknown name
    /// remains text.
    func pieces(of text: String) -> [JSONValue] {
        var pieces: [JSONValue] = []
        var plain = ""
        for piece in Twake.Twacode.pieces(ofText: text) {
            switch piece {
            case .text(let text): plain += text
            case .mention(let name, let id):
                guard let word = mention(name, id) else {
                    plain += "@" + name + (id.map { ":\($0)" } ?? "")
                    continue
                }
                if !plain.isEmpty { pieces.append(.string(plain)) }
                plain = ""
                pieces.append(.fields(["start": .string("@"), "content": .string(word)]))
            case .lineBreak, .file, .group, .other: break
            }
        }
        return plain.isEmpty && !pieces.isEmpty ? pieces : pieces + [.string(plain)]
    }

    /// Returns `name:id` for a user; `all` and `here` stay unchanged.
    private func mention(_ name: String, _ id: EntityID?) -> String? {
        if name == "all" || name == "here" { return name }
        return (id.flatMap { user($0) } ?? user(login: name)).map { "\($0.username):\($0.id)" }
    }

    func json(_ reactions: [Message.Reaction]) -> JSONValue {
        .array(
            reactions.map {
                .fields(["name": .string($0.name), "count": .integer(Int64($0.users.count)), "users": .ids($0.users)])
            })
    }

    func json(_ badge: Badge) -> JSONValue {
        .fields([
            "company_id": .id(company.id), "user_id": .id(badge.user), "workspace_id": .id(badge.workspace),
            "channel_id": .id(badge.channel), "thread_id": .id(badge.thread), "message_id": .id(badge.message),
            "id": .id(badge.id),
        ])
    }
}

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

/// The entities in the form of era B's answers (Twake TW-80).
extension World {
    /// Returns a user's account as other users see it.
    func account(_ user: User) -> JSONValue {
        .fields([
            "id": .id(user.id), "provider": .string("internal"), "provider_id": .string(""),
            "email": .string(user.email),
            "username": .string(user.username), "is_verified": .bool(true),
            "picture": .string(user.hasPicture ? EraB.picturePath(of: user) : ""),
            "first_name": .string(user.firstName), "last_name": .string(user.lastName),
            "full_name": .string(user.fullName),
            "created_at": .integer(user.createdAt), "deleted": .bool(false), "status": .string(user.status),
            "last_activity": .integer(user.createdAt),
        ])
    }

    /// Returns a user's own account, with preferences and companies.
    func ownAccount(_ user: User) -> JSONValue {
        account(user).adding([
            "preference": .fields([
                "locale": .string(user.language), "timezone": .integer(0), "allow_tracking": .bool(false),
            ]),
            "companies": .array([
                .fields([
                    "role": .string("member"), "status": .string("active"),
                    "company": .fields(["id": .id(company.id), "name": .string(company.name), "logo": .string("")]),
                ])
            ]),
        ])
    }

    var companyJSON: JSONValue {
        .fields([
            "id": .id(company.id), "name": .string(company.name), "logo": .string(""),
            "plan": .fields([
                "name": .string("demo"),
                "limits": .fields(["members": .integer(0), "guests": .integer(0), "storage": .integer(0)]),
            ]),
            "stats": .fields([
                "created_at": .integer(workspaces.first?.createdAt ?? 0), "total_members": .integer(Int64(users.count)),
                "total_guests": .integer(0),
            ]),
            "role": .string("member"), "status": .string("active"),
        ])
    }

    func json(_ workspace: Workspace) -> JSONValue {
        .fields([
            "id": .id(workspace.id), "company_id": .id(company.id), "name": .string(workspace.name),
            "logo": .string(""),
            "default": .bool(workspace.id == workspaces.first?.id), "archived": .bool(false),
            "stats": .fields([
                "created_at": .integer(workspace.createdAt),
                "total_members": .integer(Int64(members(of: workspace).count)),
            ]),
            "role": .string("member"),
        ])
    }

    /// Returns a channel in a list: all values, the user's membership, and the last message (`{}` for none).
    func listed(_ channel: Channel, for user: EntityID, withUsers: Bool) -> JSONValue {
        var value = json(channel)
        if let membership = channel.membership(of: user) {
            value = value.adding(["user_member": json(membership, in: channel)])
        }
        value = value.adding(["last_message": channel.lastMessage.map { json($0) } ?? .object([])])
        guard withUsers, channel.isDirect else { return value }
        return value.adding(["users": .array(channel.participants.compactMap { self.user($0).map { account($0) } })])
    }

    /// Returns a single channel, limited to the response schema of 2021: no last message, no read marker (Twake TW-66).
    func filtered(_ channel: Channel, for user: EntityID) -> JSONValue {
        let value = json(channel).removing("updated_at", "created_at")
        guard let membership = channel.membership(of: user) else { return value }
        return value.adding(["user_member": json(membership, in: channel).removing("last_access")])
    }

    /// Returns a message with values that only answers contain: a head's counters and last replies, and on request the
    /// sender.
    func enriched(_ message: Message, lastReplies: Int?, withUsers: Bool) -> JSONValue {
        var value = json(message)
        if message.isHead, let thread = threads[message.id] {
            // `replies` also counts the head (Twake TW-82).
            value = value.adding([
                "stats": .fields([
                    "replies": .integer(Int64(replyCount(of: thread) + 1)),
                    "last_activity": .integer(thread.lastActivity),
                ])
            ])
            if let lastReplies {
                let replies = messages(ofThread: thread.id).suffix(lastReplies)
                value = value.adding(["last_replies": .array(replies.map { enriched($0, withUsers: withUsers) })])
            }
        }
        return withUsers ? value.adding(["users": senders(of: message)]) : value
    }

    private func enriched(_ message: Message, withUsers: Bool) -> JSONValue {
        withUsers ? json(message).adding(["users": senders(of: message)]) : json(message)
    }

    private func senders(of message: Message) -> JSONValue {
        .array(user(message.user).map { [account($0)] } ?? [])
    }

    /// Returns a new thread, in the answer to its creator.
    func json(_ thread: Thread) -> JSONValue {
        let channel = self.channel(thread.channel)
        return .fields([
            "id": .id(thread.id), "created_by": .id(thread.createdBy), "created_at": .integer(thread.createdAt),
            "updated_at": .integer(thread.createdAt), "last_activity": .integer(thread.lastActivity),
            "answers": .integer(Int64(thread.replies.count)),
            "participants": .array([
                .fields([
                    "type": .string("channel"), "id": .id(thread.channel), "company_id": .id(company.id),
                    "workspace_id": .id(channel?.workspace), "created_at": .integer(thread.createdAt),
                    "created_by": .id(thread.createdBy),
                ])
            ]),
            "message": messages[thread.id].map { json($0) } ?? .null,
        ])
    }
}
