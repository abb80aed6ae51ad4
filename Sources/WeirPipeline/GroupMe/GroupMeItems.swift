package import WeirEvents
import WeirModel

// Maps GroupMe entities to rows: identity, section and sort key.
extension Item {
    /// Returns the row of a group, sorted by latest activity first. A group that the user left is in the section of
    /// former groups.
    static func group(_ group: GroupMe.Group, isFormer: Bool = false) -> Item {
        let activity = group.lastMessageAt ?? group.updatedAt ?? group.createdAt
        return Item(
            id: .conversation(.group(group.id)), section: isFormer ? .formerGroups : .groups,
            sortKey: -(activity?.milliseconds ?? 0), entity: Entity(group))
    }

    /// Returns the row of a direct, sorted by latest activity first.
    static func chat(_ chat: GroupMe.Chat) -> Item {
        let activity = chat.lastMessage?.createdAt ?? chat.updatedAt ?? chat.createdAt
        return Item(
            id: .conversation(chat.conversation), section: .chats, sortKey: -(activity?.milliseconds ?? 0),
            entity: Entity(chat))
    }

    /// Returns the row of a message, sorted from oldest to newest.
    static func said(_ message: GroupMe.Message) -> Item {
        Item(
            id: .message(message.id.entity), section: .messages(message.conversation.entity), sortKey: message.sortKey,
            entity: Entity(message))
    }

    /// Returns the row of a group member.
    static func member(_ member: GroupMe.Member) -> Item {
        Item(
            id: .member(member.user.entity, of: member.group.entity), section: .members(member.group.entity),
            sortKey: 0,
            entity: Entity(member))
    }

    /// Returns the row of the user's account, without its private fields.
    static func user(_ user: GroupMe.User) -> Item {
        Item(
            id: .account(user.id.entity), section: .accounts, sortKey: 0, entity: Entity(user.publicPart))
    }

    /// Returns the row that shows how far the partner has read a direct.
    static func receipt(_ receipt: GroupMe.ReadReceipt, by user: GroupMe.UserID) -> Item {
        let conversation = receipt.conversation.entity
        return Item(
            id: .receipt(of: user, in: receipt.conversation), section: .receipts(conversation), sortKey: 0,
            entity: Entity(receipt))
    }

    var group: GroupMe.Group? { entity.as(GroupMe.Group.self) }
    var chat: GroupMe.Chat? { entity.as(GroupMe.Chat.self) }
    var said: GroupMe.Message? { entity.as(GroupMe.Message.self) }
    var receipt: GroupMe.ReadReceipt? { entity.as(GroupMe.ReadReceipt.self) }
    var membership: GroupMe.Member? { entity.as(GroupMe.Member.self) }
}

extension GroupMe.Group: ItemEntity {
    package static let typeName = "groupme.group"
    package var channelName: String? { name }
}
extension GroupMe.Chat: ItemEntity {
    package static let typeName = "groupme.chat"
    package var channelName: String? { partner.name }
    /// The channel of a direct joins the ids with `_`, its id with `+` (GroupMe GM-5).
    package var roomPart: String? {
        String(GroupMe.Channel.conversation(conversation).description.split(separator: "/").last ?? "")
    }
}
extension GroupMe.Message: ItemEntity {
    package static let typeName = "groupme.message"
    package var person: EntityID? { sender?.entity }
    package var saidAt: Timestamp? { createdAt }
    package var saidIn: EntityID? { conversation.entity }
    package var sayer: String? { senderName }
    package var isTakenBack: Bool { isDeleted }
}
extension GroupMe.Member: ItemEntity {
    package static let typeName = "groupme.member"
    package var person: EntityID? { user.entity }
}
extension GroupMe.User: ItemEntity { package static let typeName = "groupme.user" }
extension GroupMe.ReadReceipt: ItemEntity { package static let typeName = "groupme.receipt" }

extension Item.ID {
    static func conversation(_ id: GroupMe.ConversationID) -> Item.ID { Item.ID(.channel, id.entity) }

    static func receipt(of user: GroupMe.UserID, in place: GroupMe.ConversationID) -> Item.ID {
        Item.ID(.badge, user.entity, qualifier: place.entity)
    }
}

extension Item.Section {
    static let groups = Item.Section("groups")
    static let formerGroups = Item.Section("former_groups")
    static let chats = Item.Section("directs")
    static let receiptsName = "receipts"
    static func receipts(_ conversation: EntityID) -> Item.Section { Item.Section(receiptsName, conversation) }
}

extension GroupMe.ConversationID {
    /// The room of the conversation: the name of its Bayeux channel.
    var room: String { GroupMe.Channel.conversation(self).description }
}

extension SectionedCollection<Item> {
    /// Returns a known group, current or former.
    func group(_ id: GroupMe.GroupID) -> GroupMe.Group? { self[.conversation(.group(id))]?.group }

