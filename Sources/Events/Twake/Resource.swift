public import JSONText

extension Twake {
    /// What was done to a resource (3.2).
    public enum ResourceAction: WireEnumeration {
        /// `created`: new, in a feed room; also the arrival of a moved message.
        case created
        /// `saved`: created or changed.
        case saved
        /// `updated`: changed; a deleted message is an update (3.3).
        case updated
        /// `deleted`: gone; the resource is sparse.
        case deleted
        /// `event`: nothing is stored; something happened.
        case event
        /// A value this version does not know, as written; never one of the above.
        indirect case unknown(String)
    }

    /// The type of a resource (3.2 and section 6).
    public enum ResourceType: WireEnumeration {
        /// `channel`.
        case channel
        /// `channels`: an existing direct was opened again.
        case channels
        /// `channel_activity`.
        case channelActivity
        /// `channel_member`.
        case channelMember
        /// `channel_tabs`.
        case channelTabs
        /// `message`.
        case message
        /// `user_notification_badges`.
        case badges
        /// `notification:desktop`.
        case desktopNotification
        /// `user_message_bookmark`.
        case bookmark
        /// `workspace`.
        case workspace
        /// `user`.
        case user
        /// `company`.
        case company
        /// `company_user`.
        case companyUser
        /// `company_application`.
        case companyApplication
        /// `user:online`.
        case online
        /// `documents:updated`.
        case documentsUpdated
        /// A value this version does not know, as written; never one of the above.
        indirect case unknown(String)
    }

    /// The payload of a resource event, by its type; what has no known form is kept as text.
    ///
    /// One reference, whatever it is: an event is handed on and kept many times, and is read once.
    public enum Resource: Hashable, Sendable {
        /// `channel`, `channels`: all fields that were sent; a sparse `deleted` has only the ids.
        case channel(Channel)
        /// `channel_activity`.
        case activity(ChannelActivity)
        /// `channel_member`, in either of its two forms (3.3).
        indirect case member(ChannelMember)
        /// `message`.
        case message(Message)
        /// `user_notification_badges`.
        indirect case badge(Badge)
        /// `notification:desktop`.
        indirect case desktopNotification(DesktopNotification)
        /// `user:online`, in either of its two forms (1.6).
        case online([OnlineStatus])
        /// `workspace`.
        indirect case workspace(Workspace)
        /// `company`.
        indirect case company(Company)
        /// `user`.
        indirect case user(Account)
        /// `company_user`.
        indirect case companyUser(CompanyUser)
        /// `channel_tabs`.
        indirect case tab(ChannelTab)
        /// `user_message_bookmark`.
        indirect case bookmark(Bookmark)
        /// `documents:updated`.
        indirect case document(DocumentUpdate)
        /// Unknown types, and `company_application`, of which no form is known; a known type whose resource is an array, or is an
        /// ephemeral message, which has no id (3.3).
        indirect case other(RawJSON)
    }
}

extension Twake.ResourceAction {
    /// The action the wire calls `name`.
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

    /// The wire's `action`.
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
    /// The type the wire calls `name`.
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

    /// The wire's `type`.
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
