public import JSONText

extension GroupMe {
    /// What a message of the server's tells in its `event` (section 2): the JSON text, all of it, and what of it this version reads.
    public struct SystemEvent: Hashable, Sendable {
        /// The wire's `type`, as `membership.announce.added`; empty when there is none. Untrusted text.
        public let type: String
        /// What happened.
        public let content: Content
        /// The whole `event` object, as it is kept.
        public let json: RawJSON

        /// An event as `text`, an object of `type` and `data`, says. One of an unknown type, or of a known type and an unknown form, is
        /// kept as it is, and never costs the message.
        init(_ text: RawJSON) {
            var reader = JSONReader(text.bytes.span)
            let fields = (try? SystemEventFields(reading: &reader)) ?? SystemEventFields()
            type = fields.type
            content = fields.content ?? .unknown
            json = text
        }

        /// What happened, by what it is about.
        public enum Content: Hashable, Sendable {
            /// Who is in the group, and how they are called there: the roster is to be fetched, as events alone do not tell it (2.1).
            case membership(MembershipChange)
            /// The group itself, and who did it.
            indirect case group(GroupChange, by: Person?)
            /// A topic of the group, and who did it.
            indirect case topic(TopicChange, by: Person?)
            /// Another message.
            indirect case message(MessageChange)
            /// A call.
            case call(CallChange)
            /// A poll.
            indirect case poll(PollChange)
            /// The group's calendar.
            indirect case calendar(CalendarChange)
            /// A bot, and who did it.
            case bot(BotChange, by: Person?)
            /// `copilot.group.privacy_notice`: the server's assistant reads along, because of that message.
            case privacyNotice(MessageID?)
            /// Anything else; the event's text has it.
            case unknown
        }
    }

    /// A change of who is in a group.
    public enum MembershipChange: Hashable, Sendable {
        /// `announce.added`: there may be several.
        case added([Person], by: Person?)
        /// `announce.joined`: by themselves.
        case joined(Person)
        /// `announce.rejoined`: again.
        case rejoined(Person)
        /// `notifications.exited`: left.
        case exited(Person)
        /// `notifications.removed`.
        case removed(Person, by: Person?)
        /// `notifications.autokicked`: removed by the server.
        case autokicked(Person)
        /// `nickname_changed`: the person has the name of before.
        case renamed(Person, to: String)
        /// `avatar_changed`.
        case pictured(Person, url: String?)
        /// `notifications.admin.new_pending_user`: asks to be let in.
        case pending(Person?)
    }

    /// A change of a group.
    public enum GroupChange: Hashable, Sendable {
        /// `name_change`.
        case name(String)
        /// `topic_change`, `topic_removed`: what it is for, which the group calls its description.
        case description(String?)
        /// `avatar_change`.
        case picture(url: String?)
        /// `type_change`; for how many minutes messages can be edited comes along.
        case type(GroupType, editPeriod: Int?)
        /// `role_change_admin`.
        case role(Role, of: Person)
        /// `owner_changed`.
        case owner(from: Person?, to: Person)
        /// `theme_change`, `chat_theme_settings_change`, `chat_theme_settings_removed`.
        case theme(String?)
        /// `like_icon_set`, `like_icon_removed`.
        case likeIcon(ReactionSymbol?)
        /// `shared`: where one joins; `unshared`: nowhere.
        case shared(url: String?)
        /// `requires_approval_enabled`, `requires_approval_disabled`.
        case requiresApproval(Bool)
        /// `visibility_set.…`: `searchable`, `hidden`, `community`.
        case visibility(String)
        /// `office_mode_enabled`, `office_mode_disabled`: whether nobody is notified.
        case officeMode(Bool)
        /// `added_to_directory`.
        case directory(String)
    }

    /// A change of a topic. Events tell either the topic, in its group, or the group, in the topic.
    public struct TopicChange: Hashable, Sendable {
        /// What was done.
        public var action: Action
        /// The topic's name.
        public var name: String?
        /// The topic, where it was made or removed.
        public var topic: GroupID?
        /// The group that it is a topic of, for all else.
        public var parent: GroupID?

        /// What is done to topics.
        public enum Action: Hashable, Sendable {
            case created
            case removed
            case renamed
            case description(String?)
            case picture(url: String?)
            case type(GroupType, editPeriod: Int?)
            case likeIcon(ReactionSymbol?)
            /// `subgroup_attribute_change`: it is not known what.
            case attribute
        }
    }
}
