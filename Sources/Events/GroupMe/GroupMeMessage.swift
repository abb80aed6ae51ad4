extension GroupMe {
    /// A message of a group or a direct (1.9, 3.4). Fields absent or null on the wire are nil.
    ///
    /// A push says other things than an answer: what is nil was not said, and what was known of it still holds (`completed(from:)`).
    public struct Message: Hashable, Sendable {
        /// The message's id.
        public var id: MessageID
        /// Where it was said. Frames call it `group_id` or `chat_id`, answers `group_id` or `conversation_id`.
        public var conversation: ConversationID
        /// Who said it: `sender_id`, else `user_id`. `system` for what the server says.
        public var sender: UserID?
        /// What said it.
        public var senderType: SenderType?
        /// What the sender was called.
        public var senderName: String?
        /// The address of the sender's picture.
        public var avatarURL: String?
        /// To whom; directs only.
        public var recipient: UserID?
        /// The text; nil when there are attachments only.
        public var text: String?
        /// When it was said, in seconds: many messages tie (3.2).
        public var createdAt: Timestamp?
        /// When it last changed. Present on messages that nobody touched, too: see `isEdited` (1.10).
        public var updatedAt: Timestamp?
        /// The word that its sender's client made for it, by which that client knows it again.
        public var sourceGUID: String?
        /// The wire's `system`, which directs lack: see `isSystem`.
        public var saysSystem: Bool?
        /// What is attached.
        public var attachments: [Attachment] = []
        /// Who reacted, each once; nil when nothing was said of it, which is not nobody.
        public var favoritedBy: [UserID]?
        /// The reactions; nil when nothing was said of them, which is not none.
        public var reactions: [Reaction]?
        /// Of a message of the server's: what happened.
        public var event: SystemEvent?
        /// When it was pinned, and by whom; nil when it is not.
        public var pin: Pin?
        /// That it was deleted; its text says no more than that.
        public var deletion: Deletion?
        /// Of a message in a topic: the topic's group. Never a message (3.4).
        public var parent: GroupID?
        /// By what it was sent: `gm`.
        public var platform: String?

        /// A message of which no more is known.
        public init(id: MessageID, conversation: ConversationID, text: String? = nil) {
            self.id = id
            self.conversation = conversation
            self.text = text
        }

        /// That a message is pinned.
        public struct Pin: Hashable, Sendable {
            /// When.
            public var at: Timestamp?
            /// Who did it.
            public var by: UserID?
        }

        /// That a message was deleted.
        public struct Deletion: Hashable, Sendable {
            /// When: seconds, and a date with fractions in the tombstone's own frame (1.9).
            public var at: Timestamp?
            /// In which role.
            public var actor: DeletionActor?
        }
    }

    /// Where a message stands among others: by its time, and within a second by the number that is its id (3.2).
    public struct Place: Hashable, Comparable, Sendable {
        /// When it was said.
        public var createdAt: Timestamp?
        /// The message.
        public var message: MessageID

        /// A place.
        public init(createdAt: Timestamp?, message: MessageID) {
            self.createdAt = createdAt
            self.message = message
        }

        /// Earlier comes first; what has no time comes before all others.
        public static func < (a: Self, b: Self) -> Bool {
            if a.createdAt == b.createdAt { return a.message < b.message }
            return (a.createdAt?.milliseconds ?? .min) < (b.createdAt?.milliseconds ?? .min)
        }
    }
}

extension GroupMe.Message {
    /// Where it stands among others.
    public var place: GroupMe.Place { GroupMe.Place(createdAt: createdAt, message: id) }

    /// The place as one number: a message of a later second has a larger one, and so has one of a larger id of the same second, as long
    /// as ids begin with that second (3.2). Other ids of the second come first or last in it.
    public var sortKey: Int64 {
        let second = max(0, min(createdAt?.milliseconds ?? 0, 90_000_000_000_000)) / 1000
        let first = second * 100_000_000
        guard let number = Int64(id.description) else { return first }
        return min(max(number, first), first + 99_999_999)
    }

    /// Whether the server said it. In directs only the sender tells; in 2014 it was user 0 (1.9, 2.1).
    public var isSystem: Bool {
        if saysSystem == true || sender == .system { return true }
        return switch senderType {
        case .system, .service: true
        case .some: false
        case nil: sender == "0" && senderName == "GroupMe"
        }
    }

    /// Whether its text was changed: untouched messages may have the time they were said at (1.10).
    public var isEdited: Bool {
        guard let updatedAt, let createdAt, deletion == nil else { return false }
        return createdAt < updatedAt
    }

    /// Whether it was deleted.
    public var isDeleted: Bool { deletion != nil }

    /// Who said it, for people.
    public var senderTitle: String? { senderName ?? sender?.description }

    /// What happened: as the message says, else, as in 2014, as its text reads (2.1).
    public var occurrence: GroupMe.SystemEvent.Content? {
        if let event { return event.content }
        guard isSystem, let text else { return nil }
        return GroupMe.SystemEvent.Content(sentence: text)
    }

    /// Where there is no word, the reactions and who made them are those of what was known before: a missing list is not an empty one.
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
