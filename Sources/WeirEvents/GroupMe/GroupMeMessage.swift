package import WeirJSON

extension GroupMe {
    /// A message of a group or a direct (GroupMe GM-10, GM-33). Fields that are absent or null on the wire are `nil`.
    ///
    /// A push contains other fields than an answer. A `nil` field was not sent, so its known value
    /// still holds (`completed(from:)`).
    public struct Message: Hashable, Sendable {
        /// The message's id, called `id` on the wire.
        public var id: MessageID
        /// The conversation. Frames call it `group_id` or `chat_id`, answers `group_id` or `conversation_id`.
        public var conversation: ConversationID
        /// The sender: `sender_id`, else `user_id`. `system` for messages of the server.
        public var sender: UserID?
        /// The kind of sender, such as a user or a bot.
        public var senderType: SenderType?
        /// The sender's name at that time.
        public var senderName: String?
        /// The address of the sender's picture.
        public var avatarURL: String?
        /// The recipient; only directs have one.
        public var recipient: UserID?
        /// The text; `nil` if there are only attachments.
        public var text: String?
        /// The time the message was sent, in whole seconds: many messages have the same time (GroupMe GM-28).
        public var createdAt: Timestamp?
        /// The time of the last change. Messages that were never changed can have it too: see `isEdited`
        /// (GroupMe GM-20).
        public var updatedAt: Timestamp?
        /// An identifier from the sender's client, with which that client recognises the message.
        public var sourceGUID: String?
        /// The wire's `system`, which direct messages lack: see `isSystem`.
        public var saysSystem: Bool?
        /// The attachments, in wire order.
        public var attachments: [Attachment] = []
        /// The users who reacted, each once; `nil` when not sent, which does not mean none.
        public var favoritedBy: [UserID]?
        /// The reactions; `nil` when not sent, which does not mean none.
        public var reactions: [Reaction]?
        /// The event that a message of the server reports.
        public var event: SystemEvent?
        /// The time and author of the pin; `nil` if the message is not pinned.
        public var pin: Pin?
        /// The deletion; `nil` if the message is not deleted. The text of a deleted message only states the deletion.
        public var deletion: Deletion?
        /// For a message in a topic, the parent group. Never a message (GroupMe GM-38).
        public var parent: GroupID?
        /// The platform that sent the message: `gm`.
        public var platform: String?

        /// Creates a message of which only the given fields are known.
        public init(id: MessageID, conversation: ConversationID, text: String? = nil) {
            self.id = id
            self.conversation = conversation
            self.text = text
        }

        /// The time and author of a message's pin.
        public struct Pin: Hashable, Sendable {
            /// The time the message was pinned.
            public var at: Timestamp?
            /// The user who pinned the message.
            public var by: UserID?
        }

        /// The time of a message's deletion, and the role of its author.
        public struct Deletion: Hashable, Sendable {
            /// The time the message was deleted. The tombstone's own frame has a date with fractions,
            /// all others have seconds (GroupMe GM-15).
            public var at: Timestamp?
            /// The role of the user who deleted the message.
            public var actor: DeletionActor?
        }
    }

    /// The position of a message among others: by its time, and within a second by the number
    /// that its id represents (GroupMe GM-28).
    public struct Place: Hashable, Comparable, Sendable {
        /// The time the message was sent.
        public var createdAt: Timestamp?
        /// The id of the message itself.
        public var message: MessageID

        /// Creates the position of a message.
        public init(createdAt: Timestamp?, message: MessageID) {
            self.createdAt = createdAt
            self.message = message
        }

        /// Orders positions from earlier to later; a position without a time comes before all others.
        public static func < (a: Self, b: Self) -> Bool {
            if a.createdAt == b.createdAt { return a.message < b.message }
            return (a.createdAt?.milliseconds ?? .min) < (b.createdAt?.milliseconds ?? .min)
        }
    }
}

extension GroupMe.Message {
    /// The position among other messages.
    public var place: GroupMe.Place { GroupMe.Place(createdAt: createdAt, message: id) }

    /// The position as one number. It is larger for a message of a later second, and for a larger id of the same
    /// second, as long as ids begin with that second (GroupMe GM-28). A message with any other id is first or last in
    /// its second.
    public var sortKey: Int64 {
        let second = max(0, min(createdAt?.milliseconds ?? 0, 90_000_000_000_000)) / 1000
        let first = second * 100_000_000
        guard let number = Int64(id.description) else { return first }
        return min(max(number, first), first + 99_999_999)
    }

    /// Whether the server sent the message. In directs only the sender shows it; in 2014 the
    /// sender was user 0 (GroupMe GM-11, GM-21).
    public var isSystem: Bool {
        if saysSystem == true || sender == .system { return true }
        return switch senderType {
        case .system, .service: true
        case .some: false
        case nil: sender == "0" && senderName == "GroupMe"
        }
    }

