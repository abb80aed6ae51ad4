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
