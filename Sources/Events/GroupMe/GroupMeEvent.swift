public import JSONText

extension GroupMe {
    /// An event of the push service. Every case is one reference in size.
    public indirect enum Event: BackendEvent, Hashable, Sendable {
        /// The server accepted a subscription to a channel.
        case joined(Channel)
        /// The server refused a subscription. The message is the server's text, untrusted.
        case joinRefused(Channel, message: String)
        /// A subscription to a channel ended.
        case left(Channel)
        /// Something was published on a channel.
        case push(Push)
    }

    /// A publication on a channel: the envelope and its contents (GroupMe GM-7).
    public struct Push: Hashable, Sendable {
        /// The channel of the publication.
        public var channel: Channel
        /// The text of a notification; empty if none is shown. Untrusted text.
        public var alert = ""
        /// The time the server received the publication, in whole seconds; `nil` when not sent.
        public var receivedAt: Timestamp?
        /// The contents, by the wire's `type`.
        public var content: Content

        /// The contents of a publication, by the wire's `type` (GroupMe GM-8). The set is open.
        public enum Content: Hashable, Sendable {
            /// `line.create`: a message in a group, or one of the server's own.
            case line(Message)
            /// `direct_message.create`: a message in a direct, or one of the server's own.
            case direct(Message)
            /// `like.create`: a user reacted to a message of the session's user.
            case liked(Reacting)
            /// `favorite`: a user reacted to any message, or removed a reaction.
            case favorite(Reacting)
            /// `like.delete`: a user removed a reaction.
            case unliked(Reacting)
            /// `reaction`: sent by other means than this service, and decoded in case it arrives here.
            case reaction(Reacting)
            /// `membership.create`: the user was added to a group, which is not sent completely.
            case added(to: Group)
            /// `membership.destroy`: the user is no longer in a group.
            case removed(from: GroupID)
            /// `group.update`: a group after a change.
            case group(Group)
            /// `message.deleted`, `line.delete`: the remains of a deleted message.
            case deleted(Message)
            /// `message.update`, `line.update`: a message after an edit.
            case updated(Message)
            /// `read_receipt.create`: the other user read a direct up to a message.
            case read(ReadReceipt)
            /// `typing`: a user types, possibly the session's own.
            case typing(Typing)
            /// `ping`, also in its form of 2011: the server or another client is alive.
            case ping
            /// `subscribe`: another client of the user subscribed. Its fields are unknown.
            case subscribed(RawJSON)
            /// Any other publication, without its secrets (tokens). The type is empty if there is none.
            case unknown(type: String, RawJSON)
        }
    }

    /// A reaction to a message, or the removal of one (GroupMe GM-12).
    public struct Reacting: Hashable, Sendable {
        /// The message, as far as it was sent: without the sender's type and without the time of an edit.
        public var message: Message
        /// All reactions to the message now; `nil` when not sent, which means that they are unknown.
        public var reactions: [Reaction]?
        /// The user whose reaction was added or removed.
        public var user: UserID?
        /// The symbol of the reaction, sent only to the author of the message.
        public var symbol: ReactionSymbol?
    }

    /// A user who types. There is no event for the end: typing is over when it is not sent again (GroupMe GM-17).
    public struct Typing: Hashable, Sendable {
        /// The id of the typing user.
        public var user: UserID
        /// The time the user started to type.
        public var started: Timestamp?
    }
}
