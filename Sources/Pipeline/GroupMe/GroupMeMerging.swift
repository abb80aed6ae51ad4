import Events
import SectionedModel

// How what is known and what comes later are put together.
extension Transaction {
    /// Shows a message as an event has it; what the event does not carry is kept.
    mutating func say(_ message: GroupMe.Message) {
        let known = model.message(message.id)
        take(.said(known.map { message.completed(from: $0) } ?? message))
    }

    /// Shows a message that was said. What is known of it already is newer: a push may come late, and tells how it was at first.
    mutating func meet(_ message: GroupMe.Message) {
        let known = model.message(message.id)
        take(.said(known.map { $0.completed(from: message) } ?? message))
    }

    /// Shows a message as an answer has it. An answer that was overtaken says nothing of messages that are known.
    mutating func adopt(_ message: GroupMe.Message, isCurrent: Bool) {
        guard let known = model.message(message.id) else { return take(.said(message)) }
        guard isCurrent else { return }
        take(.said(message.completed(from: known)))
    }

    /// Shows a group, with what is known of it and was not sent, and with what was said since in it.
    mutating func show(_ group: GroupMe.Group) {
        let known = model.isFormer(group.id) ? nil : model.group(group.id)
        model.put(.group(known.map { group.completed(from: $0) } ?? group))
    }

    /// Shows a direct, with what was said since in it. What was said last is as its own row says, where there is one.
    mutating func show(_ chat: GroupMe.Chat) {
        var chat = chat
        if let known = model[.conversation(chat.conversation)]?.chat { chat = chat.completed(from: known) }
        if let last = chat.lastMessage { chat.lastMessage = model.message(last.id) ?? last }
        model.put(.chat(chat))
    }

    /// A page of the newest messages says also what was said last, and how much.
    mutating func follow(_ page: GroupMe.MessagePage, in place: GroupMe.ConversationID) {
        guard let last = page.messages.max(by: { $0.place < $1.place }), let row = model[.conversation(place)] else {
            return
        }
        if let group = row.group, row.sectionKey == .groups {
            model.put(.group(group.following(last, count: page.count)))
        } else if let chat = row.chat {
            model.put(.chat(chat.following(model.message(last.id) ?? last, count: page.count)))
        }
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
        model.remove(.hole(place.entity))
        for row in model.rows(in: .messages(place.entity)) { model.remove(row.id) }
        for row in model.rows(in: .receipts(place.entity)) { model.remove(row.id) }
    }

    mutating func removeMembers(of group: GroupMe.GroupID) {
        for row in model.rows(in: .members(group.entity)) { model.remove(row.id) }
    }

    /// What is in flight about it may have been read before it happened.
    mutating func overtake(where isConcerned: (GroupMeResource) -> Bool) {
        guard refetcher.isFetching else { return }
        refetcher.taint { $0.groupMe.map(isConcerned) ?? false }
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
            default: "This message was deleted"
            }
    }

    /// An edit; one that came late is none any more, nor is there one of what was deleted.
    mutating func edit(_ text: String?, _ attachments: [GroupMe.Attachment]?, at time: Timestamp?) {
        if let time, let updatedAt, time.milliseconds < updatedAt.milliseconds { return }
        guard !isDeleted else { return }
        self.text = text ?? self.text
        self.attachments = attachments ?? self.attachments
        updatedAt = time ?? updatedAt
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
    /// Where its last message stands; nil when nothing was said.
    private var lastPlace: GroupMe.Place? { lastMessage.map { GroupMe.Place(createdAt: lastMessageAt, message: $0) } }

    /// The group once a message was said in it: one more, or as many as an answer counts. One that was said before changes nothing.
    func following(_ message: GroupMe.Message, count: Int? = nil) -> GroupMe.Group {
        if let lastPlace, message.place < lastPlace || (message.place == lastPlace && count == nil) { return self }
        var group = self
        group.lastMessage = message.id
        group.lastMessageAt = message.createdAt
        group.lastMessageUpdatedAt = message.isEdited ? message.updatedAt : message.createdAt
        group.messagesCount = count ?? messagesCount.map { $0 + 1 }
        group.preview = Preview(nickname: message.senderName, text: message.text)
        return group
    }

    /// What a message that told of the group left out, as the user's being added does; and what was said since.
    func completed(from known: GroupMe.Group) -> GroupMe.Group {
        var group = self
        group.membersCount = membersCount ?? known.membersCount
        guard let knownPlace = known.lastPlace, lastPlace.map({ $0 < knownPlace }) ?? true else { return group }
        (group.lastMessage, group.preview) = (known.lastMessage, known.preview)
        (group.lastMessageAt, group.lastMessageUpdatedAt) = (known.lastMessageAt, known.lastMessageUpdatedAt)
        group.messagesCount = known.messagesCount ?? messagesCount
        return group
    }
}

extension GroupMe.Chat {
    /// The direct once a message was said in it: one more, or as many as an answer counts. One that was said before changes nothing.
    func following(_ message: GroupMe.Message, count: Int? = nil) -> GroupMe.Chat {
        if let last = lastMessage?.place, message.place < last || (message.place == last && count == nil) {
            return self
        }
        var chat = self
        chat.lastMessage = message
        chat.updatedAt = message.createdAt ?? updatedAt
        chat.messagesCount = count ?? messagesCount.map { $0 + 1 }
        return chat
    }

    /// The direct with what was said since.
    func completed(from known: GroupMe.Chat) -> GroupMe.Chat {
        guard let knownLast = known.lastMessage, lastMessage.map({ $0.place < knownLast.place }) ?? true else {
            return self
        }
        var chat = self
        chat.lastMessage = knownLast
        chat.updatedAt = known.updatedAt
        chat.messagesCount = known.messagesCount ?? messagesCount
        return chat
    }
}
