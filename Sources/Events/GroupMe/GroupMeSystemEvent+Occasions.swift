// What system events tell of besides groups and who is in them.
extension GroupMe {
    /// A change of a message.
    public enum MessageChange: Hashable, Sendable {
        /// `message.deleted`.
        case deleted(DeletionNotice)
        /// `message.update`: its text or its attachments.
        case edited(EditNotice)
        /// `message.pinned`, `message.unpinned`.
        case pinned(MessageID, Bool, at: Timestamp?, by: UserID?)
    }

    /// That a message was deleted.
    public struct DeletionNotice: Hashable, Sendable {
        /// The message.
        public var message: MessageID
        /// When.
        public var at: Timestamp?
        /// In which role.
        public var actor: DeletionActor?
        /// Who, where that is told.
        public var deleter: UserID?
    }

    /// That a message was edited.
    public struct EditNotice: Hashable, Sendable {
        /// The message.
        public var message: MessageID
        /// Who said it.
        public var sender: UserID?
        /// When it was edited.
        public var at: Timestamp?
        /// The new text.
        public var text: String?
        /// What is attached now; nil when not said.
        public var attachments: [Attachment]?
    }

    /// A call.
    public enum CallChange: Hashable, Sendable {
        /// `group.call.started`: `meeting` is where.
        case started(meeting: String?, by: Person?)
        /// `group.call.ended`; how long it took, in the server's unit.
        case ended(duration: Int?)
    }

    /// What happened to a poll.
    public struct PollChange: Hashable, Sendable {
        /// What.
        public var action: Action
        /// The poll.
        public var poll: Poll
        /// Who made it.
        public var by: Person?

        /// What happens to polls.
        public enum Action: Hashable, Sendable {
            case created
            /// It ends soon.
            case reminder
            case finished
        }
    }

    /// A poll.
    public struct Poll: Hashable, Sendable {
        /// Its id.
        public var id: PollID
        /// The question.
        public var subject: String?
        /// When it ends.
        public var expiration: Timestamp?
        /// The answers, of a poll that is over.
        public var options: [Option] = []

        /// One of the answers.
        public struct Option: Hashable, Sendable {
            /// Its id within the poll.
            public var id: String
            /// The words.
            public var title: String?
            /// How many took it; the wire leaves out 0.
            public var votes = 0
            /// Who took it.
            public var voters: [UserID] = []
        }
    }

    /// What happened to an event of a group's calendar.
    public struct CalendarChange: Hashable, Sendable {
        /// What.
        public var action: Action
        /// The event; nil when it starts.
        public var id: CalendarID?
        /// Its name.
        public var name: String?
        /// Where it can be looked at.
        public var url: String?
        /// Who did it.
        public var by: Person?

        /// What happens in calendars.
        public enum Action: Hashable, Sendable {
            case created
            /// The names of what changed.
            case updated([String])
            case cancelled
            /// It starts in so many minutes.
            case starting(minutes: Int?, isCall: Bool)
            case going
            case notGoing
            case undecided
        }
    }

    /// What happened to a bot.
    public enum BotChange: Hashable, Sendable {
        case added(String)
        case removed(String)
        case renamed(from: String?, to: String)
    }
}