    /// Whether the group is known as one that the user left.
    func isFormer(_ id: GroupMe.GroupID) -> Bool {
        self[.conversation(.group(id))]?.sectionKey == .formerGroups
    }

    /// Returns a message that the model holds.
    func message(_ id: GroupMe.MessageID) -> GroupMe.Message? { self[.message(id.entity)]?.said }

    /// Returns the cursor of an older page that contains the message `id`: the next newer message. `nil` when the
    /// newest `count` messages contain it.
    func messageBehind(
        _ id: GroupMe.MessageID, of place: GroupMe.ConversationID, beyond count: Int
    ) -> GroupMe.MessageID? {
        let held = messages(of: place)
        guard let index = held.lastIndex(where: { $0.id == id }), index + count < held.count else { return nil }
        return held[index + 1].id
    }

    /// Returns the held messages of a conversation, oldest first.
    func messages(of place: GroupMe.ConversationID) -> [GroupMe.Message] {
        rows(in: .messages(place.entity)).compactMap(\.said)
    }
}

// Merges new data with known data.
extension HandlerContext {
    /// Shows a message from an event that is newer than the model. Fields missing from the event keep their values.
    mutating func say(_ message: GroupMe.Message) {
        let known = model.message(message.id)
        take(.said(known.map { message.completed(from: $0) } ?? message))
    }

    /// Shows a new message. Fields that are already known win: a push may be late, and contains the message's first
    /// state.
    mutating func meet(_ message: GroupMe.Message) {
        let known = model.message(message.id)
        take(.said(known.map { $0.completed(from: message) } ?? message))
    }

    /// Shows a message from an answer. An overtaken answer does not change known messages.
    mutating func adopt(_ message: GroupMe.Message, isCurrent: Bool) {
        guard let known = model.message(message.id) else { return take(.said(message)) }
        guard isCurrent else { return }
        take(.said(message.completed(from: known)))
    }

    /// Shows a group, and completes it with known fields that were not sent and with newer messages.
    mutating func show(_ group: GroupMe.Group) {
        let known = model.isFormer(group.id) ? nil : model.group(group.id)
        model.put(.group(known.map { group.completed(from: $0) } ?? group))
    }

    /// Shows a direct, completed with newer messages. The last message is taken from its own row, if that exists.
    mutating func show(_ chat: GroupMe.Chat) {
        var chat = chat
        if let known = model[.conversation(chat.conversation)]?.chat { chat = chat.completed(from: known) }
        if let last = chat.lastMessage { chat.lastMessage = model.message(last.id) ?? last }
        model.put(.chat(chat))
    }

    /// Updates the conversation's last message and message count from a page of the newest messages.
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

    /// Removes held messages that fall into the range of the page but are not on it: the server deleted them.
    ///
    /// With `isWhole`, the range extends to the newest message. An empty page removes nothing.
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

    /// Marks matching requests as overtaken: the server may have answered before the event happened.
    mutating func overtake(where isConcerned: (GroupMeResource) -> Bool) {
        guard refetcher.isFetching else { return }
        refetcher.markStale { $0.groupMe.map(isConcerned) ?? false }
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
    /// Changes the message to what the server keeps of a deleted one: its position, and a sentence that names the
    /// deleter.
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

    /// Applies an edit, unless a newer edit is known or the message was deleted.
    mutating func edit(_ text: String?, _ attachments: [GroupMe.Attachment]?, at time: Timestamp?) {
        if let time, let updatedAt, time.milliseconds < updatedAt.milliseconds { return }
        guard !isDeleted else { return }
        self.text = text ?? self.text
        self.attachments = attachments ?? self.attachments
        updatedAt = time ?? updatedAt
    }

    /// Sets all reactions, as the server sends the complete set. `nil` means that none were sent and changes nothing.
    mutating func react(_ reactions: [GroupMe.Reaction]?) {
        guard let reactions else { return }
        self.reactions = reactions
        var users: [GroupMe.UserID] = []
        for user in reactions.flatMap(\.users) where !users.contains(user) { users.append(user) }
        favoritedBy = users
    }
}

extension GroupMe.Group {
    /// The position of the last message, or `nil` when the group has no messages.
    private var lastPlace: GroupMe.Place? { lastMessage.map { GroupMe.Place(createdAt: lastMessageAt, message: $0) } }

    /// Returns the group after a message in it. The message count becomes `count`, or grows by one. An older message
    /// changes nothing.
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

    /// Returns the group completed with fields that a push left out, such as the one that adds the user, and with a
    /// newer last message.
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
    /// Returns the direct after a message in it. The message count becomes `count`, or grows by one. An older message
    /// changes nothing.
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

    /// Returns the direct, with the known last message if that is newer.
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
