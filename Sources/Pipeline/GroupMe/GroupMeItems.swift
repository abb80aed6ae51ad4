package import Events
import SectionedModel

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
