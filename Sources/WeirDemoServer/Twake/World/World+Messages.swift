import WeirEvents
import WeirJSON

/// Actions on messages: posting, replying, editing, reacting, pinning, deleting, moving (Twake TW-48 to TW-52, TW-60).
extension World {
    mutating func post(
        _ text: String, in id: EntityID, by user: User, at now: Int64, id message: EntityID, context: JSONValue? = nil,
        files: [EntityID] = []
    ) throws(WorldError) -> Outcome {
        var channel = try writableChannel(id, by: user)
        try check(text, beside: files)
        let files = claim(files, for: message, by: user)
        threads[message] = Thread(id: message, channel: id, createdBy: user.id, createdAt: now, lastActivity: now)
        channel.threads.append(message)
        store(channel)
        forgetQuietestThread(of: channel)
        return try add(
            Message(
                id: message, thread: message, channel: id, user: user.id, text: text, files: files, context: context,
                createdAt: now, updatedAt: now),
            by: user)
    }

    mutating func reply(
        _ text: String, to head: EntityID, by user: User, at now: Int64, id message: EntityID,
        context: JSONValue? = nil,
        files: [EntityID] = []
    ) throws(WorldError) -> Outcome {
        guard let id = messages[head]?.thread, var thread = threads[id] else { throw .notFound("Thread not found") }
        _ = try writableChannel(thread.channel, by: user)
        guard thread.replies.count < Limit.replies else { throw .refused("Can't write this message.") }
        try check(text, beside: files)
        let files = claim(files, for: message, by: user)
        thread.replies.append(message)
        thread.lastActivity = now
        threads[id] = thread
        return try add(
            Message(
                id: message, thread: id, channel: thread.channel, user: user.id, text: text, files: files,
                context: context, createdAt: now, updatedAt: now),
            by: user)
    }

    mutating func edit(
        _ id: EntityID, text: String, files: [EntityID]?, by user: User, at now: Int64
    ) throws(WorldError) -> Outcome {
        var message = try existingMessage(id, for: user)
        guard message.user == user.id else { throw .refused("Can't write this message.") }
        try check(text, beside: files ?? message.files)
        if let files { message.files = claim(files, for: id, by: user) }
        message.text = text
        message.editedAt = now
        return changed(message, at: now)
    }

    mutating func delete(_ id: EntityID, by user: User, at now: Int64) throws(WorldError) -> Outcome {
        var message = try existingMessage(id, for: user)
        guard message.user == user.id || channel(message.channel)?.owner == user.id else {
            throw .refused("Can't write this message.")
        }
        message.isDeleted = true
        message.text = "Deleted message"
        message.reactions = []
        return changed(message, at: now)
    }

    mutating func react(to id: EntityID, names: [String], by user: User, at now: Int64) throws(WorldError) -> Outcome {
        var message = try existingMessage(id, for: user)
        for index in message.reactions.indices { message.reactions[index].users.removeAll { $0 == user.id } }
        for name in names.prefix(Limit.reactions) where !name.isEmpty && name.count <= 50 {
            if let index = message.reactions.firstIndex(where: { $0.name == name }) {
                if !message.reactions[index].users.contains(user.id) { message.reactions[index].users.append(user.id) }
            } else {
                message.reactions.append(Message.Reaction(name: name, users: [user.id]))
            }
        }
        message.reactions.removeAll { $0.users.isEmpty }
        guard message.reactions.count <= Limit.reactions else { throw .badRequest("Too many reactions") }
        return changed(message, at: now)
    }

    mutating func pin(_ id: EntityID, _ isPinned: Bool, by user: User, at now: Int64) throws(WorldError) -> Outcome {
        var message = try existingMessage(id, for: user)
        message.pin = isPinned ? Message.Pin(at: now, by: user.id) : nil
        return changed(message, at: now)
    }

    /// Moves a message to another thread (Twake TW-60). The message appears there, and no frame reports that it left
    /// the old thread. A head with replies cannot be moved.
    mutating func move(_ id: EntityID, to other: EntityID, by user: User, at now: Int64) throws(WorldError) -> Outcome {
        var message = try existingMessage(id, for: user)
        guard let thread = messages[other]?.thread, var target = threads[thread], var source = threads[message.thread]
        else { throw .notFound("Thread not found") }
        guard source.id != target.id, target.channel == source.channel, target.replies.count < Limit.replies,
            !message.isHead || source.replies.isEmpty
        else { throw .refused("Can't write this message.") }
        source.replies.removeAll { $0 == id }
        threads[source.id] = source
        target.replies.append(id)
        target.lastActivity = now
        threads[thread] = target
        message.thread = thread
        message.updatedAt = now
        messages[id] = message
        var frames = messageFrames(message, .created)
        if source.id == id { frames += forget(source) }
        return Outcome(frames: frames, subject: id)
    }

    // MARK: -