    /// Whether the text was changed. A message that was never changed may have the time it was
    /// sent in `updatedAt` (GroupMe GM-20).
    public var isEdited: Bool {
        guard let updatedAt, let createdAt, deletion == nil else { return false }
        return createdAt < updatedAt
    }

    /// Whether the message is deleted.
    public var isDeleted: Bool { deletion != nil }

    /// The sender in readable form: the name, else the id.
    public var senderTitle: String? { senderName ?? sender?.description }

    /// The reported event: from the `event` object or, as in 2014, from the text (GroupMe GM-21).
    public var occurrence: GroupMe.SystemEvent.Content? {
        if let event { return event.content }
        guard isSystem, let text else { return nil }
        return GroupMe.SystemEvent.Content(sentence: text)
    }

    /// Returns the message with the values of `known` in place of fields that were not sent, such as the reactions: a
    /// missing list is not an empty one.
    public func completed(from known: GroupMe.Message) -> GroupMe.Message {
        var message = self
        message.reactions = reactions ?? known.reactions
        message.favoritedBy = favoritedBy ?? known.favoritedBy
        message.platform = platform ?? known.platform
        message.event = event ?? known.event
        message.senderType = senderType ?? known.senderType
        message.saysSystem = saysSystem ?? known.saysSystem
        message.sourceGUID = sourceGUID ?? known.sourceGUID
        message.parent = parent ?? known.parent
        return message
    }
}

extension GroupMe.Message {
    /// Writes the message as a JSON object without the `nil` fields.
    package func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id)
        writer.member("conversation_id", conversation)
        writer.member("sender_id", sender)
        writer.member("sender_type", senderType?.wireName)
        writer.member("name", senderName)
        writer.member("avatar_url", avatarURL)
        writer.member("recipient_id", recipient)
        writer.member("text", text)
        writer.member("created_at", createdAt)
        writer.member("updated_at", updatedAt)
        writer.member("source_guid", sourceGUID)
        writer.member("system", saysSystem)
        if !attachments.isEmpty {
            writer.key("attachments")
            writer.beginArray()
            for attachment in attachments { writer.inertRaw(attachment.json) }
            writer.endArray()
        }
        encodeState(into: &writer)
        writer.endObject()
    }

    private func encodeState(into writer: inout JSONWriter) {
        writer.member("favorited_by", favoritedBy)
        if let reactions {
            writer.key("reactions")
            writer.beginArray()
            for reaction in reactions { reaction.encode(into: &writer) }
            writer.endArray()
        }
        writer.member("event", event?.json)
        writer.member("pinned", pin == nil ? nil : true)
        writer.member("pinned_at", pin?.at)
        writer.member("pinned_by", pin?.by)
        writer.member("deleted", deletion == nil ? nil : true)
        writer.member("deleted_at", deletion?.at)
        writer.member("deletion_actor", deletion?.actor?.wireName)
        writer.member("parent_id", parent)
        writer.member("platform", platform)
    }

    /// Reads a message that `encode` wrote.
    package init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        self = try reader.logged("message") { (reader) throws(Mismatch) in
            try Self(reading: &reader, .log, in: nil)
        }
    }

    /// Reads a message of a frame, an answer, or a file of Weir's. `place` is its conversation if the
    /// message does not contain one.
    init(
        reading reader: inout JSONReader, _ form: FieldForm, in place: GroupMe.ConversationID?
    ) throws(Mismatch) {
        self.init(id: "", conversation: place ?? .group(""))
        var rest = MessageFrame()
        let start = try reader.open()
        while let key = try reader.field() {
            if try reader.isNull() { continue }
            if try takeContent(key, from: &reader) { continue }
            if try takeState(key, from: &reader, form) { continue }
            if try !rest.take(key, from: &reader, form) { try reader.pass() }
        }
        try id.entity.require("id", at: start)
        sender = rest.sender ?? rest.user
        conversation = try rest.conversation(place, sender, recipient).required("group_id", at: start)
        if rest.isPinned { pin = Pin(at: rest.pinnedAt, by: rest.pinnedBy) }
        if rest.isDeleted { deletion = Deletion(at: rest.deletedAt, actor: rest.deletionActor) }
    }

    private mutating func takeContent(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "id") {
            id = try reader.groupMeID() ?? id
        } else if reader.isNamed(key, "text") {
            text = try reader.text()
        } else if reader.isNamed(key, "name") {
            senderName = try reader.text().unlessEmpty
        } else if reader.isNamed(key, "avatar_url") {
            avatarURL = try reader.text().unlessEmpty
        } else if reader.isNamed(key, "sender_type") {
            senderType = GroupMe.SenderType(wire: try reader.text())
        } else if reader.isNamed(key, "recipient_id") {
            recipient = try reader.groupMeID()
        } else if reader.isNamed(key, "source_guid") {
            sourceGUID = try reader.text().unlessEmpty
        } else if reader.isNamed(key, "attachments") {
            attachments = try GroupMe.Attachment.list(reading: &reader)
        } else if reader.isNamed(key, "platform") {
            platform = try reader.text().unlessEmpty
        } else {
            return false
        }
        return true
    }

    private mutating func takeState(
        _ key: JSONKey, from reader: inout JSONReader, _ form: FieldForm
    ) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "created_at") {
            createdAt = try reader.instantIfAny(form)
        } else if reader.isNamed(key, "updated_at") {
            updatedAt = try reader.instantIfAny(form)
        } else if reader.isNamed(key, "system") {
            saysSystem = try reader.flagIfAny()
        } else if reader.isNamed(key, "favorited_by") {
            favoritedBy = try reader.favorers()
        } else if reader.isNamed(key, "reactions") {
            reactions = try GroupMe.Reaction.list(reading: &reader)
        } else if reader.isNamed(key, "event") {
            event = GroupMe.SystemEvent(try reader.keptText())
        } else if reader.isNamed(key, "parent_id") {
            parent = try reader.groupMeID()
        } else {
            return false
        }
        return true
    }
}

