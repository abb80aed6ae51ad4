/// The properties of `BackendEvent` for Twake's events; the protocol documents them.
extension Twake.Event {
    package var kind: String {
        switch self {
        case .authenticated: "authenticated"
        case .unauthorized: "unauthorized"
        case .joined: "join"
        case .joinRefused: "join_error"
        case .left: "leave"
        case .leaveRefused: "leave_error"
        case .event(let event): event.data.kind
        case .eventRefused: "event_error"
        case .resource(let resource): resource.type.kind
        case .unknown: "unknown"
        }
    }

    package var room: String? {
        switch self {
        case .joined(let room), .joinRefused(let room, _), .left(let room), .leaveRefused(let room, _),
            .eventRefused(let room, _):
            room
        case .event(let event): event.room
        case .resource(let resource): resource.room
        case .authenticated, .unauthorized, .unknown: nil
        }
    }

    package var actor: String? {
        switch self {
        case .event(let event): event.data.actor
        case .resource(let resource): resource.resource.actor
        case .authenticated, .unauthorized, .joined, .joinRefused, .left, .leaveRefused, .eventRefused, .unknown: nil
        }
    }

    package var actorID: String? {
        guard case .event(let event) = self, case .typing(_, _, let user, _, _) = event.data else { return nil }
        return user.description
    }

    package var said: (id: String, text: String)? {
        guard case .resource(let resource) = self, case .message(let message) = resource.resource else { return nil }
        return (message.id.description, message.text)
    }

    package var mentions: [Mention] {
        guard case .resource(let resource) = self, case .message(let message) = resource.resource else { return [] }
        return message.mentions
    }

    package var summary: String {
        switch self {
        case .authenticated: "authenticated"
        case .unauthorized(let message): message.isEmpty ? "unauthorized" : "unauthorized: \(message)"
        case .joined(let room): "joined \(room)"
        case .joinRefused(let room, let message): "join refused: \(room): \(message)"
        case .left(let room): "left \(room)"
        case .leaveRefused(let room, let message): "leave refused: \(room): \(message)"
        case .event(let event): event.data.summary
        case .eventRefused(let room, let message): "event refused: \(room): \(message)"
        case .resource(let resource): resource.fields.summary
        case .unknown(let event): event.summary
        }
    }

    package var isKnown: Bool {
        switch self {
        case .event(let event): event.data.isKnown
        case .resource(let resource): resource.action.isKnown && resource.type.isKnown
        case .unknown: false
        case .authenticated, .unauthorized, .joined, .joinRefused, .left, .leaveRefused, .eventRefused: true
        }
    }

    /// The time of the event itself. Only the time of the change counts: a deleted entity contains the times of
    /// its creation and of earlier changes, and a changed one the time of its creation. A lag computed from
    /// those would be the entity's age.
    package var serverTime: Timestamp? {
        guard case .resource(let resource) = self, resource.action != .deleted else { return nil }
        let isNew = resource.action == .created
        switch resource.resource {
        case .channel(let channel): return channel.updatedAt
        case .activity(let activity): return activity.lastActivity
        case .member(let member): return member.updatedAt
        case .message(let message): return message.updatedAt ?? (isNew ? message.createdAt : nil)
        case .tab(let tab): return tab.updatedAt ?? (isNew ? tab.createdAt : nil)
        case .badge, .desktopNotification, .online, .workspace, .company, .user, .companyUser, .bookmark, .document,
            .other:
            return nil
        }
    }
}

extension Event {
    /// Creates an event of a Twake backend.
    public static func twake(_ event: Twake.Event) -> Event { Event(event) }
    /// The event of a Twake backend; `nil` for any other event.
    public var twake: Twake.Event? { value as? Twake.Event }
}

extension Twake.EventData {
    fileprivate var kind: String {
        switch self {
        case .message: "message"
        case .typing: "typing"
        case .unknown: "unknown"
        }
    }

    fileprivate var isKnown: Bool {
        if case .unknown = self { false } else { true }
    }

    fileprivate var actor: String? {
        guard case .typing(_, _, let user, let name, _) = self else { return nil }
        return name.isEmpty ? user.description : name
    }

