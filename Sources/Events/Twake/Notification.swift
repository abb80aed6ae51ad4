extension Twake {
    /// `notification:desktop`: what a notification should show (3.3). Fields absent or null on the wire are nil.
    public struct DesktopNotification: Hashable, Sendable {
        /// The company of the message.
        public var company: EntityID?
        /// Its workspace; `direct` for directs.
        public var workspace: EntityID?
        /// Its channel.
        public var channel: EntityID?
        /// Its thread; the message's id when the wire has none.
        public var thread: EntityID?
        /// The message.
        public var message: EntityID?
        /// Who is notified.
        public var user: EntityID?
        /// The place, for people; empty when not sent.
        public var title: String
        /// The sender and the text, for people; empty when not sent.
        public var text: String
    }

    /// What a push service delivers (4.5): where the message is, and what to show.
    package struct PushNotification: Hashable, Sendable {
        /// The company of the message.
        package var company: EntityID?
        /// Its workspace; `direct` for directs.
        package var workspace: EntityID?
        /// Its channel.
        package var channel: EntityID
        /// Its thread; the message's id when the wire has none.
        package var thread: EntityID?
        /// The message.
        package var message: EntityID?
        /// The place, for people; empty when not sent.
        package var title: String
        /// The sender and the text, for people; empty when not sent.
        package var body: String
        /// The sound to play.
        package var sound: String?
        /// What a device shows on the app's icon; the server always sends 1.
        package var badge: Int?
        /// A notification replaces an earlier one of the same key: the channel's id.
        package var collapseKey: String?
        /// What a tap on it opens.
        package var clickAction: String?
    }
}
