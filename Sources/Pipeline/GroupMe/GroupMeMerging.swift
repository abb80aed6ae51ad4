import Events
import SectionedModel

// How what is known and what comes later are put together.
extension Transaction {
    /// Shows a message as an event has it; what the event does not carry is kept.
    mutating func say(_ message: GroupMe.Message) {
        let known = model.message(message.id)
        take(.said(known.map { message.completed(from: $0) } ?? message))
    }

    /// Shows a message as an answer has it. An answer that was overtaken says nothing of messages that are known.
    mutating func adopt(_ message: GroupMe.Message, isCurrent: Bool) {
        guard let known = model.message(message.id) else { return take(.said(message)) }
        guard isCurrent else { return }
        take(.said(message.completed(from: known)))
    }

    /// Shows a group, with what is known of it and was not sent.
    mutating func show(_ group: GroupMe.Group) {
        let known = model.group(group.id)
        model.put(.group(known.map { group.completed(from: $0) } ?? group))
    }

    /// Removes messages that are held and stand where the page has others: the server has them no more. Without a page nothing was said,
    /// if nothing is newer.
    mutating func removeUnlisted(
        _ messages: [GroupMe.Message], in place: GroupMe.ConversationID, isWhole: Bool
    ) {
        guard let oldest = messages.map(\.place).min(), let newest = messages.map(\.place).max() else { return }
        let listed = Set(messages.map(\.id))
        for message in model.messages(of: place) where !listed.contains(message.id) {
            guard oldest < message.place, isWhole || message.place < newest else { continue }
            model.remove(.message(message.id.entity))
        }
    }

    mutating func removeMessages(of place: GroupMe.ConversationID) {
        for row in model.rows(in: .messages(place.entity)) { model.remove(row.id) }
        for row in model.rows(in: Item.Section("receipts", place.entity)) { model.remove(row.id) }
    }

    mutating func removeMembers(of group: GroupMe.GroupID) {
        for row in model.rows(in: .members(group.entity)) { model.remove(row.id) }
    }

    /// What is in flight about the messages of a conversation may be answered with what was true before.
    mutating func overtakeMessages(of place: GroupMe.ConversationID) {
        guard refetcher.isFetching else { return }
        refetcher.taint { if case .groupMe(let resource) = $0 { resource.conversation == place } else { false } }
    }

    /// What is in flight and tells what was said last may not know of the newest message; what lies behind it is none the older for that.
    mutating func overtakeNewest(of place: GroupMe.ConversationID) {
        guard refetcher.isFetching else { return }
        refetcher.taint { key in
            if case .groupMe(let resource) = key {
                resource.conversation == place && resource.isFirstPage
            } else {
                false
            }
        }
    }

    mutating func overtakeGroup(_ group: GroupMe.GroupID) {
        guard refetcher.isFetching else { return }
        refetcher.taint { if case .groupMe(.group(group)) = $0 { true } else { false } }
    }

    mutating func tell(_ change: TypingReport.Change, _ typist: TypingBook.Typist, _ book: TypingBook) {
        let place = GroupMe.ConversationID(typist.channel.description)
        let row = place.flatMap { model[.conversation($0)] }
        plans.append(
            .typing(
                TypingReport(
                    change: change, user: typist.user, name: typist.name, channel: typist.channel,
                    channelName: row?.group?.name ?? row?.chat?.partner.name, thread: nil,
                    typing: book.names(in: typist.channel, nil))))
    }
}

extension GroupMe.Message {
    /// What the server leaves of a deleted message: its place, and a sentence that says by whom.
    mutating func delete(_ deletion: Deletion) {
        self.deletion = deletion
        attachments = []
        text =
            switch deletion.actor {
            case .admin: "An admin deleted this message"
            case .system: "This message was removed"
            case .sender, .unknown, nil: "This message was deleted"
            }
    }

    /// The whole set of reactions after a change. Where it is not sent nothing is known of it.
    mutating func react(_ reactions: [GroupMe.Reaction]?) {
        guard let reactions else { return }
        self.reactions = reactions
        var users: [GroupMe.UserID] = []
        for user in reactions.flatMap(\.users) where !users.contains(user) { users.append(user) }
        favoritedBy = users
    }
}

extension GroupMe.Group {
    /// The group once a message was said in it.
    func following(_ message: GroupMe.Message, isNew: Bool) -> GroupMe.Group {
        guard isNew, (lastMessageAt?.milliseconds ?? 0) <= (message.createdAt?.milliseconds ?? 0) else { return self }
        var group = self
        group.lastMessage = message.id
        group.lastMessageAt = message.createdAt
        group.lastMessageUpdatedAt = message.createdAt
        group.messagesCount = messagesCount.map { $0 + 1 }
        group.preview = Preview(nickname: message.senderName, text: message.text)
        return group
    }

    /// What a message that told of the group left out, as the user's being added does.
    func completed(from known: GroupMe.Group) -> GroupMe.Group {
        var group = self
        if group.lastMessage == nil { (group.lastMessage, group.preview) = (known.lastMessage, known.preview) }
        group.lastMessageAt = lastMessageAt ?? known.lastMessageAt
        group.lastMessageUpdatedAt = lastMessageUpdatedAt ?? known.lastMessageUpdatedAt
        group.messagesCount = messagesCount ?? known.messagesCount
        group.membersCount = membersCount ?? known.membersCount
        return group
    }
}

extension GroupMe.Chat {
    /// The direct once a message was said in it.
    func following(_ message: GroupMe.Message, isNew: Bool) -> GroupMe.Chat {
        guard isNew, lastMessage.map({ $0.place < message.place }) ?? true else { return self }
        var chat = self
        chat.lastMessage = message
        chat.updatedAt = message.createdAt ?? updatedAt
        chat.messagesCount = messagesCount.map { $0 + 1 }
        return chat
    }
}
