import WeirEvents
import WeirJSON

// Actions on messages. As in the real service, a deletion, an edit and a pin are also announced by a message from the
// server (GroupMe GM-23).
extension GroupMeWorld {
    mutating func say(
        _ text: String?, _ attachments: [JSONValue], in conversation: GroupMe.ConversationID, guid: String,
        by user: GroupMe.UserID, at now: Int64
    ) throws(GroupMeRefusal) -> GroupMeOutcome {
        guard isVisible(conversation, to: user) else { throw .notFound }
        let recipient = conversation.partner(of: user)
        if conversation.group == nil, recipient.flatMap({ self.user($0) }) == nil { throw .notFound }
        guard text?.isEmpty == false || !attachments.isEmpty else { throw .bad("Text or an attachment is required") }
        guard (text?.count ?? 0) <= Limit.text, attachments.count <= Limit.attachments else {
            throw .bad("Text is too long (maximum is \(Limit.text) characters)")
        }
        guard !guid.isEmpty else { throw .bad("Source guid can't be blank") }
        guids = guids.filter { now - $0.value < 60_000 }
        let key = "\(user) \(guid)"
        guard guids.updateValue(now, forKey: key) == nil else { throw .repeated }
        let message = Message(
            id: newMessageID(at: now), sender: user, name: name(of: user, in: conversation), recipient: recipient,
            text: text, attachments: attachments, createdAt: now / 1000, guid: guid)
        append(message, to: conversation)
        return GroupMeOutcome(
            publications: told(message, in: conversation, alert: "\(message.name): \(text ?? "")", at: now),
            message: message.id)
    }

    mutating func append(_ message: Message, to conversation: GroupMe.ConversationID) {
        var thread = threads.removeValue(forKey: conversation) ?? Thread()
        if thread.count == 0, conversation.group == nil { directs.append(conversation) }
        thread.count += 1
        thread.messages.append(message)
        if thread.messages.count > Limit.messages { thread.messages.removeFirst() }
        threads[conversation] = thread
    }

    /// Returns the pushes of a message to all users in the conversation and to `others`.
    private func told(
        _ message: Message, in conversation: GroupMe.ConversationID, alert: String, at now: Int64,
        and others: [GroupMe.UserID] = []
    ) -> [GroupMePublication] {
        let type = conversation.group == nil ? "direct_message.create" : "line.create"
        let data = push(type, alert: alert, subject: pushed(message, in: conversation), at: now)
        let listeners = listeners(of: conversation)
        return (listeners + others.filter { !listeners.contains($0) }).map {
            GroupMePublication(channel: .user($0), data: data)
        }
    }

    /// Adds a message from the server, and returns its pushes. `others` receive it too.
    mutating func announce(
        _ text: String, _ type: String, _ data: JSONValue, in conversation: GroupMe.ConversationID,
        recipient: GroupMe.UserID? = nil, and others: [GroupMe.UserID] = [], at now: Int64
    ) -> [GroupMePublication] {
        let id = newMessageID(at: now)
        let message = Message(
            id: id, sender: nil, name: "GroupMe", recipient: recipient, text: text, createdAt: now / 1000,
            guid: "server-\(id)", event: .fields(["type": .string(type), "data": data]))
        append(message, to: conversation)
        let alert = conversation.group == nil ? "GroupMe: \(text)" : text
        return told(message, in: conversation, alert: alert, at: now, and: others)
    }

    /// Returns the index of a message that the user may see.
    private func find(
        _ message: GroupMe.MessageID, in conversation: GroupMe.ConversationID, for user: GroupMe.UserID
    ) throws(GroupMeRefusal) -> Int {
        guard isVisible(conversation, to: user), let index = threads[conversation]?.index(of: message) else {
            throw .notFound
        }
        return index
    }

    private func message(_ index: Int, in conversation: GroupMe.ConversationID) -> Message? {
        guard let messages = threads[conversation]?.messages, messages.indices.contains(index) else { return nil }
        return messages[index]
    }

    mutating func edit(
        _ id: GroupMe.MessageID, in conversation: GroupMe.ConversationID, text: String, by user: GroupMe.UserID,
        at now: Int64
    ) throws(GroupMeRefusal) -> GroupMeOutcome {
        let index = try find(id, in: conversation, for: user)
        guard var message = message(index, in: conversation), message.sender == user, message.deletedAt == nil else {
            throw .forbidden
        }
        guard !text.isEmpty, text.count <= Limit.text else { throw .bad("Text is too long or empty") }
        message.text = text
        // An edit within the same second must still differ from the creation time.
        message.updatedAt = max(now / 1000, message.createdAt + 1)
        threads[conversation]?.messages[index] = message
        var publications = toldInChannel("message.update", pushed(message, in: conversation), conversation, at: now)
        publications += announce(
            "\(message.name) edited to: “\(text)”", "message.update",
            .fields([
                "message_id": .string(id.description), "sender_id": .string(user.description),
                "updated_at": .integer(message.updatedAt ?? 0),
                "message": .fields(["text": .string(text), "attachments": .array(message.attachments)]),
            ]), in: conversation, recipient: conversation.partner(of: user), at: now)
        return GroupMeOutcome(publications: publications, message: id)
    }

