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