/// The parts of a message that several fields describe, while it is being read: the sender, the
/// conversation, the pin and the deletion.
private struct MessageFrame {
    var sender: GroupMe.UserID?
    var user: GroupMe.UserID?
    var group: GroupMe.ConversationID?
    var direct: GroupMe.ConversationID?
    var isPinned = false
    var pinnedAt: Timestamp?
    var pinnedBy: GroupMe.UserID?
    var isDeleted = false
    var deletedAt: Timestamp?
    var deletionActor: GroupMe.DeletionActor?

    mutating func take(
        _ key: JSONKey, from reader: inout JSONReader, _ form: FieldForm
    ) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "sender_id") {
            sender = try reader.groupMeID()
        } else if reader.isNamed(key, "user_id") {
            user = try reader.groupMeID()
        } else if reader.isNamed(key, "group_id") {
            group = try reader.conversationIfAny()
        } else if reader.isNamed(key, "chat_id") || reader.isNamed(key, "conversation_id") {
            direct = try reader.conversationIfAny()
        } else if reader.isNamed(key, "pinned") {
            isPinned = try reader.flagIfAny() ?? false || isPinned
        } else if reader.isNamed(key, "pinned_at") {
            pinnedAt = try reader.instantIfAny(form)
            isPinned = isPinned || pinnedAt != nil
        } else if reader.isNamed(key, "pinned_by") {
            pinnedBy = try reader.groupMeID()
            isPinned = isPinned || pinnedBy != nil
        } else {
            return try takeDeletion(key, from: &reader, form)
        }
        return true
    }

    private mutating func takeDeletion(
        _ key: JSONKey, from reader: inout JSONReader, _ form: FieldForm
    ) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "deleted") {
            isDeleted = try reader.flagIfAny() ?? false || isDeleted
        } else if reader.isNamed(key, "deleted_at") {
            deletedAt = try reader.deletionTime(form)
            isDeleted = true
        } else if reader.isNamed(key, "deletion_actor") {
            deletionActor = try GroupMe.DeletionActor.ifAny(reading: &reader)
            isDeleted = isDeleted || deletionActor != nil
        } else {
            return false
        }
        return true
    }

    /// Returns the conversation: a group; else a direct by its id; else that of the request; else the
    /// direct of sender and recipient.
    func conversation(
        _ place: GroupMe.ConversationID?, _ sender: GroupMe.UserID?, _ recipient: GroupMe.UserID?
    ) -> GroupMe.ConversationID? {
        if let known = group ?? direct ?? place { return known }
        guard let sender, let recipient, sender != .system else { return nil }
        return .direct(between: sender, and: recipient)
    }
}

extension JSONReader {
    /// Reads the time of a deletion. A date that cannot be read gives `nil`: the message is deleted all the same
    /// and must not be shown as alive.
    mutating func deletionTime(_ form: FieldForm) throws(Mismatch) -> Timestamp? {
        let start = offset
        do { return try instantIfAny(form) } catch {
            seek(to: start)
            guard try kind() == .string else { throw error }
            try pass()
            return nil
        }
    }

    /// Reads the users who reacted. The wire names a user once for each reaction (GroupMe GM-39), the result only once.
    mutating func favorers() throws(Mismatch) -> [GroupMe.UserID] {
        var users: [GroupMe.UserID] = []
        var seen: Set<GroupMe.UserID> = []
        for user in try groupMeIDs() as [GroupMe.UserID] where seen.insert(user).inserted { users.append(user) }
        return users
    }
}
