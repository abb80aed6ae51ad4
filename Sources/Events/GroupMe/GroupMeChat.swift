package import JSONText

extension GroupMe {
    /// What two users say to each other (3.6). It has no id of its own but its conversation's.
    public struct Chat: Hashable, Sendable {
        /// The conversation.
        public var conversation: ConversationID
        /// The one who is not the user.
        public var partner: User
        /// When it began.
        public var createdAt: Timestamp?
        /// When something was last said.
        public var updatedAt: Timestamp?
        /// How many messages there are; may be wrong (3.4).
        public var messagesCount: Int?
        /// The last message, all of it.
        public var lastMessage: Message?

        /// A chat of which no more is known.
        public init(conversation: ConversationID, partner: User) {
            self.conversation = conversation
            self.partner = partner
        }
    }

    /// That somebody read a direct up to a message (1.9).
    public struct ReadReceipt: Hashable, Sendable {
        /// The direct.
        public var conversation: ConversationID
        /// The last message that was read.
        public var message: MessageID
        /// Who read it.
        public var user: UserID?
        /// When.
        public var readAt: Timestamp?

        /// A receipt.
        public init(conversation: ConversationID, message: MessageID, user: UserID? = nil, readAt: Timestamp? = nil) {
            self.conversation = conversation
            self.message = message
            self.user = user
            self.readAt = readAt
        }
    }
}

extension GroupMe.Chat {
    /// Writes the chat as a JSON object; nil fields are left out.
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

    /// Reads what `encode` wrote.
    package init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        self = try reader.logged("chat") { (reader) throws(Mismatch) in
            try Self(reading: &reader, .log, of: nil)
        }
    }

    /// Reads a chat of `user`, who asked. Which conversation it is, the last message says, else whom it is with.
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
        // Of an account that was deleted the service only says null.
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

    /// Reads a receipt. `place` is the conversation when it does not say.
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