    mutating func delete(
        _ id: GroupMe.MessageID, in conversation: GroupMe.ConversationID, by user: GroupMe.UserID, at now: Int64
    ) throws(GroupMeRefusal) -> GroupMeOutcome {
        let index = try find(id, in: conversation, for: user)
        guard var message = message(index, in: conversation), message.sender == user, message.deletedAt == nil else {
            throw .forbidden
        }
        message.text = "This message was deleted"
        message.attachments = []
        message.deletedAt = now
        threads[conversation]?.messages[index] = message
        let tombstone = pushed(message, in: conversation, isTombstone: true)
        var publications = toldInChannel("message.deleted", tombstone, conversation, at: now)
        publications += announce(
            "\(message.name) deleted a message", "message.deleted",
            .fields([
                "message_id": .string(id.description), "deleted_at": .integer(now / 1000),
                "deletion_actor": .string("sender"),
            ]), in: conversation, recipient: conversation.partner(of: user), at: now)
        return GroupMeOutcome(publications: publications, message: id)
    }

    mutating func pin(
        _ id: GroupMe.MessageID, in conversation: GroupMe.ConversationID, _ isPinned: Bool, by user: GroupMe.UserID,
        at now: Int64
    ) throws(GroupMeRefusal) -> GroupMeOutcome {
        let index = try find(id, in: conversation, for: user)
        guard var message = message(index, in: conversation), message.deletedAt == nil else { throw .forbidden }
        message.pinnedAt = isPinned ? now / 1000 : nil
        message.pinnedBy = isPinned ? user : nil
        threads[conversation]?.messages[index] = message
        // The service does not report that a pin was removed (GroupMe GM-20).
        guard isPinned else { return GroupMeOutcome(message: id) }
        let publications = announce(
            "\(name(of: user, in: conversation)) pinned a message.", "message.pinned",
            .fields([
                "message_id": .string(id.description), "pinned": .bool(true), "pinned_at": .integer(now / 1000),
                "pinned_by": .string(user.description),
            ]), in: conversation, recipient: conversation.partner(of: user), at: now)
        return GroupMeOutcome(publications: publications, message: id)
    }

    /// Sets or removes a user's reaction. Each user has one per message (GroupMe GM-41); another replaces it.
    mutating func react(
        to id: GroupMe.MessageID, in conversation: GroupMe.ConversationID, with symbol: GroupMe.ReactionSymbol?,
        by user: GroupMe.UserID, at now: Int64
    ) throws(GroupMeRefusal) -> GroupMeOutcome {
        let index = try find(id, in: conversation, for: user)
        guard var message = message(index, in: conversation), message.deletedAt == nil else { throw .forbidden }
        for place in message.reactions.indices { message.reactions[place].users.removeAll { $0 == user } }
        if let symbol {
            if let place = message.reactions.firstIndex(where: { $0.symbol == symbol }) {
                message.reactions[place].users.append(user)
            } else {
                message.reactions.append(Message.Reaction(symbol: symbol, users: [user]))
            }
        }
        message.reactions.removeAll { $0.users.isEmpty }
        threads[conversation]?.messages[index] = message
        return GroupMeOutcome(publications: told(message, in: conversation, symbol, by: user, at: now), message: id)
    }

    /// Returns the publications of a reaction: to the conversation's channel, and to the message's author.
    private func told(
        _ message: Message, in conversation: GroupMe.ConversationID, _ symbol: GroupMe.ReactionSymbol?,
        by user: GroupMe.UserID, at now: Int64
    ) -> [GroupMePublication] {
        let line = liked(message, in: conversation, at: now)
        var subject = JSONValue.fields([
            conversation.group == nil ? "direct_message" : "line": line, "reactions": reactions(of: message),
            "user_id": .string(user.description),
        ])
        var publications = toldInChannel("favorite", subject, conversation, at: now)
        guard let symbol, let author = message.sender, author != user else { return publications }
        let own = Message.Reaction(symbol: symbol, users: [user])
        subject = subject.adding(["user_reaction": Self.reaction(own)])
        let alert = "\(name(of: user, in: conversation)) reacted \(symbol) to \(message.text ?? "your message")"
        publications.append(
            GroupMePublication(
                channel: .user(author), data: push("like.create", alert: alert, subject: subject, at: now)))
        return publications
    }

    mutating func read(
        _ id: GroupMe.MessageID, in conversation: GroupMe.ConversationID, by user: GroupMe.UserID, at now: Int64
    ) throws(GroupMeRefusal) -> GroupMeOutcome {
        _ = try find(id, in: conversation, for: user)
        // A read position never moves back to an older message.
        if let (read, _) = threads[conversation]?.readers[user], id <= read { return GroupMeOutcome(message: read) }
        threads[conversation]?.readers[user] = (id, now / 1000)
        guard conversation.group == nil else { return GroupMeOutcome(message: id) }
        let receipt = receipt(of: user, in: conversation, name: "chat_id") ?? .null
        return GroupMeOutcome(
            publications: toldInChannel("read_receipt.create", receipt, conversation, at: now), message: id)
    }

    func type(
        in conversation: GroupMe.ConversationID, by user: GroupMe.UserID, at now: Int64
    ) throws(GroupMeRefusal) -> GroupMeOutcome {
        guard isVisible(conversation, to: user) else { throw .notFound }
        let data = JSONValue.fields([
            "type": .string("typing"), "user_id": .string(user.description), "started": .integer(now),
        ])
        return GroupMeOutcome(publications: [.init(channel: .conversation(conversation), data: data)])
    }

    private func toldInChannel(
        _ type: String, _ subject: JSONValue, _ conversation: GroupMe.ConversationID, at now: Int64
    ) -> [GroupMePublication] {
        [
            GroupMePublication(
                channel: .conversation(conversation), data: push(type, alert: "", subject: subject, at: now))
        ]
    }
}
