public import WeirJSON

extension GroupMe {
    /// The `event` of a message of the server (GroupMe GM-21): its whole JSON text, and the part that this version
    /// reads.
    public struct SystemEvent: Hashable, Sendable {
        /// The wire's `type`, such as `membership.announce.added`; empty if there is none. Untrusted text.
        public let type: String
        /// The part of the event that this version reads.
        public let content: Content
        /// The JSON text of the whole `event` object.
        public let json: RawJSON

        /// Decodes `text`, an object of `type` and `data`. An event of an unknown type or form is kept as
        /// text and never costs the message.
        init(_ text: RawJSON) {
            var reader = JSONReader(text.bytes.span)
            let fields = (try? SystemEventFields(reading: &reader)) ?? SystemEventFields()
            type = fields.type
            content = fields.content ?? .unknown
            json = text
        }

        /// The contents of an event, by subject.
        public enum Content: Hashable, Sendable {
            /// A change of the group's members or of their names in it. The roster must be fetched, because events
            /// alone do not determine it (GroupMe GM-22).
            case membership(MembershipChange)
            /// A change of the group itself, and its author.
            indirect case group(GroupChange, by: Person?)
            /// A change of a topic of the group, and its author.
            indirect case topic(TopicChange, by: Person?)
            /// A change of another message.
            indirect case message(MessageChange)
            /// The start or the end of a call.
            case call(CallChange)
            /// An event of a poll.
            indirect case poll(PollChange)
            /// A change in the group's calendar.
            indirect case calendar(CalendarChange)
            /// A change of a bot, and its author.
            case bot(BotChange, by: Person?)
            /// `copilot.group.privacy_notice`: the server's assistant reads along, because of that message.
            case privacyNotice(MessageID?)
            /// Any other event; only its text is available.
            case unknown
        }
    }

    /// A change of a group's members.
    public enum MembershipChange: Hashable, Sendable {
        /// `announce.added`: one or several users were added.
        case added([Person], by: Person?)
        /// `announce.joined`: the user joined by themselves.
        case joined(Person)
        /// `announce.rejoined`: the user joined again.
        case rejoined(Person)
        /// `notifications.exited`: the user left the group.
        case exited(Person)
        /// `notifications.removed`: a member removed the user.
        case removed(Person, by: Person?)
        /// `notifications.autokicked`: the server removed the user.
        case autokicked(Person)
        /// `nickname_changed`: the person still has the previous name.
        case renamed(Person, to: String)
        /// `avatar_changed`: the user has another picture.
        case pictured(Person, url: String?)
        /// `notifications.admin.new_pending_user`: a user asks to be admitted.
        case pending(Person?)
    }

    /// A change of a group's settings.
    public enum GroupChange: Hashable, Sendable {
        /// `name_change`: the new name of the group.
        case name(String)
        /// `topic_change`, `topic_removed`: the purpose of the group, which the group calls its description.
        case description(String?)
        /// `avatar_change`: the address of the new picture.
        case picture(url: String?)
        /// `type_change`: the new type, and the number of minutes in which messages can be edited.
        case type(GroupType, editPeriod: Int?)
        /// `role_change_admin`: the new role of a member.
        case role(Role, of: Person)
        /// `owner_changed`: the previous and the new owner.
        case owner(from: Person?, to: Person)
        /// `theme_change`, `chat_theme_settings_change`, `chat_theme_settings_removed`: the new theme.
        case theme(String?)
        /// `like_icon_set`, `like_icon_removed`: the symbol in place of the heart.
        case likeIcon(ReactionSymbol?)
        /// `shared`: the address where users join; `unshared`: no address.
        case shared(url: String?)
        /// `requires_approval_enabled`, `requires_approval_disabled`: whether an admin must approve new members.
        case requiresApproval(Bool)
        /// `visibility_set.…`: `searchable`, `hidden` or `community`.
        case visibility(String)
        /// `office_mode_enabled`, `office_mode_disabled`: whether notifications are off for everybody.
        case officeMode(Bool)
        /// `added_to_directory`: the name of the directory.
        case directory(String)
    }

    /// A change of a topic. An event in the parent group names the topic, an event in the topic names the parent group.
    public struct TopicChange: Hashable, Sendable {
        /// The kind of change, with its new value.
        public var action: Action
        /// The name of the topic.
        public var name: String?
        /// The topic, if it was created or removed.
        public var topic: GroupID?
        /// The parent group, for all other changes.
        public var parent: GroupID?

        /// The kinds of changes to a topic.
        public enum Action: Hashable, Sendable {
            case created
            case removed
            case renamed
            case description(String?)
            case picture(url: String?)
            case type(GroupType, editPeriod: Int?)
            case likeIcon(ReactionSymbol?)
            /// `subgroup_attribute_change`: the changed attribute is unknown.
            case attribute
        }
    }
}

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
