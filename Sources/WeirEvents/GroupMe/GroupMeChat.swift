package import WeirJSON

extension GroupMe {
    /// A direct: the messages between two users (GroupMe GM-44). It has no id of its own, only that of its
    /// conversation.
    public struct Chat: Hashable, Sendable {
        /// The conversation of the two users.
        public var conversation: ConversationID
        /// The user who is not the session's own.
        public var partner: User
        /// The time the direct began.
        public var createdAt: Timestamp?
        /// The time of the last message.
        public var updatedAt: Timestamp?
        /// The number of messages, which may be wrong (GroupMe GM-35).
        public var messagesCount: Int?
        /// The last message, with all its fields.
        public var lastMessage: Message?

        /// Creates a direct of which only the given fields are known.
        public init(conversation: ConversationID, partner: User) {
            self.conversation = conversation
            self.partner = partner
        }
    }

    /// The point up to which a user read a direct (GroupMe GM-16).
    public struct ReadReceipt: Hashable, Sendable {
        /// The conversation of the direct.
        public var conversation: ConversationID
        /// The last message that was read.
        public var message: MessageID
        /// The user who read the message.
        public var user: UserID?
        /// The time the user read the message.
        public var readAt: Timestamp?

        /// Creates a receipt for a message.
        public init(conversation: ConversationID, message: MessageID, user: UserID? = nil, readAt: Timestamp? = nil) {
            self.conversation = conversation
            self.message = message
            self.user = user
            self.readAt = readAt
        }
    }
}

extension GroupMe.Chat {
    /// Writes the chat as a JSON object without the `nil` fields.
    package func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("conversation_id", conversation)
        writer.key("other_user")
        partner.publicPart.encode(into: &writer)
        writer.member("created_at", createdAt)
        writer.member("updated_at", updatedAt)
        writer.member("messages_count", messagesCount)
        if let lastMessage {
            writer.key("last_message")
            lastMessage.encode(into: &writer)
        }
        writer.endObject()
    }

    /// Reads a direct that `encode` wrote.
    package init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        self = try reader.logged("chat") { (reader) throws(Mismatch) in
            try Self(reading: &reader, .log, of: nil)
        }
    }

    /// Reads a direct of `user`, the requesting user. Its conversation comes from `conversation_id`, else from the
    /// other user, else from the last message.
    init(
        reading reader: inout JSONReader, _ form: FieldForm, of user: GroupMe.UserID?
    ) throws(Mismatch) {
        self.init(conversation: .group(""), partner: GroupMe.User(id: ""))
        var known: GroupMe.ConversationID?
        var messageStart: Int?
        let start = try reader.open()
        while let key = try reader.field() {
            if try reader.isNull() { continue }
            if reader.isNamed(key, "other_user") {
                partner = try GroupMe.User(reading: &reader, form)
            } else if reader.isNamed(key, "conversation_id") {
                known = try reader.conversationIfAny()
            } else if reader.isNamed(key, "last_message") {
                messageStart = try reader.pass().lowerBound
            } else if reader.isNamed(key, "messages_count") {
                messagesCount = try reader.countIfAny()
            } else if reader.isNamed(key, "created_at") {
                createdAt = try reader.instantIfAny(form)
            } else if reader.isNamed(key, "updated_at") {
                updatedAt = try reader.instantIfAny(form)
            } else {
                try reader.pass()
            }
        }
        // For a deleted account the service only sends null.
        if partner.id.entity.isNone, let user, let other = known?.partner(of: user) {
            partner = GroupMe.User(id: other)
        }
        let isKnown = !partner.id.entity.isNone
        if known == nil, isKnown, let user { known = .direct(between: user, and: partner.id) }
        if let messageStart {
            let end = reader.offset
            reader.seek(to: messageStart)
            lastMessage = try GroupMe.Message(reading: &reader, form, in: known)
            reader.seek(to: end)
        }
        if !isKnown, let user, let other = lastMessage?.conversation.partner(of: user) {
            partner = GroupMe.User(id: other)
        }
        try partner.id.entity.require("other_user", at: start)
        conversation = try (known ?? lastMessage?.conversation).required("conversation_id", at: start)
    }
}

extension GroupMe.ReadReceipt: FieldedEntity {
    package static let subject = "read receipt"
    package static let blank = Self(conversation: .group(""), message: "")
    package static let fields: [Field<Self>] = [
        Field("conversation_id", wire: "chat_id", "conversation_id", at: \.conversation).required,
        Field("message_id", at: \.message).required,
        Field("user_id", at: \.user),
        .instant("read_at", at: \.readAt),
        .fallback("id", at: \.message),
    ]

    /// Reads a receipt. `place` is the conversation if the receipt does not contain one.
    init(reading reader: inout JSONReader, in place: GroupMe.ConversationID?) throws(Mismatch) {
        try self.init(reading: &reader, from: Self(conversation: place ?? Self.blank.conversation, message: ""))
    }
}

extension GroupMe.ConversationID: FieldScalar {
    static func read(from reader: inout JSONReader, _ form: FieldForm) throws(Mismatch) -> Self? {
        try reader.conversationIfAny()
    }
    func write(into writer: inout JSONWriter) { entity.write(into: &writer) }
    var isBlank: Bool { entity.isNone }
}
