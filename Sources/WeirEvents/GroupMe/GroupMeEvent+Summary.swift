/// The properties of `BackendEvent` for GroupMe's events; the protocol documents them.
extension GroupMe.Event {
    package var kind: String {
        switch self {
        case .joined: "join"
        case .joinRefused: "join_error"
        case .left: "leave"
        case .push(let push): push.content.kind
        }
    }

    package var room: String? {
        switch self {
        case .joined(let channel), .joinRefused(let channel, _), .left(let channel): channel.description
        case .push(let push): push.room.description
        }
    }

    package var actor: String? {
        guard case .push(let push) = self else { return nil }
        return switch push.content {
        case .line(let message), .direct(let message), .updated(let message): message.senderTitle
        case .liked(let reacting), .favorite(let reacting), .unliked(let reacting), .reaction(let reacting):
            reacting.user?.description
        case .deleted(let message): message.deletion?.actor == .sender ? message.senderTitle : nil
        case .read(let receipt): receipt.user?.description
        case .typing(let typing): typing.user.description
        case .added, .removed, .group, .ping, .subscribed, .unknown: nil
        }
    }

    package var actorID: String? {
        guard case .push(let push) = self else { return nil }
        return switch push.content {
        case .line(let message), .direct(let message), .updated(let message): message.sender?.description
        case .deleted(let message): message.deletion?.actor == .sender ? message.sender?.description : nil
        case .liked, .favorite, .unliked, .reaction, .read, .typing, .added, .removed, .group, .ping, .subscribed,
            .unknown:
            nil
        }
    }

    package var mentions: [Mention] { message?.mentions ?? [] }
    package var said: (id: String, text: String)? { message.map { ($0.id.description, $0.text ?? "") } }

    /// The message that was sent or changed.
    private var message: GroupMe.Message? {
        guard case .push(let push) = self else { return nil }
        return switch push.content {
        case .line(let message), .direct(let message), .updated(let message): message
        case .liked, .favorite, .unliked, .reaction, .deleted, .read, .typing, .added, .removed, .group, .ping,
            .subscribed, .unknown:
            nil
        }
    }

    package var summary: String {
        switch self {
        case .joined(let channel): "joined \(channel)"
        case .joinRefused(let channel, let message): "join refused: \(channel): \(message)"
        case .left(let channel): "left \(channel)"
        case .push(let push): push.summary
        }
    }

    package var isKnown: Bool {
        guard case .push(let push) = self else { return true }
        switch push.content {
        case .line(let message), .direct(let message): return message.occurrence != .unknown
        case .unknown: return false
        case .liked, .favorite, .unliked, .reaction, .added, .removed, .group, .deleted, .updated, .read, .typing,
            .ping, .subscribed:
            return true
        }
    }

    package var serverTime: Timestamp? {
        guard case .push(let push) = self else { return nil }
        if let time = push.receivedAt { return time }
        return switch push.content {
        case .line(let message), .direct(let message): message.createdAt
        case .typing(let typing): typing.started
        case .read(let receipt): receipt.readAt
        case .liked, .favorite, .unliked, .reaction, .added, .removed, .group, .deleted, .updated, .ping, .subscribed,
            .unknown:
            nil
        }
    }
}

extension Event {
    /// Creates an event of a GroupMe backend.
    public static func groupMe(_ event: GroupMe.Event) -> Event { Event(event) }
    /// The event of a GroupMe backend; `nil` for any other event.
    public var groupMe: GroupMe.Event? { value as? GroupMe.Event }
}

extension GroupMe.Push {
    /// The channel of the conversation that the push describes, on whichever channel it arrived: the messages of all
    /// conversations arrive on the user's channel (GroupMe GM-4).
    fileprivate var room: GroupMe.Channel {
        switch content {
        case .line(let message), .direct(let message), .deleted(let message), .updated(let message):
            .conversation(message.conversation)
        case .liked(let reacting), .favorite(let reacting), .unliked(let reacting), .reaction(let reacting):
            .conversation(reacting.message.conversation)
        case .added(let group), .group(let group): .conversation(.group(group.id))
        case .removed(let group): .conversation(.group(group))
        case .read(let receipt): .conversation(receipt.conversation)
        case .typing, .ping, .subscribed, .unknown: channel
        }
    }
}

extension GroupMe.Push.Content {
    fileprivate var kind: String {
        switch self {
        case .line(let message), .direct(let message): message.kind
        case .liked, .favorite, .unliked, .reaction: "reaction"
        case .added, .removed: "membership"
        case .group: "group"
        case .deleted: "deletion"
        case .updated: "edit"
        case .read: "receipt"
        case .typing: "typing"
        case .ping: "ping"
        case .subscribed: "subscribe"
        case .unknown: "unknown"
        }
    }
}

extension GroupMe.Message {
    fileprivate var kind: String {
        guard isSystem || event != nil else { return "message" }
        return switch occurrence {
        case .membership: "membership"
        case .group: "group"
        case .topic: "topic"
        case .message(.deleted): "deletion"
        case .message(.edited): "edit"
        case .message(.pinned): "pin"
        case .call: "call"
        case .poll: "poll"
        case .calendar: "calendar"
        case .bot: "bot"
        case .privacyNotice, .unknown, nil: "system"
        }
    }

    /// The sender and the text. A message of the server is only its text.
    fileprivate var line: String {
        let text = text?.unlessEmpty ?? attachments.map { "[\($0.title)]" }.joined(separator: " ")
        return isSystem ? text : "\(senderTitle ?? "?"): \(text)"
    }
}