    fileprivate var summary: String {
        switch self {
        case .message(.update, let message, let thread):
            thread == message ? "updated message \(message)" : "updated reply \(message)"
        case .message(.remove, let message, let thread):
            thread == message ? "removed message \(message)" : "removed reply \(message)"
        case .typing(_, _, let user, let name, let isWriting):
            "\(name.isEmpty ? user.description : name) \(isWriting ? "is typing" : "stopped typing")"
        case .unknown(let text): text.excerpt
        }
    }
}

extension Twake.ResourceType {
    fileprivate var kind: String {
        switch self {
        case .channel, .channels: "channel"
        case .badges: "badge"
        case .desktopNotification: "notification"
        case .bookmark: "bookmark"
        case .online: "online"
        case .documentsUpdated: "documents"
        case .channelActivity, .channelMember, .channelTabs, .message, .workspace, .user, .company, .companyUser,
            .companyApplication:
            wireName
        case .unknown: "unknown"
        }
    }
}

extension Twake.Resource {
    fileprivate var actor: String? {
        switch self {
        case .activity(let activity): activity.lastMessage.flatMap { $0.senderName ?? $0.sender?.description }
        case .member(let member): member.user?.description
        case .message(let message): message.sender
        case .online(let statuses): statuses.count == 1 ? statuses.first?.user.description : nil
        case .user(let account): account.name
        case .companyUser(let member): member.user.description
        case .bookmark(let bookmark): bookmark.user?.description
        case .channel, .badge, .desktopNotification, .workspace, .company, .tab, .document, .other: nil
        }
    }
}

extension Twake.Message {
    fileprivate func summary(_ action: Twake.ResourceAction) -> String {
        if isDeleted { return "deleted message \(self.id)" }
        let files = self.files.map { FilePreview.text(name: $0.name ?? $0.id.description, size: $0.size) }
        let line = "\(sender ?? "?"): " + ([self.text] + files).filter { !$0.isEmpty }.joined(separator: " ")
        switch action {
        case .created, .saved: return line
        case .updated, .deleted, .event, .unknown: return "\(action.wireName) \(line)"
        }
    }
}

extension Twake.Channel {
    fileprivate var title: String {
        let noun = self.visibility == .direct ? "direct" : "channel"
        guard let name = self.name, !name.isEmpty else { return "\(noun) \(self.id)" }
        return "\(noun) \"\(name)\""
    }
}

extension Twake.SocketIOResource.Fields {
    fileprivate var summary: String {
        switch resource {
        case .channel(let channel): return "\(action.wireName) \(channel.title)"
        case .activity(let activity):
            guard let text = activity.lastMessage?.text, let actor = resource.actor else {
                return "activity in channel \(activity.channel)"
            }
            return "\(actor): \(text)"
        case .member(let member):
            guard let user = member.user else { return "\(action.wireName) membership of channel \(member.channel)" }
            return "\(action.wireName) membership of \(user) in channel \(member.channel)"
        case .message(let message): return message.summary(action)
        case .badge(let badge): return "\(action.wireName) badge of channel \(badge.channel), thread \(badge.thread)"
        case .desktopNotification(let notification): return "\(notification.title): \(notification.text)"
        case .online(let statuses):
            return statuses.map { "\($0.user) is \($0.isOnline ? "online" : "offline")" }.joined(separator: ", ")
        case .workspace, .company, .user, .companyUser, .tab, .bookmark, .document:
            return "\(action.wireName) \(subject)"
        case .other: return "\(action.wireName) \(type.wireName)"
        }
    }

    /// The kind and the name of the entity, for events that are described by these two.
    private var subject: String {
        switch resource {
        case .workspace(let workspace): Self.title("workspace", workspace.name, workspace.id)
        case .company(let company): Self.title("company", company.name, company.id)
        case .user(let account): "user \(account.name)"
        case .companyUser(let member):
            "\(member.role?.wireName ?? "user") \(member.user)" + (member.company.map { " of company \($0)" } ?? "")
        case .tab(let tab):
            Self.title("tab", tab.name, tab.id) + (tab.channel.map { " of channel \($0)" } ?? "")
        case .bookmark(let bookmark): Self.title("bookmark", bookmark.name, bookmark.id)
        case .document(let document): "document \(document.id)"
        case .channel, .activity, .member, .message, .badge, .desktopNotification, .online, .other: type.wireName
        }
    }

    private static func title(_ noun: String, _ name: String, _ id: EntityID) -> String {
        name.isEmpty ? "\(noun) \(id)" : "\(noun) \"\(name)\""
    }
}
