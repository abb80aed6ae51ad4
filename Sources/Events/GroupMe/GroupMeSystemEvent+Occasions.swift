// The subjects of system events other than groups and their members.
extension GroupMe {
    /// A change of another message.
    public enum MessageChange: Hashable, Sendable {
        /// `message.deleted`: the message was deleted.
        case deleted(DeletionNotice)
        /// `message.update`: the text or the attachments changed.
        case edited(EditNotice)
        /// `message.pinned`, `message.unpinned`: whether the message is pinned now.
        case pinned(MessageID, Bool, at: Timestamp?, by: UserID?)
    }

    /// The deletion of a message.
    public struct DeletionNotice: Hashable, Sendable {
        /// The id of the deleted message.
        public var message: MessageID
        /// The time the message was deleted.
        public var at: Timestamp?
        /// The role of the user who deleted the message.
        public var actor: DeletionActor?
        /// The user who deleted the message, if sent.
        public var deleter: UserID?
    }

    /// The edit of a message.
    public struct EditNotice: Hashable, Sendable {
        /// The id of the edited message.
        public var message: MessageID
        /// The sender of the message.
        public var sender: UserID?
        /// The time the message was edited.
        public var at: Timestamp?
        /// The text after the edit.
        public var text: String?
        /// The attachments after the edit; `nil` when not sent.
        public var attachments: [Attachment]?
    }

    /// The start or the end of a call.
    public enum CallChange: Hashable, Sendable {
        /// `group.call.started`: `meeting` is the address of the call.
        case started(meeting: String?, by: Person?)
        /// `group.call.ended`: the duration is in the server's unit.
        case ended(duration: Int?)
    }

    /// An event of a poll.
    public struct PollChange: Hashable, Sendable {
        /// The kind of the event.
        public var action: Action
        /// The poll, with its results if it is finished.
        public var poll: Poll
        /// The user who created the poll.
        public var by: Person?

        /// The kinds of events of a poll.
        public enum Action: Hashable, Sendable {
            case created
            /// The poll is about to end.
            case reminder
            case finished
        }
    }

    /// A poll and, once it is finished, its results.
    public struct Poll: Hashable, Sendable {
        /// The poll's id, called `id` on the wire.
        public var id: PollID
        /// The question that the poll asks.
        public var subject: String?
        /// The time the poll ends.
        public var expiration: Timestamp?
        /// The possible answers, sent when the poll is finished.
        public var options: [Option] = []

        /// A possible answer to a poll.
        public struct Option: Hashable, Sendable {
            /// The id of the answer within the poll.
            public var id: String
            /// The text of the answer.
            public var title: String?
            /// The number of votes for the answer; the wire omits 0.
            public var votes = 0
            /// The users who voted for the answer.
            public var voters: [UserID] = []
        }
    }

    /// A change of an event in a group's calendar.
    public struct CalendarChange: Hashable, Sendable {
        /// The kind of change, with its details.
        public var action: Action
        /// The calendar event; `nil` when it starts.
        public var id: CalendarID?
        /// The name of the calendar event.
        public var name: String?
        /// The address that shows the calendar event.
        public var url: String?
        /// The user who made the change.
        public var by: Person?

        /// The kinds of changes to a calendar event.
        public enum Action: Hashable, Sendable {
            case created
            /// The names of the changed fields.
            case updated([String])
            case cancelled
            /// The event starts in the given number of minutes.
            case starting(minutes: Int?, isCall: Bool)
            case going
            case notGoing
            case undecided
        }
    }

    /// A change of a bot, by the bot's name.
    public enum BotChange: Hashable, Sendable {
        case added(String)
        case removed(String)
        case renamed(from: String?, to: String)
    }
}
