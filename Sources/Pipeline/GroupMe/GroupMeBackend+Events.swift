import Events
import SectionedModel
import Wire

// What is pushed, and what that makes one ask for (section 7).
extension GroupMeBackend {
    /// Clients send it again every second or every five (1.9); nothing says that somebody stopped.
    private static let typingLifetime: Duration = .seconds(6)
    /// What is said in a burst is asked for once.
    private static let pause: Duration = .milliseconds(100)

    func decode(_ event: WireEvent) throws(DecodingFailure) -> Event {
        guard case .bayeux(let delivery) = event else { throw .foreign(event.name) }
        return .groupMe(try GroupMe.Event(channel: delivery.channel, data: delivery.data))
    }

    mutating func handle(_ event: borrowing Event, ackID: Int?, rooms: RoomBook, into transaction: inout Transaction) {
        guard case .push(let push)? = event.groupMe else { return }
        if case .typing(let typing) = push.content, let place = push.channel.conversation {
            return handle(typing, in: place, into: &transaction)
        }
        for fact in push.facts { handle(fact, rooms, into: &transaction) }
    }

    private mutating func handle(_ fact: GroupMe.Fact, _ rooms: RoomBook, into transaction: inout Transaction) {
        switch fact {
        case .said(let message):
            note(message, into: &transaction)
            guard isShown(message.conversation, rooms) else { return }
            if let sender = message.sender { endTyping(sender, in: message.conversation, into: &transaction) }
            // What is in flight and tells what was said last may not know of it; what lies behind is none the older for that.
            transaction.overtake { $0.conversation == message.conversation && $0.isFirstPage }
            transaction.meet(message)
            transaction.fetch(.groupMe(.newest(message.conversation)), after: Self.pause)
        case .deleted(let id, let place, let deletion):
            change(id, in: place, rooms, into: &transaction) { $0.delete(deletion) }
        case .edited(let id, let place, let time, let text, let attachments):
            change(id, in: place, rooms, into: &transaction) { $0.edit(text, attachments, at: time) }
        case .pinned(let id, let place, let pin):
            change(id, in: place, rooms, into: &transaction) { $0.pin = pin }
        case .reacted(let id, let place, let reactions):
            change(id, in: place, rooms, into: &transaction) { $0.react(reactions) }
        case .membersChanged(let group), .groupChanged(let group):
            overtake(group, into: &transaction)
            transaction.fetch(.groupMe(.group(group)), after: Self.pause)
        case .joined(let group):
            overtake(group.id, into: &transaction)
            transaction.show(group)
            transaction.want(GroupMe.ConversationID.group(group.id).room)
            transaction.fetch(.groupMe(.group(group.id)), after: Self.pause)
        case .left(let group):
            leave(group, into: &transaction)
        case .read(let receipt):
            if isShown(receipt.conversation, rooms) { show(receipt, into: &transaction) }
        }
    }

    /// How far the other one read; how far the user did, no answer tells, so that it could not be kept true. Whoever looks at something
    /// older has read no less.
    func show(_ receipt: GroupMe.ReadReceipt, into transaction: inout Transaction) {
        guard let reader = receipt.user, reader != user else { return }
        let known = transaction.model[.receipt(of: reader, in: receipt.conversation)]?.receipt
        if let known, receipt.message < known.message { return }
        transaction.model.put(.receipt(receipt, by: reader))
    }

    /// What is in flight about a group may be answered with what was true before.
    mutating func overtake(_ group: GroupMe.GroupID, into transaction: inout Transaction) {
        memory.groups.touch(group.entity)
        transaction.overtake { $0.group == group || $0.isGroupList }
    }

    /// Messages of all conversations come, wherever the user looks.
    private func isShown(_ place: GroupMe.ConversationID, _ rooms: RoomBook) -> Bool {
        rooms.isWanted(place.room)
    }

    /// A message moves its conversation to the front. One of a conversation that is not known makes it be asked for.
    mutating func note(_ message: GroupMe.Message, into transaction: inout Transaction) {
        switch message.conversation {
        case .group(let id):
            memory.groups.touch(id.entity)
            guard let group = transaction.model.group(id), !transaction.model.isFormer(id) else {
                guard discoversRooms else { return }
                return transaction.fetch(.groupMe(.group(id)), after: Self.pause)
            }
            transaction.model.put(.group(group.following(message)))
        case .direct:
            memory.chats.touch(message.conversation.entity)
            guard let chat = transaction.model[.conversation(message.conversation)]?.chat else {
                guard discoversRooms else { return }
                return transaction.fetch(.groupMe(.chats(page: 1)), after: Self.pause)
            }
            transaction.model.put(.chat(chat.following(message)))
        }
    }

    /// A message that is held changed; that of one that is not, nobody knows: it is asked for. What is being fetched may be older.
    private func change(
        _ id: GroupMe.MessageID, in place: GroupMe.ConversationID, _ rooms: RoomBook,
        into transaction: inout Transaction, _ body: (inout GroupMe.Message) -> Void
    ) {
        guard isShown(place, rooms) else { return }
        transaction.overtake { $0.conversation == place }
        if var message = transaction.model.message(id) {
            body(&message)
            transaction.say(message)
        }
        let behind = transaction.model.messageBehind(id, of: place, beyond: GroupMeEndpoints.messagesAround)
        let page = behind.map { GroupMeResource.around(place, before: $0) } ?? .newest(place)
        transaction.fetch(.groupMe(page), after: Self.pause)
    }

    /// The user is in a group no more: what only it kept true goes, and it stands among the former ones.
    mutating func leave(_ group: GroupMe.GroupID, into transaction: inout Transaction) {
        overtake(group, into: &transaction)
        memory.forget(.group(group))
        transaction.removeMessages(of: .group(group))
        transaction.removeMembers(of: group)
        transaction.model.remove(.conversation(.group(group)))
        transaction.plans.append(.cancel(.channel(group.entity)))
        transaction.plans.append(.unwant(room: GroupMe.ConversationID.group(group).room))
        transaction.fetch(.groupMe(.formerGroups), after: Self.pause)
        if memory.groups.isLong { transaction.fetch(.groupMe(.groups(page: 1)), after: Self.pause) }
    }

    // MARK: Typing

    private mutating func handle(
        _ typing: GroupMe.Typing, in place: GroupMe.ConversationID, into transaction: inout Transaction
    ) {
        // One's own comes back, too (1.9).
        guard following.contains(.presence), typing.user != user else { return }
        let name = place.group.flatMap {
            transaction.model[.member(typing.user.entity, of: $0.entity)]?.membership?.title
        }
        let typist = TypingBook.Typist(
            user: typing.user.entity, name: name ?? transaction.model[.conversation(place)]?.chat?.partner.name,
            channel: place.entity, thread: nil, until: transaction.now + Self.typingLifetime)
        let (isNew, dropped) = memory.typing.begin(typist)
        if let dropped { transaction.tell(.expired, dropped, memory.typing) }
        if isNew { transaction.tell(.started, typist, memory.typing) }
    }

    private mutating func endTyping(
        _ user: GroupMe.UserID, in place: GroupMe.ConversationID, into transaction: inout Transaction
    ) {
        guard !memory.typing.isEmpty, let typist = memory.typing.end(user.entity, in: place.entity, nil) else { return }
        transaction.tell(.stopped, typist, memory.typing)
    }
}
