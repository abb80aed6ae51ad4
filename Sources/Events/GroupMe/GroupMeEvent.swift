public import JSONText

extension GroupMe {
    /// Everything the push service says; one reference, whatever it is.
    public indirect enum Event: BackendEvent, Hashable, Sendable {
        /// A subscription was accepted.
        case joined(Channel)
        /// A subscription was refused; the server's words, untrusted.
        case joinRefused(Channel, message: String)
        /// A subscription ended.
        case left(Channel)
        /// Something was published.
        case push(Push)
    }

    /// What was published on a channel: the envelope and what is in it (1.7).
    public struct Push: Hashable, Sendable {
        /// Where.
        public var channel: Channel
        /// What a notification would say; empty where none is shown. Untrusted text.
        public var alert = ""
        /// When the server had it, in whole seconds; nil where it is not said.
        public var receivedAt: Timestamp?
        /// What.
        public var content: Content

        /// What was published, by the wire's `type` (1.8). The set is open.
        public enum Content: Hashable, Sendable {
            /// `line.create`: a message in a group, the server's own among them.
            case line(Message)
            /// `direct_message.create`: a message of a direct, the server's own among them.
            case direct(Message)
            /// `like.create`: somebody reacted to what the user said.
            case liked(Reacting)
            /// `favorite`: somebody reacted to any message, or took that back.
            case favorite(Reacting)
            /// `like.delete`: somebody took a reaction back.
            case unliked(Reacting)
            /// `reaction`: told on other ways than this one; read in case.
            case reaction(Reacting)
            /// `membership.create`: the user was added to a group, of which not all is sent.
            case added(to: Group)
            /// `membership.destroy`: the user is in a group no more.
            case removed(from: GroupID)
            /// `group.update`: a group changed.
            case group(Group)
            /// `message.deleted`, `line.delete`: what is left of a message that was deleted.
            case deleted(Message)
            /// `message.update`, `line.update`: a message as it is after an edit.
            case updated(Message)
            /// `read_receipt.create`: the other one read a direct up to a message.
            case read(ReadReceipt)
            /// `typing`: somebody types, the user's own among them.
            case typing(Typing)
            /// `ping`, and what it was in 2011: the server, or another client, is there.
            case ping
            /// `subscribe`: another client of the user's subscribed; its fields are not known.
            case subscribed(RawJSON)
            /// Anything else, without what must not be kept (tokens); the type is empty when there is none.
            case unknown(type: String, RawJSON)
        }
    }

    /// That somebody reacted to a message, or took it back (1.9).
    public struct Reacting: Hashable, Sendable {
        /// The message, as far as it is sent: who said it in which role, and whether it was edited, is not.
        public var message: Message
        /// All reactions there are now; nil when not sent, which says nothing of them.
        public var reactions: [Reaction]?
        /// Who reacted.
        public var user: UserID?
        /// With what; only told to who said the message.
        public var symbol: ReactionSymbol?
    }

    /// That somebody types. Nobody says that they stopped: it is over when it is not said again (1.9).
    public struct Typing: Hashable, Sendable {
        /// Who.
        public var user: UserID
        /// Since when.
        public var started: Timestamp?
    }
}
