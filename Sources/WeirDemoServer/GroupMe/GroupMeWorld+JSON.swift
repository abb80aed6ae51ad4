import WeirEvents
import WeirJSON

// The JSON forms of the model. Pushes and answers differ (GroupMe GM-10, GM-33).
extension GroupMeWorld {
    /// Returns the envelope of a push (GroupMe GM-7). Its time is in milliseconds, rounded down to a second.
    func push(_ type: String, alert: String, subject: JSONValue, at now: Int64) -> JSONValue {
        .fields([
            "type": .string(type), "alert": .string(alert), "subject": subject,
            "received_at": .integer(now / 1000 * 1000),
        ])
    }

    private static let nowhere = JSONValue.fields(["lat": .string(""), "lng": .string(""), "name": .null])

    /// Returns the members that pushes and answers share.
    private func core(_ message: Message) -> [(String, JSONValue)] {
        let sender = message.sender?.description ?? "system"
        return [
            ("id", .string(message.id.description)), ("source_guid", .string(message.guid)),
            ("created_at", .integer(message.createdAt)), ("user_id", .string(sender)), ("sender_id", .string(sender)),
            ("sender_type", .string(message.sender == nil ? "system" : "user")), ("name", .string(message.name)),
            ("avatar_url", .null), ("text", .text(message.text)), ("attachments", .array(message.attachments)),
        ]
    }

    private func object(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(members.map { JSONValue.Member($0.0, $0.1) })
    }

    /// Returns a message in the form of a push: with explicit nulls and without reactions.
    func pushed(
        _ message: Message, in conversation: GroupMe.ConversationID, isTombstone: Bool = false
    ) -> JSONValue {
        var members = core(message)
        members += [("location", Self.nowhere), ("picture_url", .null)]
        if let event = message.event { members.append(("event", event)) }
        if conversation.group == nil {
            members += [
                ("chat_id", .string(conversation.description)), ("recipient_id", recipient(of: message)),
                ("favorited_by", .ids(message.reactions.flatMap(\.users).map(\.entity))),
            ]
        } else {
            members += [
                ("group_id", .string(conversation.description)), ("system", .bool(message.sender == nil)),
                ("parent_id", .null),
            ]
        }
        // The frame that reports a deletion contains a date; all others contain seconds (GroupMe GM-15).
        let deletedAt = message.deletedAt.map { isTombstone ? .string(Self.date($0)) : JSONValue.integer($0 / 1000) }
        members += [
            ("deleted_at", deletedAt ?? .null),
            ("deletion_actor", message.deletedAt == nil ? .null : .string("sender")),
            ("updated_at", message.updatedAt.map { .integer($0) } ?? .null),
            ("pinned_at", message.pinnedAt.map { .integer($0) } ?? .null),
            ("pinned_by", .text(message.pinnedBy?.description)),
        ]
        return object(members)
    }

    private func recipient(of message: Message) -> JSONValue { .text(message.recipient?.description) }

    /// Returns a message in the form of an answer: without unset members, and with all reactions.
    func answered(_ message: Message, in conversation: GroupMe.ConversationID) -> JSONValue {
        var members = core(message)
        if conversation.group == nil {
            members += [
                ("conversation_id", .string(conversation.description)), ("recipient_id", recipient(of: message)),
            ]
        } else {
            members += [("group_id", .string(conversation.description)), ("system", .bool(message.sender == nil))]
        }
        members += [
            ("favorited_by", .ids(message.reactions.flatMap(\.users).map(\.entity))), ("platform", .string("gm")),
            ("pinned_at", message.pinnedAt.map { .integer($0) } ?? .null),
            ("pinned_by", .string(message.pinnedBy?.description ?? "")),
            // Always present, so that a client can detect a removed reaction.
            ("reactions", reactions(of: message)),
        ]
        if let event = message.event { members.append(("event", event)) }
        if let time = message.updatedAt { members.append(("updated_at", .integer(time))) }
        if let time = message.deletedAt {
            members += [("deleted_at", .integer(time / 1000)), ("deletion_actor", .string("sender"))]
        }
        return object(members)
    }

    /// Returns the message in the push of a reaction.
    func liked(_ message: Message, in conversation: GroupMe.ConversationID, at now: Int64) -> JSONValue {
        var members = core(message).filter { !["sender_id", "sender_type"].contains($0.0) }
        members += [
            ("favorited_at", .integer(now / 1000)),
            ("favorited_by", .ids(message.reactions.flatMap(\.users).map(\.entity))), ("location", Self.nowhere),
            ("picture_url", .null),
        ]
        let id = JSONValue.string(conversation.description)
        members += conversation.group == nil ? [("chat_id", id)] : [("group_id", id), ("system", .bool(false))]
        return object(members)
    }

    func reactions(of message: Message) -> JSONValue { .array(message.reactions.map(Self.reaction)) }

    static func reaction(_ reaction: Message.Reaction) -> JSONValue {
        var writer = JSONWriter()
        reaction.symbol.encode(into: &writer)
        let symbol = (try? JSONValue(parsing: writer.bytes[...])) ?? .fields([:])
        return symbol.adding(["user_ids": .ids(reaction.users.map(\.entity))])
    }

