import Events
import JSONText

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
