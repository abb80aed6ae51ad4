public import JSONText

extension Twake {
    /// The operation on a resource (Twake TW-27).
    public enum ResourceAction: WireEnumeration {
        /// `created`: the entity is new in a feed room. Also sent when a moved message arrives.
        case created
        /// `saved`: the entity was created or changed.
        case saved
        /// `updated`: the entity was changed. The deletion of a message is an update (Twake TW-39).
        case updated
        /// `deleted`: the entity is gone; the resource is sparse.
        case deleted
        /// `event`: something happened, and nothing is stored.
        case event
        /// An action that this version does not know, as written; never one of the above.
        indirect case unknown(String)
    }

    /// The type of a resource (Twake TW-26 and TW-46).
    public enum ResourceType: WireEnumeration {
        /// `channel`: a channel or a direct.
        case channel
        /// `channels`: an existing direct was opened again.
        case channels
        /// `channel_activity`: an activity in a channel.
        case channelActivity
        /// `channel_member`: a membership of a channel.
        case channelMember
        /// `channel_tabs`: a tab of a channel.
        case channelTabs
        /// `message`: a message of a channel or a thread.
        case message
        /// `user_notification_badges`: an unread thread of the user.
        case badges
        /// `notification:desktop`: a notification to show.
        case desktopNotification
        /// `user_message_bookmark`: a list in which a user keeps messages.
        case bookmark
        /// `workspace`: a workspace of a company.
        case workspace
        /// `user`: the account of a user.
        case user
        /// `company`: the company's own entity.
        case company
        /// `company_user`: the role of a user in a company.
        case companyUser
        /// `company_application`: an application of a company.
        case companyApplication
        /// `user:online`: the presence of users.
        case online
        /// `documents:updated`: a change in a company's drive.
        case documentsUpdated
        /// A type that this version does not know, as written; never one of the above.
        indirect case unknown(String)
    }

    /// The payload of a resource event, by its type. A payload of unknown form is kept as text.
    ///
    /// Every case is one reference in size: an event is passed on and stored many times, and is read once.
    public enum Resource: Hashable, Sendable {
        /// `channel`, `channels`: all fields that were sent. A sparse `deleted` contains only the ids.
        case channel(Channel)
        /// `channel_activity`: an activity in a channel.
        case activity(ChannelActivity)
        /// `channel_member`, in either of its two forms (Twake TW-34).
        indirect case member(ChannelMember)
        /// `message`: a message that has an id.
        case message(Message)
        /// `user_notification_badges`: an unread thread of the user.
        indirect case badge(Badge)
        /// `notification:desktop`: a notification to show.
        indirect case desktopNotification(DesktopNotification)
        /// `user:online`, in either of its two forms (Twake TW-20).
        case online([OnlineStatus])
        /// `workspace`: a workspace of a company.
        indirect case workspace(Workspace)
        /// `company`: the company's own entity.
        indirect case company(Company)
        /// `user`: the account of a user.
        indirect case user(Account)
        /// `company_user`: the role of a user in a company.
        indirect case companyUser(CompanyUser)
        /// `channel_tabs`: a tab of a channel.
        indirect case tab(ChannelTab)
        /// `user_message_bookmark`: a list in which a user keeps messages.
        indirect case bookmark(Bookmark)
        /// `documents:updated`: a change in a company's drive.
        indirect case document(DocumentUpdate)
        /// A type that this version does not know, or `company_application`, whose form is unknown. Also a known type
        /// whose resource is an array, or an ephemeral message, which has no id (Twake TW-40).
        indirect case other(RawJSON)
    }
}

extension Twake.ResourceAction {
    /// Creates the action that the wire calls `name`.
    public init(wire name: String) {
        self =
            switch name {
            case "created": .created
            case "saved": .saved
            case "updated": .updated
            case "deleted": .deleted
            case "event": .event
            default: .unknown(name)
            }
    }

    /// The value of `action` on the wire.
    public var wireName: String {
        switch self {
        case .created: "created"
        case .saved: "saved"
        case .updated: "updated"
        case .deleted: "deleted"
        case .event: "event"
        case .unknown(let name): name
        }
    }

    /// Whether this version knows the action.
    public var isKnown: Bool {
        if case .unknown = self { false } else { true }
    }
}

extension Twake.ResourceType {
    /// Creates the type that the wire calls `name`.
    public init(wire name: String) {
        self =
            switch name {
            case "channel_activity": .channelActivity
            case "channel_member": .channelMember
            case "message": .message
            case "user_notification_badges": .badges
            case "channel": .channel
            case "channels": .channels
            case "notification:desktop": .desktopNotification
            case "user:online": .online
            case "channel_tabs": .channelTabs
            case "user_message_bookmark": .bookmark
            case "workspace": .workspace
            case "user": .user
            case "company": .company
            case "company_user": .companyUser
            case "company_application": .companyApplication
            case "documents:updated": .documentsUpdated
            default: .unknown(name)
            }
    }

    /// The value of `type` on the wire.
    public var wireName: String {
        switch self {
        case .channel: "channel"
        case .channels: "channels"
        case .channelActivity: "channel_activity"
        case .channelMember: "channel_member"
        case .channelTabs: "channel_tabs"
        case .message: "message"
        case .badges: "user_notification_badges"
        case .desktopNotification: "notification:desktop"
        case .bookmark: "user_message_bookmark"
        case .workspace: "workspace"
        case .user: "user"
        case .company: "company"
        case .companyUser: "company_user"
        case .companyApplication: "company_application"
        case .online: "user:online"
        case .documentsUpdated: "documents:updated"
        case .unknown(let name): name
        }
    }

    /// Whether this version knows the type.
    public var isKnown: Bool {
        if case .unknown = self { false } else { true }
    }
}
