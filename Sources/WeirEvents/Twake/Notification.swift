import WeirJSON

extension Twake {
    /// `notification:desktop`: the contents of a notification to show (Twake TW-44). Fields that are absent
    /// or null on the wire are `nil`.
    public struct DesktopNotification: Hashable, Sendable {
        /// The company of the message.
        public var company: EntityID?
        /// The workspace of the message; `direct` for directs.
        public var workspace: EntityID?
        /// The channel of the message.
        public var channel: EntityID?
        /// The thread of the message; the message's id if the wire has none.
        public var thread: EntityID?
        /// The id of the message itself.
        public var message: EntityID?
        /// The user to notify, called `user` on the wire.
        public var user: EntityID?
        /// The place of the message in readable form; empty when not sent.
        public var title: String
        /// The sender and the text in readable form; empty when not sent.
        public var text: String
    }

    /// A notification of a push service (Twake TW-86): the place of the message, and the text to show.
    package struct PushNotification: Hashable, Sendable {
        /// The company of the message.
        package var company: EntityID?
        /// The workspace of the message; `direct` for directs.
        package var workspace: EntityID?
        /// The channel of the message.
        package var channel: EntityID
        /// The thread of the message; the message's id if the wire has none.
        package var thread: EntityID?
        /// The id of the message itself.
        package var message: EntityID?
        /// The place of the message in readable form; empty when not sent.
        package var title: String
        /// The sender and the text in readable form; empty when not sent.
        package var body: String
        /// The name of the sound to play.
        package var sound: String?
        /// The number that a device shows on the app's icon. The server always sends 1.
        package var badge: Int?
        /// The channel's id. A notification replaces an earlier one with the same key.
        package var collapseKey: String?
        /// The action of a tap on the notification.
        package var clickAction: String?
    }
}

extension Twake.DesktopNotification: FieldedEntity {
    package static let subject = "notification"
    package static let blank = Self(channel: nil, thread: nil, message: nil, title: "", text: "")
    package static let fields: [Field<Self>] = [
        Field("company_id", at: \.company),
        Field("workspace_id", at: \.workspace),
        Field("channel_id", at: \.channel),
        Field("thread_id", at: \.thread),
        Field("message_id", at: \.message),
        Field("user", at: \.user),
        Field("title", at: \.title),
        Field("text", at: \.text),
    ]

    package mutating func complete() { thread = thread ?? message }
}

extension Twake.PushNotification: FieldedEntity {
    package static let subject = "push notification"
    package static let blank = Self(channel: .none, title: "", body: "")
    package static let fields: [Field<Self>] =
        place + [
            Field("collapse_key", at: \.collapseKey),
            .nested(
                "notification",
                [
                    Field("title", at: \.title), Field("body", at: \.body), Field("sound", at: \.sound),
                    Field("badge", at: \.badge), Field("click_action", at: \.clickAction),
                ]),
            .nested(
                "data",
                place + [
                    Field("click_action", at: \.clickAction),
                    .sent("notification_data") { notification, reader throws(Mismatch) in
                        try notification.takePlace(from: &reader)
                    },
                ]),
        ]

    /// The fields that locate the message.
    private static let place: [Field<Self>] = [
        Field("company_id", at: \.company),
        Field("workspace_id", at: \.workspace),
        Field("channel_id", at: \.channel).required,
        Field("thread_id", at: \.thread),
        Field("message_id", at: \.message),
    ]

    /// Reads an object, or a string that contains the text of one.
    private mutating func takePlace(from reader: inout JSONReader) throws(Mismatch) {
        guard try reader.kind() == .string else {
            if try reader.openIfAny() { try Self.place.read(into: &self, from: &reader) }
            return
        }
        let start = reader.offset
        let text = Array(try reader.text().utf8)
        var inner = JSONReader(text.span)
        do {
            if try inner.openIfAny() { try Self.place.read(into: &self, from: &inner) }
            try inner.finish()
        } catch { throw Mismatch(.unusable("not the text of a JSON object of ids"), at: start) }
    }

    package mutating func complete() { thread = thread ?? message }
}

extension Twake {
    /// Decodes a push notification as the push service accepts it, or as a device receives it. On a device,
    /// `notification_data` is a string with the text of a JSON object (Twake TW-46). The first app looked for the ids
    /// next to it (Twake TW-86), so they are read from that place too.
    package static func pushNotification(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> PushNotification {
        try decoded(body, as: PushNotification.subject) { (reader) throws(Mismatch) in
            try PushNotification(reading: &reader)
        }
    }
}

extension Twake {
    /// An unread thread (B). Its identity is (company, user, workspace, channel, thread), never the wire's
    /// `id`, which is new each time.
    public struct Badge: Hashable, Sendable {
        /// The company of the thread.
        public var company: EntityID
        /// The workspace; `direct` for directs of any company.
        public var workspace: EntityID
        /// The channel of the thread.
        public var channel: EntityID
        /// The unread thread; the message's id if the wire has none.
        public var thread: EntityID
        /// The user who has not read the thread.
        public var user: EntityID?
        /// The last message that the user has not read.
        public var message: EntityID?
    }

    /// An unread counter of era A. The proxy counts unread threads per company, workspace and channel.
    public struct BadgeCount: Hashable, Sendable {
        /// The level of the hierarchy that a counter covers.
        public struct Level: WireEnumeration {
            /// The counter covers a whole company.
            public static var company: Self { "company" }
            /// The counter covers a whole workspace, or all directs under the id `direct`.
            public static var workspace: Self { "workspace" }
            /// The counter covers a single channel.
            public static var channel: Self { "channel" }

            /// The name as written on the wire.
            public let wireName: String
            /// Creates the value that the wire calls `name`.
            public init(wire name: String) { wireName = name }
        }
        /// The level that the counter covers.
        public var level: Level
        /// The company, workspace or channel. The id `direct` is not a workspace and is shared by all companies.
        public var id: EntityID
        /// The number of unread threads, not of messages.
        public var count: Int

        /// Returns whether this is the counter of the given entity.
        public func matches(_ level: Level, _ id: EntityID) -> Bool { self.level == level && self.id == id }
    }
}

extension Twake.Badge: FieldedEntity {
    package static let subject = "badge"
    package static let blank = Self(company: .none, workspace: .none, channel: .none, thread: .none)
    package static let fields: [Field<Self>] = [
        Field("company_id", at: \.company).required,
        Field("workspace_id", at: \.workspace).required,
        Field("channel_id", at: \.channel).required,
        Field("thread_id", at: \.thread).required,
        Field("user_id", at: \.user),
        Field("message_id", at: \.message),
    ]

    package mutating func complete() {
        if thread.isNone, let message { thread = message }
    }
}

extension Twake.BadgeCount: FieldedEntity {
    package static let subject = "badge count"
    package static let blank = Self(level: .company, id: .none, count: 0)
    package static let fields: [Field<Self>] = [
        Field("type", at: \.level).required,
        Field("id", at: \.id).required,
        Field("count", at: \.count).required,
    ]
}

extension Twake.BadgeCount.Level: FieldScalar {}