extension GroupMe.Push {
    fileprivate var summary: String {
        switch content {
        case .line(let message), .direct(let message): message.line
        case .liked(let reacting), .favorite(let reacting), .reaction(let reacting):
            alert.unlessEmpty ?? reacting.summary
        case .unliked(let reacting):
            "\(reacting.user?.description ?? "somebody") took back a reaction to message \(reacting.message.id)"
        case .added(let group): alert.unlessEmpty ?? "added to group \"\(group.name ?? group.id.description)\""
        case .removed(let group): "removed from group \(group)"
        case .group(let group): "updated group \"\(group.name ?? group.id.description)\""
        case .deleted(let message): "deleted message \(message.id)"
        case .updated(let message): "edited \(message.line)"
        case .read(let receipt): "\(receipt.user?.description ?? "somebody") read up to message \(receipt.message)"
        case .typing(let typing): "\(typing.user) is typing"
        case .ping: "ping"
        case .subscribed: "another client subscribed"
        case .unknown(let type, let text): type.isEmpty ? text.excerpt : "\(type) \(text.excerpt)"
        }
    }
}

extension GroupMe.Reacting {
    fileprivate var summary: String {
        let title = user?.description ?? "somebody"
        guard let symbol = symbol ?? own else { return "\(title) changed a reaction to message \(message.id)" }
        return "\(title) reacted \(symbol) to message \(message.id)"
    }

    /// The symbol of the user's own reaction.
    private var own: GroupMe.ReactionSymbol? {
        guard let user else { return nil }
        return reactions?.first { $0.users.contains(user) }?.symbol
    }
}

extension GroupMe {
    /// A fact that an event establishes, whichever of its frames reports it. A deletion, an edit and a pin are each
    /// reported twice if both channels are subscribed; the two reports are one fact (GroupMe GM-23).
    public enum Fact: Hashable, Sendable {
        /// A message was sent, or was sent before and is repeated.
        case said(Message)
        /// A message was deleted from its conversation.
        case deleted(MessageID, in: ConversationID, Message.Deletion)
        /// A message was edited: its new text and, if sent, its new attachments.
        case edited(MessageID, in: ConversationID, at: Timestamp?, text: String?, attachments: [Attachment]?)
        /// A message was pinned; the pin is `nil` if the message was unpinned.
        case pinned(MessageID, in: ConversationID, Message.Pin?)
        /// The complete reactions to a message; `nil` if they were not sent and must be fetched.
        case reacted(MessageID, in: ConversationID, [Reaction]?)
        /// The members of a group, or their names in it, changed. Only the roster shows how.
        case membersChanged(GroupID)
        /// The settings or the topics of a group changed.
        case groupChanged(GroupID)
        /// The user is in the group now.
        case joined(Group)
        /// The user is no longer in the group.
        case left(GroupID)
        /// A user read a direct up to a message.
        case read(ReadReceipt)
    }
}

extension GroupMe.Push {
    /// The facts that the push establishes, in order. Empty for transient events such as typing, and for unknown ones.
    public var facts: [GroupMe.Fact] {
        switch content {
        case .line(let message), .direct(let message): [.said(message)] + message.facts
        case .liked(let reacting), .favorite(let reacting), .unliked(let reacting), .reaction(let reacting):
            [.reacted(reacting.message.id, in: reacting.message.conversation, reacting.reactions)]
        case .added(let group): [.joined(group)]
        case .removed(let group): [.left(group)]
        case .group(let group): [.groupChanged(group.id)]
        case .deleted(let message):
            [.deleted(message.id, in: message.conversation, (message.deletion ?? .init()).inSeconds)]
        case .updated(let message):
            [
                .edited(
                    message.id, in: message.conversation, at: message.updatedAt, text: message.text,
                    attachments: message.attachments)
            ]
        case .read(let receipt): [.read(receipt)]
        case .typing, .ping, .subscribed, .unknown: []
        }
    }
}

extension GroupMe.Message {
    /// The facts that a message of the server establishes about anything but itself.
    fileprivate var facts: [GroupMe.Fact] {
        guard let occurrence else { return [] }
        switch occurrence {
        case .membership: return conversation.group.map { [.membersChanged($0)] } ?? []
        case .group(.role, _), .group(.owner, _):
            // Roles are reported for the group and stored in its roster.
            return conversation.group.map { [.membersChanged($0), .groupChanged($0)] } ?? []
        case .group, .topic: return conversation.group.map { [.groupChanged($0)] } ?? []
        case .message(let change): return [change.fact(in: conversation)]
        case .call, .poll, .calendar, .bot, .privacyNotice, .unknown: return []
        }
    }
}

extension GroupMe.MessageChange {
    fileprivate func fact(in conversation: GroupMe.ConversationID) -> GroupMe.Fact {
        switch self {
        case .deleted(let notice):
            .deleted(notice.message, in: conversation, .init(at: notice.at, actor: notice.actor).inSeconds)
        case .edited(let notice):
            .edited(
                notice.message, in: conversation, at: notice.at, text: notice.text, attachments: notice.attachments)
        case .pinned(let message, let isPinned, let time, let user):
            .pinned(message, in: conversation, isPinned ? .init(at: time, by: user) : nil)
        }
    }
}

extension GroupMe.Message.Deletion {
    /// The deletion with its time in seconds: one of its two reports has seconds, the other a finer time
    /// (GroupMe GM-15).
    fileprivate var inSeconds: Self {
        Self(at: at.map { Timestamp(milliseconds: $0.milliseconds - $0.milliseconds % 1000) }, actor: actor)
    }
}