    /// Stores a new message (Twake TW-48, TW-49, TW-50). Frames go to the thread's room, the feed, the lists, era A's
    /// room, then to the notified users.
    private mutating func add(_ message: Message, by user: User) throws(WorldError) -> Outcome {
        messages[message.id] = message
        guard var channel = channel(message.channel) else { throw .notFound("Channel not found") }
        channel.lastActivity = message.createdAt
        channel.lastMessage = summary(of: message, by: user, in: channel)
        store(channel)
        var frames = newMessageFrames(message)
        frames += activityFrames(channel)
        frames.append(updateFrame(message))
        frames += admitParticipants(of: channel, at: message.createdAt)
        frames += notify(of: message)
        return Outcome(frames: frames, subject: message.id)
    }

    /// Stores a changed message (Twake TW-51, TW-52), without an activity, and without a frame for the head of the
    /// thread.
    mutating func changed(_ message: Message, at now: Int64) -> Outcome {
        var message = message
        message.updatedAt = now
        messages[message.id] = message
        let frames = messageFrames(message, .updated) + [updateFrame(message)] + previewFrames(message)
        return Outcome(frames: frames, subject: message.id)
    }

    /// Updates the preview of the channel. Since 2022 it follows edits of the last message, but keeps its time
    /// (Twake TW-33).
    private mutating func previewFrames(_ message: Message) -> [Frame] {
        guard edition == .last, var channel = channel(message.channel), let last = channel.lastMessage,
            last.date == message.createdAt, last.sender == message.user, last.text != message.text
        else { return [] }
        channel.lastMessage?.text = message.text
        store(channel)
        return activityFrames(channel)
    }

    /// Returns the frames of a new message. The last server sends those of a reply twice, and once more for each user
    /// who wrote in the thread, then the head with its counters (Twake TW-50).
    private func newMessageFrames(_ message: Message) -> [Frame] {
        let frames = messageFrames(message, .created)
        guard edition == .last, !message.isHead, let head = messages[message.thread] else { return frames }
        let participants = Set(messages(ofThread: message.thread).map(\.user))
        let repeated = (0..<1 + participants.count).flatMap { _ in frames }
        return frames + repeated + messageFrames(head, .updated)
    }

    /// Returns era B's two frames of a message. The thread's room comes first, and its action is always `saved`
    /// (Twake TW-49). The last server has no such room.
    private func messageFrames(_ message: Message, _ action: Frame.Action) -> [Frame] {
        guard let channel = channel(message.channel) else { return [] }
        let path = "/companies/\(company.id)/threads/\(message.thread)/\(message.id)"
        switch edition {
        case .of2021:
            let resource = json(message)
            return [
                .resource(.saved, "message", room: rooms.thread(message.thread), path: path, resource),
                .resource(action, "message", room: rooms.feed(channel), path: path, resource),
            ]
        case .last:
            let isCounted = message.isHead && action == .updated
            let resource = (isCounted ? enriched(message, lastReplies: 3, withUsers: true) : json(message)).adding([
                "cache": .fields([
                    "company_id": .id(company.id), "workspace_id": .id(channel.workspace),
                    "channel_id": .id(channel.id),
                ]), "status": .string("sent"), "links": .array([]), "quote_message": .null,
            ])
            return [.resource(action, "message", room: rooms.feed(channel), path: path, resource)]
        }
    }

    /// Returns era A's frame of a message, which contains only ids; the thread is empty for a head (Twake TW-24).
    private func updateFrame(_ message: Message) -> Frame {
        .event(
            room: rooms.messageUpdates(message.channel),
            data: .fields([
                "client_id": .string("system"), "action": .string(message.isDeleted ? "remove" : "update"),
                "message_id": .id(message.id), "thread_id": .string(message.isHead ? "" : message.thread.description),
            ]))
    }

    private func summary(of message: Message, by user: User, in channel: Channel) -> MessageSummary {
        MessageSummary(
            date: message.createdAt, sender: user.id, senderName: user.fullName,
            title: title(of: channel, sender: user, withIcon: true), text: message.text)
    }

    private func writableChannel(_ id: EntityID, by user: User) throws(WorldError) -> Channel {
        let channel = try visibleChannel(id, to: user)
        guard channel.membership(of: user.id) != nil || channel.participants.contains(user.id) else {
            throw .refused("Can't write this message.")
        }
        return channel
    }

    func existingMessage(_ id: EntityID, for user: User) throws(WorldError) -> Message {
        guard let message = messages[id], !message.isDeleted else { throw .refused("This message doesn't exists.") }
        _ = try visibleChannel(message.channel, to: user)
        return message
    }

    func check(_ text: String, beside files: [EntityID] = []) throws(WorldError) {
        guard !text.isEmpty || !files.isEmpty else { throw .badRequest("The message has no text") }
        guard text.count <= Limit.text else { throw .badRequest("The message has more than \(Limit.text) characters") }
    }

    private mutating func forgetQuietestThread(of channel: Channel) {
        guard channel.threads.count > maximumThreads, let quietest = feed(of: channel).first else { return }
        for message in messages(ofThread: quietest.id) { messages[message.id] = nil }
        _ = forget(quietest)
    }

    /// Removes a thread from its channel, but not its messages. Returns the frames of the removed badges.
    private mutating func forget(_ thread: Thread) -> [Frame] {
        threads[thread.id] = nil
        if var channel = channel(thread.channel) {
            channel.threads.removeAll { $0 == thread.id }
            store(channel)
        }
        return users.flatMap { removeBadges(of: $0.id, where: { $0.thread == thread.id }) }
    }
}