    /// Returns a user's read position in a direct conversation. `name` is the key of the conversation's id.
    func receipt(of user: GroupMe.UserID, in conversation: GroupMe.ConversationID, name: String) -> JSONValue? {
        guard let (message, time) = threads[conversation]?.readers[user] else { return nil }
        let id = JSONValue.string(message.description)
        return .fields([
            "id": id, name: .string(conversation.description), "message_id": id,
            "user_id": .string(user.description), "read_at": .integer(time),
        ])
    }

    // MARK: - Groups

    /// Returns the short form of a group that is pushed to a user who was added (GroupMe GM-14).
    func cutDown(_ group: Group) -> JSONValue {
        .fields([
            "avatar_url": .text(group.imageURL), "created_at": .integer(group.createdAt),
            "creator_id": .string(group.creator.description), "description": .string(group.description),
            "disable_sharing": .bool(!group.isShared), "id": .string(group.id.description),
            "max_memberships": .integer(5000), "name": .string(group.name), "share_url": .text(shareURL(group)),
            "type": .string("private"), "updated_at": .integer(group.updatedAt),
        ])
    }

    func shareURL(_ group: Group) -> String? {
        group.isShared ? "https://groupme.com/join_group/\(group.id)/XXXXXXXX" : nil
    }

    /// Returns a group in the form of an answer. Without its members, the list is null and the count 0 (GroupMe GM-29).
    func answered(_ group: Group, withMembers: Bool = true) -> JSONValue {
        let members = group.members.map { answered($0) }
        return .fields([
            "id": .string(group.id.description), "group_id": .string(group.id.description),
            "name": .string(group.name), "type": .string("private"), "description": .string(group.description),
            "image_url": .text(group.imageURL), "creator_user_id": .string(group.creator.description),
            "created_at": .integer(group.createdAt), "updated_at": .integer(group.updatedAt), "muted_until": .null,
            "messages": messages(of: group), "max_members": .integer(5000), "theme_name": .null, "like_icon": .null,
            "requires_approval": .bool(false), "message_deletion_mode": .array([.string("admin"), .string("sender")]),
            "message_edit_period": .integer(15), "children_count": .integer(0), "share_url": .text(shareURL(group)),
            "members": withMembers ? .array(members) : .null,
            "members_count": .integer(withMembers ? Int64(members.count) : 0), "unread_count": .null,
            "last_read_message_id": .null, "last_read_at": .null,
        ])
    }

    private func messages(of group: Group) -> JSONValue {
        let thread = threads[.group(group.id)] ?? Thread()
        let last = thread.messages.last
        return .fields([
            "count": .integer(Int64(thread.count)), "last_message_id": .text(last?.id.description),
            "last_message_created_at": last.map { .integer($0.createdAt) } ?? .null,
            "last_message_updated_at": last.map { .integer($0.updatedAt ?? $0.createdAt) } ?? .null,
            "preview": .fields([
                "nickname": .text(last?.name), "text": .text(last?.text), "image_url": .text(last.map { _ in "" }),
                "attachments": .array(last?.attachments ?? []),
            ]),
        ])
    }

    func answered(_ membership: Membership) -> JSONValue {
        .fields([
            "id": .string(membership.id.description), "user_id": .string(membership.user.description),
            "nickname": .string(membership.nickname),
            "name": .string(user(membership.user)?.name ?? membership.nickname), "image_url": .string(""),
            "muted": .bool(false), "autokicked": .bool(false),
            "roles": .array((membership.roles.isEmpty ? ["user"] : membership.roles).map { .string($0) }),
        ])
    }

    /// Returns a direct conversation from the user's point of view.
    func answered(_ conversation: GroupMe.ConversationID, for user: GroupMe.UserID) -> JSONValue {
        let thread = threads[conversation] ?? Thread()
        let partner = conversation.partner(of: user)
        return .fields([
            "created_at": .integer(thread.messages.first?.createdAt ?? 0),
            "updated_at": .integer(thread.messages.last?.createdAt ?? 0),
            "last_message": thread.messages.last.map { answered($0, in: conversation) } ?? .null,
            "messages_count": .integer(Int64(thread.count)),
            "other_user": .fields([
                "id": .text(partner?.description), "name": .text(partner.flatMap { self.user($0)?.name }),
                "avatar_url": .null,
            ]),
        ])
    }

    func answered(_ user: User) -> JSONValue {
        .fields([
            "id": .string(user.id.description), "user_id": .string(user.id.description), "name": .string(user.name),
            "email": .string("\(user.name.lowercased())@example.org"), "phone_number": .string("+1 5555550100"),
            "image_url": .null, "locale": .string("en-us"), "created_at": .integer(user.createdAt),
            "updated_at": .integer(user.createdAt), "sms": .bool(false),
        ])
    }

    /// Returns `milliseconds` since 1970 as an ISO 8601 date, with four fractional digits as the server writes it.
    static func date(_ milliseconds: Int64) -> String { ISODate.text(milliseconds: milliseconds).dropLast() + "0Z" }
}
