import Events

/// A handler for one kind of payload: a pure function from an event to staged changes and refetch plans. The functions
/// from answers to changes are in `TwakeBackend+Answers`.
struct TwakeHandler<Payload>: Sendable {
    /// A name for the subject of the handler, shown by `explain`.
    let name: String
    let run: @Sendable (Payload, TwakeEnvelope, TwakeFacts, inout TwakeMemory, inout HandlerContext) -> Void
}

/// The context of a payload: its room and action.
struct TwakeEnvelope: Sendable {
    /// The room in which the payload arrived.
    let room: Twake.RoomName
    /// The parts of the action that affect handling.
    let isDeletion, isUpdate: Bool

    init(_ action: borrowing Twake.ResourceAction, in room: Twake.RoomName) {
        self.room = room
        (isDeletion, isUpdate) =
            switch action {
            case .deleted: (true, false)
            case .updated: (false, true)
            case .created, .saved, .event, .unknown: (false, false)
            }
    }
}

/// The handlers for each type of payload. An event may reach several handlers; `TwakeRefetchPolicy` decides what they do.
enum TwakeRouter {
    static let channel: [TwakeHandler<Twake.Channel>] = [.channelChanged]
    static let activity: [TwakeHandler<Twake.ChannelActivity>] = [.activityChanged]
    static let member: [TwakeHandler<Twake.ChannelMember>] = [.ownMembershipChanged, .membersChanged]
    static let message: [TwakeHandler<Twake.Message>] = [.messageChanged]
    static let messageNotice: [TwakeHandler<TwakeMessageNotice>] = [.messageAnnounced]
    static let badge: [TwakeHandler<Twake.Badge>] = [.badgeChanged]
    static let account: [TwakeHandler<Twake.Account>] = [.accountChanged]
    static let online: [TwakeHandler<[Twake.OnlineStatus]>] = [.presenceChanged]
    static let typing: [TwakeHandler<TwakeTyping>] = [.typingChanged]
    static let workspace: [TwakeHandler<Twake.Workspace>] = [.workspaceChanged]
    static let company: [TwakeHandler<Twake.Company>] = [.companyChanged]
    static let companyUser: [TwakeHandler<Twake.CompanyUser>] = [.companyUserChanged]

    static func route(
        _ sent: Twake.SocketIOResource.Fields, in room: Twake.RoomName, _ facts: TwakeFacts,
        _ memory: inout TwakeMemory, into context: inout HandlerContext
    ) {
        route(sent.resource, TwakeEnvelope(sent.action, in: room), facts, &memory, &context)
    }

    private static func route(
        _ resource: borrowing Twake.Resource, _ envelope: TwakeEnvelope, _ facts: TwakeFacts,
        _ memory: inout TwakeMemory, _ context: inout HandlerContext
    ) {
        switch resource {
        case .channel(let payload): run(channel, payload, envelope, facts, &memory, &context)
        case .activity(let payload): run(activity, payload, envelope, facts, &memory, &context)
        case .member(let payload): run(member, payload, envelope, facts, &memory, &context)
        case .message(let payload): run(message, payload, envelope, facts, &memory, &context)
        case .badge(let payload): run(badge, payload, envelope, facts, &memory, &context)
        case .workspace(let payload): run(workspace, payload, envelope, facts, &memory, &context)
        case .company(let payload): run(company, payload, envelope, facts, &memory, &context)
        case .user(let payload): run(account, payload, envelope, facts, &memory, &context)
        case .companyUser(let payload): run(companyUser, payload, envelope, facts, &memory, &context)
        case .online(let payload): run(online, payload, envelope, facts, &memory, &context)
        case .desktopNotification, .tab, .bookmark, .document, .other: break
        }
    }

    static func route(
        _ event: Twake.SocketIOEvent, in room: Twake.RoomName, _ facts: TwakeFacts,
        _ memory: inout TwakeMemory, into context: inout HandlerContext
    ) {
        switch event.data {
        case .message(let action, let id, let thread):
            let notice = TwakeMessageNotice(isRemoval: action == .remove, id: id, thread: thread ?? id)
            let envelope = TwakeEnvelope(.event, in: room)
            run(messageNotice, notice, envelope, facts, &memory, &context)
        case .typing(let channel, let thread, let user, let name, let isWriting):
            let sent = TwakeTyping(channel: channel, thread: thread, user: user, name: name, isWriting: isWriting)
            run(typing, sent, TwakeEnvelope(.event, in: room), facts, &memory, &context)
        case .unknown: break
        }
    }

    private static func run<Payload>(
        _ handlers: [TwakeHandler<Payload>], _ payload: Payload, _ envelope: TwakeEnvelope, _ facts: TwakeFacts,
        _ memory: inout TwakeMemory, _ context: inout HandlerContext
    ) {
        for handler in handlers { handler.run(payload, envelope, facts, &memory, &context) }
    }
}

/// The announcement of a message in era A, which contains only ids.
struct TwakeMessageNotice: Sendable {
    var isRemoval: Bool
    var id: EntityID
    /// The id of the thread, equal to `id` for a head.
    var thread: EntityID
}
