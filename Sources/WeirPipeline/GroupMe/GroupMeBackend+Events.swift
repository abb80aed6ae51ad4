import WeirEvents
import WeirModel
import WeirWire

// Handles pushed events and plans the refetches they cause (GroupMe GM-47).
extension GroupMeBackend {
    /// Clients send typing events every second or every five seconds (GroupMe GM-17). There is no event for the end of
    /// typing.
    private static let typingLifetime: Duration = .seconds(6)
    /// The delay that merges the refetches of a burst of events into one.
    private static let pause: Duration = .milliseconds(100)

    func decode(_ event: WireEvent) throws(DecodingFailure) -> Event {
        guard case .bayeux(let delivery) = event else { throw .foreign(event.name) }
        return .groupMe(try GroupMe.Event(channel: delivery.channel, data: delivery.data))
    }

    mutating func handle(
        _ event: borrowing Event, ackID: Int?, rooms: RoomSubscriptions, into context: inout HandlerContext
    ) {
        guard case .push(let push)? = event.groupMe else { return }
        if case .typing(let typing) = push.content, let place = push.channel.conversation {
            return handle(typing, in: place, into: &context)
        }
        for fact in push.facts { handle(fact, rooms, into: &context) }
    }

    private mutating func handle(_ fact: GroupMe.Fact, _ rooms: RoomSubscriptions, into context: inout HandlerContext) {
        switch fact {
        case .said(let message):
            note(message, into: &context)
            guard isShown(message.conversation, rooms) else { return }
            if let sender = message.sender { endTyping(sender, in: message.conversation, into: &context) }
            // A newest page in flight may not contain this message. Older pages are not affected.
            context.overtake { $0.conversation == message.conversation && $0.isFirstPage }
            context.meet(message)
            context.fetch(.groupMe(.newest(message.conversation)), after: Self.pause)
        case .deleted(let id, let place, let deletion):
            change(id, in: place, rooms, into: &context) { $0.delete(deletion) }
        case .edited(let id, let place, let time, let text, let attachments):
            change(id, in: place, rooms, into: &context) { $0.edit(text, attachments, at: time) }
        case .pinned(let id, let place, let pin):
            change(id, in: place, rooms, into: &context) { $0.pin = pin }
        case .reacted(let id, let place, let reactions):
            change(id, in: place, rooms, into: &context) { $0.react(reactions) }
        case .membersChanged(let group), .groupChanged(let group):
            overtake(group, into: &context)
            context.fetch(.groupMe(.group(group)), after: Self.pause)
        case .joined(let group):
            overtake(group.id, into: &context)
            context.show(group)
            context.want(GroupMe.ConversationID.group(group.id).room)
            context.fetch(.groupMe(.group(group.id)), after: Self.pause)
        case .left(let group):
            leave(group, into: &context)
        case .read(let receipt):
            if isShown(receipt.conversation, rooms) { show(receipt, into: &context) }
        }
    }

    /// Shows how far the partner has read.
    ///
    /// The user's own receipts are ignored, since no answer could correct them. A receipt for an older message does not
    /// undo a newer one.
    func show(_ receipt: GroupMe.ReadReceipt, into context: inout HandlerContext) {
        guard let reader = receipt.user, reader != user else { return }
        let known = context.model[.receipt(of: reader, in: receipt.conversation)]?.receipt
        if let known, receipt.message < known.message { return }
        context.model.put(.receipt(receipt, by: reader))
    }

    /// Marks requests about a group as overtaken, because their answers may contain an older state.
    mutating func overtake(_ group: GroupMe.GroupID, into context: inout HandlerContext) {
        memory.groups.touch(group.entity)
        context.overtake { $0.group == group || $0.isGroupList }
    }

    /// Whether the conversation's room is wanted. Messages of all conversations arrive on the user's channel.
    private func isShown(_ place: GroupMe.ConversationID, _ rooms: RoomSubscriptions) -> Bool {
        rooms.isWanted(place.room)
    }

    /// Moves the message's conversation to the front. An unknown conversation is fetched.
    mutating func note(_ message: GroupMe.Message, into context: inout HandlerContext) {
        switch message.conversation {
        case .group(let id):
            memory.groups.touch(id.entity)
            guard let group = context.model.group(id), !context.model.isFormer(id) else {
                guard discoversRooms else { return }
                return context.fetch(.groupMe(.group(id)), after: Self.pause)
            }
            context.model.put(.group(group.following(message)))
        case .direct:
            memory.chats.touch(message.conversation.entity)
            guard let chat = context.model[.conversation(message.conversation)]?.chat else {
                guard discoversRooms else { return }
                return context.fetch(.groupMe(.chats(page: 1)), after: Self.pause)
            }
            context.model.put(.chat(chat.following(message)))
        }
    }

    /// Changes a held message, and fetches the page that contains it; messages that are not held are only fetched.
    /// Requests in flight may be older than the event.
    private func change(
        _ id: GroupMe.MessageID, in place: GroupMe.ConversationID, _ rooms: RoomSubscriptions,
        into context: inout HandlerContext, _ body: (inout GroupMe.Message) -> Void
    ) {
        guard isShown(place, rooms) else { return }
        context.overtake { $0.conversation == place }
        if var message = context.model.message(id) {
            body(&message)
            context.say(message)
        }
        let behind = context.model.messageBehind(id, of: place, beyond: GroupMeEndpoints.messagesAround)
        let page = behind.map { GroupMeResource.around(place, before: $0) } ?? .newest(place)
        context.fetch(.groupMe(page), after: Self.pause)
    }

    /// Removes a group that the user is no longer in, with its messages and members, and fetches the former groups.
    mutating func leave(_ group: GroupMe.GroupID, into context: inout HandlerContext) {
        overtake(group, into: &context)
        memory.forget(.group(group))
        context.removeMessages(of: .group(group))
        context.removeMembers(of: group)
        context.model.remove(.conversation(.group(group)))
        context.plans.append(.cancel(.channel(group.entity)))
        context.plans.append(.unwant(room: GroupMe.ConversationID.group(group).room))
        context.fetch(.groupMe(.formerGroups), after: Self.pause)
        if memory.groups.isLong { context.fetch(.groupMe(.groups(page: 1)), after: Self.pause) }
    }

    // MARK: Typing

    private mutating func handle(
        _ typing: GroupMe.Typing, in place: GroupMe.ConversationID, into context: inout HandlerContext
    ) {
        // The server also sends the user's own typing events back (GroupMe GM-17).
        guard following.contains(.presence), typing.user != user else { return }
        let name = place.group.flatMap {
            context.model[.member(typing.user.entity, of: $0.entity)]?.membership?.title
        }
        let typist = TypingBook.Typist(
            user: typing.user.entity, name: name ?? context.model[.conversation(place)]?.chat?.partner.name,
            channel: place.entity, thread: nil, until: context.now + Self.typingLifetime)
        let (isNew, dropped) = memory.typing.begin(typist)
        if let dropped { context.tell(.expired, dropped, memory.typing) }
        if isNew { context.tell(.started, typist, memory.typing) }
    }

    private mutating func endTyping(
        _ user: GroupMe.UserID, in place: GroupMe.ConversationID, into context: inout HandlerContext
    ) {
        guard !memory.typing.isEmpty, let typist = memory.typing.end(user.entity, in: place.entity, nil) else { return }
        context.tell(.stopped, typist, memory.typing)
    }
}
