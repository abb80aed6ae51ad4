public import WeirJSON

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

extension Twake.SocketIOResource.Fields {
    /// An empty event, to be filled while reading. A value that is filled in place is passed on as it is; a value
    /// assembled from parts is copied.
    static var unread: Self {
        Self(action: .event, room: "", type: .channel, path: nil, resource: .online([]))
    }

    /// Reads a resource event into fields that are `unread`.
    mutating func take(from reader: inout JSONReader, of payload: ArraySlice<UInt8>) throws(Mismatch) {
        var missing = RequiredFields.all
        var postponed: Int?
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "resource") {
                if missing.isDisjoint(with: [.action, .type]) {
                    resource = try Twake.Resource(reading: &reader, of: payload, type, action)
                    missing.remove(.resource)
                } else {
                    _ = try reader.kind()
                    postponed = reader.offset
                    try reader.pass()
                }
            } else if reader.isNamed(key, "action") {
                action = try Twake.ResourceAction(reading: &reader)
                missing.remove(.action)
            } else if reader.isNamed(key, "type") {
                type = try Twake.ResourceType(reading: &reader)
                missing.remove(.type)
            } else if reader.isNamed(key, "room") {
                guard let name = try reader.textIfAny() else { continue }
                room = name
                missing.remove(.room)
            } else if reader.isNamed(key, "path") {
                path = try reader.rawIfAny(of: payload)
            } else {
                try reader.pass()
            }
        }
        try missing.require(.action, "action", at: start)
        try missing.require(.type, "type", at: start)
        try missing.require(.room, "room", at: start)
        if missing.contains(.resource), let postponed {
            // Keys may come in any order: if the resource comes first, its type is known only now.
            let end = reader.offset
            reader.seek(to: postponed)
            resource = try Twake.Resource(reading: &reader, of: payload, type, action)
            missing.remove(.resource)
            reader.seek(to: end)
        }
        try missing.require(.resource, "resource", at: start)
    }
}

/// The required fields of a resource event that are not read yet.
private struct RequiredFields: OptionSet {
    var rawValue: UInt8
    static let action = RequiredFields(rawValue: 1)
    static let type = RequiredFields(rawValue: 2)
    static let room = RequiredFields(rawValue: 4)
    static let resource = RequiredFields(rawValue: 8)
    static let all: RequiredFields = [.action, .type, .room, .resource]

    /// Throws a mismatch unless `field` was read.
    func require(_ field: RequiredFields, _ name: StaticString, at offset: Int) throws(Mismatch) {
        if contains(field) { throw Mismatch(.missing(name), at: offset) }
    }
}

extension Twake.ResourceAction {
    /// Reads an action. The frequent actions are recognised without creating a string.
    init(reading reader: inout JSONReader) throws(Mismatch) {
        let contents = try reader.textRange()
        self =
            if reader.matches(contents, "saved") {
                .saved
            } else if reader.matches(contents, "updated") {
                .updated
            } else if reader.matches(contents, "created") {
                .created
            } else {
                Self(wire: reader.string(at: contents))
            }
    }
}

extension Twake.ResourceType {
    /// Reads a type. The types that every message causes are recognised without creating a string.
    init(reading reader: inout JSONReader) throws(Mismatch) {
        let contents = try reader.textRange()
        self =
            if reader.matches(contents, "channel_activity") {
                .channelActivity
            } else if reader.matches(contents, "channel") {
                .channel
            } else if reader.matches(contents, "message") {
                .message
            } else if reader.matches(contents, "user_notification_badges") {
                .badges
            } else if reader.matches(contents, "channel_member") {
                .channelMember
            } else {
                Self(wire: reader.string(at: contents))
            }
    }
}

extension Twake.Resource {
    /// Reads the resource of an event of `type`. If this version does not know the action, a resource that does not
    /// have the type's shape is kept as text: the shape may belong to the action.
    init(
        reading reader: inout JSONReader, of payload: ArraySlice<UInt8>, _ type: Twake.ResourceType,
        _ action: Twake.ResourceAction
    ) throws(Mismatch) {
        let kind = try reader.kind()
        let start = reader.offset
        do {
            if let known = try Self.known(reading: &reader, kind, type) {
                self = known
                return
            }
        } catch {
            if action.isKnown { throw error }
        }
        reader.seek(to: start)
        self = .other(RawJSON(payload, try reader.pass()))
    }

    /// Reads the resource of a type whose form is known; returns `nil` for a resource that is kept as text.
    private static func known(
        reading reader: inout JSONReader, _ kind: JSONKind, _ type: Twake.ResourceType
    ) throws(Mismatch) -> Self? {
        if kind == .array, type != .online { return nil }
        return switch type {
        case .channelActivity: .activity(try Twake.ChannelActivity(reading: &reader))
        case .message: try Twake.Message.read(&reader).map { .message($0) }
        case .badges: .badge(try Twake.Badge(reading: &reader))
        case .channelMember: .member(try Twake.ChannelMember(reading: &reader, of: nil))
        case .channel, .channels: .channel(try Twake.Channel(reading: &reader))
        case .desktopNotification: .desktopNotification(try Twake.DesktopNotification(reading: &reader))
        case .online: .online(try Twake.OnlineStatus.list(reading: &reader, kind))
        case .workspace: .workspace(try Twake.Workspace(reading: &reader))
        case .company: .company(try Twake.Company(reading: &reader))
        case .user: .user(try Twake.Account(reading: &reader))
        case .companyUser: .companyUser(try Twake.CompanyUser(reading: &reader))
        case .channelTabs: .tab(try Twake.ChannelTab(reading: &reader))
        case .bookmark: .bookmark(try Twake.Bookmark(reading: &reader))
        case .documentsUpdated: .document(try Twake.DocumentUpdate(reading: &reader))
        case .companyApplication, .unknown: nil
        }
    }
}

extension RawJSON {
    /// Creates the value at `range` of a payload. It shares the payload's storage.
    init(_ payload: ArraySlice<UInt8>, _ range: Range<Int>) {
        let start = payload.startIndex
        self.init(unchecked: payload[start + range.lowerBound..<start + range.upperBound])
    }
}
