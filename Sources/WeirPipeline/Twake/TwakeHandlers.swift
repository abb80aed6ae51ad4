import WeirEvents
import WeirModel

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

extension TwakeHandler where Payload == Twake.Channel {
    /// Handles `channel` and `channels`. A known channel is updated. An unknown one belongs to the user only if the
    /// list contains it (Twake TW-56, TW-54).
    static let channelChanged = TwakeHandler(name: "channel") { sent, envelope, facts, memory, context in
        let known = context.model[.channel(sent.id)]?.channel
        var freshness: TwakeFreshness =
            envelope.isDeletion ? .removed : known.map { sent.freshness(against: $0) } ?? .unknown
        // The proxy of era A presents names and members differently.
        if freshness == .newer, facts.era == .a { freshness = .doubtful }
        let treatment = TwakeRefetchPolicy.treatment(of: .channel, freshness)
        context.overtakeLists(of: sent.path, removing: envelope.isDeletion)
        if treatment.applies {
            if envelope.isDeletion {
                context.removeChannel(sent.id, &memory)
            } else if let known {
                context.model.put(.channel(known.merged(with: sent)))
            }
        } else if known == nil {
            return context.mention(sent, isOwn: envelope.room.isOwnDirects, facts, &memory)
        }
        context.refetch(treatment.refetch, of: sent.path, facts)
    }
}

extension TwakeHandler where Payload == Twake.ChannelActivity {
    /// Handles `channel_activity`: moves the channel to the front. An older activity changes nothing.
    static let activityChanged = TwakeHandler(name: "channel activity") { sent, envelope, facts, memory, context in
        context.overtakeLists(of: sent.path)
        guard var known = context.model[.channel(sent.channel)]?.channel else {
            let news = Twake.Channel(
                id: sent.channel, company: sent.company, workspace: sent.workspace, lastActivity: sent.lastActivity,
                lastMessage: sent.lastMessage)
            return context.mention(news, isOwn: envelope.room.isOwnDirects, facts, &memory)
        }
        let freshness = envelope.isDeletion ? .removed : sent.freshness(against: known)
        let treatment = TwakeRefetchPolicy.treatment(of: .activity, freshness)
        if treatment.applies {
            known.update { fields in
                fields.lastActivity = latest(sent.lastActivity, fields.lastActivity)
                fields.lastMessage = sent.lastMessage ?? fields.lastMessage
            }
            context.model.put(.channel(known))
        }
        context.refetch(treatment.refetch, of: sent.path, facts)
    }
}

extension TwakeHandler where Payload == Twake.ChannelMember {
    /// Handles `channel_member` in a list room, which is the user's own membership. A join causes a fetch of the list,
    /// a leave removes the channel, and a read marker is applied.
    static let ownMembershipChanged = TwakeHandler(name: "own membership") {
        sent, envelope, facts, memory, context in
        guard envelope.room.isOwnList, let path = sent.path(facts) else { return }
        context.overtakeLists(of: path, removing: envelope.isDeletion)
        let known = context.model[.channel(sent.channel)]?.channel
        if known == nil, envelope.isDeletion { return memory.forget(sent.channel) }
        let freshness: TwakeFreshness =
            envelope.isDeletion ? .removed : known.map { sent.freshness(against: $0) } ?? .unknown
        let treatment = TwakeRefetchPolicy.treatment(of: .ownMembership, freshness)
        if var known, treatment.applies {
            if envelope.isDeletion {
                context.removeChannel(sent.channel, &memory)
            } else {
                known.update { fields in
                    fields.lastAccess = sent.lastAccess
                    fields.profile.takeMembership(sent)
                }
                context.model.put(.channel(known))
            }
        } else if known == nil, !facts.hasNoREST {
            memory.await(sent.channel, in: path.list(facts.effectiveEra))
        }
        context.refetch(treatment.refetch, of: path, facts)
    }

    /// Handles `channel_member` of any user, in a channel's own room or for a channel whose members are shown.
    static let membersChanged = TwakeHandler(name: "channel members") { sent, envelope, facts, memory, context in
        guard let path = sent.path(facts) else { return }
        let isShown = context.model.elementCount(in: .members(sent.channel)) > 0
        guard isShown || !envelope.room.isOwnList else { return }
        // The user's own leave already removed the channel with its members.
        guard context.model[.channel(sent.channel)] != nil || !envelope.room.isOwnList else { return }
        context.overtake(removing: envelope.isDeletion) { $0.path?.channel == path.channel && $0.isMembers }
        let user = sent.user ?? (envelope.room.isOwnList ? facts.user : nil)
        let known = user.flatMap { context.model[.member($0, of: sent.channel)]?.member }
        let freshness: TwakeFreshness =
            envelope.isDeletion ? .removed : known.map { sent.freshness(against: $0) } ?? .unknown
        let treatment = TwakeRefetchPolicy.treatment(of: .member, freshness)
        if treatment.applies, let user {
            if envelope.isDeletion {
                context.model.remove(.member(user, of: sent.channel))
            } else if let row = Item.member(sent) {
                context.model.put(row)
            }
        }
        context.refetch(treatment.refetch, of: path, facts)
    }
}

extension HandlerContext {
    /// Handles a mention of an unknown channel by fetching the list, which decides whether the channel is the user's.
    /// Without a REST service, the channel is taken from the event.
    mutating func mention(_ channel: Twake.Channel, isOwn: Bool, _ facts: TwakeFacts, _ memory: inout TwakeMemory) {
        guard !facts.hasNoREST else { return model.put(.channel(channel)) }
        let list = channel.path.list(facts.effectiveEra)
        if isOwn {
            memory.await(channel.id, in: list)
        } else if memory.isStranger(channel.id) {
            return
        } else {
            memory.mention(channel.id)
        }
        fetch(list)
    }

    /// Removes a channel with everything that belongs to it: rooms, requests, messages and members.
    mutating func removeChannel(_ id: EntityID, _ memory: inout TwakeMemory) {
        memory.forget(id)
        plans.append(.cancel(.channel(id)))
        if let channel = model[.channel(id)]?.channel {
            for era in [TwakeEra.a, .b] {
                plans.append(.unwant(room: Twake.RoomName.ofMessages(era, channel.path).description))
            }
            plans.append(.unwant(room: Twake.RoomName.ofMembers(channel.path).description))
        }
        removeMessages(of: id)
        for member in model.rows(in: .members(id)) { model.remove(member.id) }
        model.remove(.channel(id))
    }

    /// Removes a channel's messages, with all threads.
    mutating func removeMessages(of channel: EntityID) {
        model.remove(.hole(channel))
        for head in model.rows(in: .messages(channel)) { removeThread(head.id.id) }
        // Era A deletes heads and keeps their replies.
        for section in model.sectionKeys where section.name == Item.Section.threadName {
            for reply in model.rows(in: section) where reply.message?.channel == channel { model.remove(reply.id) }
        }
    }

    /// Returns the threads of a channel whose head is not held. The head was moved or deleted, and so may the replies
    /// be.
    func strays(of channel: EntityID) -> [EntityID] {
        model.sectionKeys.enumerated().compactMap { index, section in
            guard section.name == Item.Section.threadName, let thread = section.parent,
                let shown = model.element(at: SectionPath(section: index, item: 0)),
                shown.message?.channel == channel, model[.message(thread)]?.message?.isHead != true,
                // Skip threads whose rows are all gone from the staged model. The committed section may still contain a
                // pending reply, or one that was just removed.
                model.rows(in: section).contains(where: { model[$0.id] != nil })
            else { return nil }
            return thread
        }
    }

    /// Removes a head and its replies, except for those that were just moved to another thread.
    mutating func removeThread(_ id: EntityID) {
        for reply in model.rows(in: .thread(id)) where model[reply.id]?.message?.thread == id {
            model.remove(reply.id)
        }
        model.remove(.message(id))
        model.remove(.hole(id))
    }
}

extension Twake.RoomName {
    /// Returns the room that carries a channel's messages.
    static func ofMessages(_ era: TwakeEra, _ path: TwakeChannelPath) -> Twake.RoomName {
        switch era {
        case .a: .previousMessages(channel: path.channel)
        case .b: .feed(company: path.company, workspace: path.workspace, channel: path.channel)
        }
    }

    /// Returns the channel's own room, which carries joins and leaves of all its members.
    static func ofMembers(_ path: TwakeChannelPath) -> Twake.RoomName {
        .channel(company: path.company, workspace: path.workspace, channel: path.channel)
    }
}

extension TwakeHandler where Payload == Twake.Message {
    /// Handles `message` of eras B and C.
    ///
    /// The payload is complete, so it is applied; duplicates and older versions change nothing. A deletion is an update
    /// with `subtype: "deleted"` (Twake TW-52). A reply changes the counter of its head, which is not sent
    /// (Twake TW-50).
    static let messageChanged = TwakeHandler(name: "message") { sent, envelope, facts, memory, context in
        let path = context.path(of: sent, in: envelope.room)
        let channel = sent.channel ?? path?.channel
        let known = context.model[.message(sent.id)]?.message
        guard known != nil || !sent.isStub else { return }
        if known == nil, !memory.typing.isEmpty, let user = sent.user, let channel {
            context.endTyping(user, in: channel, sent.isHead ? nil : sent.thread, &memory)
        }
        context.overtakeMessages(of: sent.thread, in: channel)
        let message = known?.merged(with: sent, in: channel) ?? sent.placed(in: channel)
        let freshness = envelope.isDeletion ? .removed : known.map { message.freshness(against: $0) } ?? .unknown
        let treatment = TwakeRefetchPolicy.treatment(of: .message, freshness)
        if treatment.applies, let row = Item.message(message) { context.take(row) }
        guard let path else { return }
        if treatment.refetch == .message {
            context.fetch(.twake(.message(.b, path, thread: sent.thread, id: sent.id)))
        }
        // A head that first appears through an update, or that is older than the known pages, already has replies. The
        // frame does not contain their number.
        let isBeyond = known == nil && (envelope.isUpdate || memory.isBeyond(sent, in: channel))
        let hasMoved = known.map { $0.thread != sent.thread } ?? false
        guard freshness != .older, !sent.isHead || isBeyond || hasMoved else { return }
        let counter = TwakeRefetchPolicy.treatment(of: .replyCounter, sent.counterStanding(known))
        if counter.refetch == .head { context.fetchHeads(of: sent, known, .b, path) }
    }
}

extension TwakeHandler where Payload == TwakeMessageNotice {
    /// Handles `realtime:event` of era A, which contains ids only: the message is fetched, and a removal is applied.
    /// Both may change the counter of the message's head.
    static let messageAnnounced = TwakeHandler(name: "message by id") { notice, envelope, facts, memory, context in
        guard let path = context.path(ofRoom: envelope.room, facts) else { return }
        let known = context.model[.message(notice.id)]?.message
        context.overtakeMessages(of: notice.thread, in: path.channel)
        let freshness: TwakeFreshness = notice.isRemoval ? .removed : known == nil ? .unknown : .doubtful
        let treatment = TwakeRefetchPolicy.treatment(of: .messageNotice, freshness)
        let key = ResourceKey.twake(.message(.a, path, thread: notice.thread, id: notice.id))
        if treatment.applies {
            context.plans.append(.forget(key))
            context.model.remove(.message(notice.id))
            memory.noteRemoval(of: notice.id, isFetching: context.refetcher.isFetching)
        }
        if treatment.refetch == .message { context.fetch(key) }
        guard notice.thread != notice.id, notice.isRemoval || known == nil else { return }
        let counter = TwakeRefetchPolicy.treatment(of: .replyCounter, freshness)
        if counter.refetch == .head {
            context.fetch(.twake(.message(.a, path, thread: notice.thread, id: notice.thread)))
        }
    }
}

extension TwakeHandler where Payload == Twake.Badge {
    /// Handles `user_notification_badges`: shows or removes an unread thread at once. Then all badges are fetched, once
    /// for N frames (Twake TW-53).
    static let badgeChanged = TwakeHandler(name: "badge") { sent, envelope, facts, memory, context in
        let row = Item.badge(sent)
        // In era A the model holds the proxy's counters, which a badge of one thread cannot update.
        let isCounted = facts.era == .a
        let freshness: TwakeFreshness =
            envelope.isDeletion ? .removed : context.model[row.id] == row ? .same : .doubtful
        let treatment = TwakeRefetchPolicy.treatment(of: .badge, freshness)
        if treatment.applies, !isCounted {
            if envelope.isDeletion { context.model.remove(row.id) } else { context.model.put(row) }
        }
        if treatment.refetch == .badgesSoon {
            context.fetch(.twake(.badges(facts.effectiveEra, company: sent.company)), after: .milliseconds(300))
        }
    }
}

extension Twake.Message {
    /// Returns how a reply, or a moved message, relates to the counter of its head.
    fileprivate func counterStanding(_ known: Twake.Message?) -> TwakeFreshness {
        guard let known else { return .unknown }
        if known.thread != self.thread || known.isDeleted != isDeleted { return .newer }
        // The known version came through the room of its thread, which does not identify the channel.
        return known.channel == nil ? .doubtful : .same
    }
}

extension HandlerContext {
    /// Returns the path of the message's channel. A feed room contains it; for the room of a thread, the known head
    /// does.
    fileprivate func path(of message: Twake.Message, in room: Twake.RoomName) -> TwakeChannelPath? {
        if case .feed(let company, let workspace, let channel) = room {
            return TwakeChannelPath(company: company, workspace: workspace, channel: channel)
        }
        let head = model[.message(message.thread)]?.message
        guard let id = message.channel ?? head?.channel else { return nil }
        return model[.channel(id)]?.channel?.path
    }

    /// Fetches the heads of the threads that a message was moved to and from. If a moved message was a head, its page
    /// may be fetched too.
    mutating func fetchHeads(
        of sent: Twake.Message, _ known: Twake.Message?, _ era: TwakeEra, _ path: TwakeChannelPath
    ) {
        fetch(.twake(.message(era, path, thread: sent.thread, id: sent.thread)))
        guard let known, known.thread != sent.thread else { return }
        overtakeMessages(of: known.thread, in: path.channel)
        if !known.isHead {
            fetch(.twake(.message(era, path, thread: known.thread, id: known.thread)))
        } else if model.elementCount(in: .messages(path.channel)) >= TwakeEndpoints.pageLength {
            // A head that became a reply leaves room in the newest page for a thread that no event reports.
            fetch(.twake(.feed(era, path)))
        }
    }

    /// Returns the path of the channel of an era A message room. The room contains only the channel's id; the model
    /// knows the rest.
    func path(ofRoom room: Twake.RoomName, _ facts: TwakeFacts) -> TwakeChannelPath? {
        guard case .previousMessages(let id) = room else { return nil }
        if let channel = model[.channel(id)]?.channel { return channel.path }
        guard let company = facts.company, let workspace = facts.workspace else { return nil }
        return TwakeChannelPath(company: company, workspace: workspace, channel: id)
    }
}

// Events of companies and workspaces contain no times and do not identify who may see them. The lists decide both.
extension TwakeHandler where Payload == Twake.Workspace {
    /// Handles `workspace`: updates a known workspace. The list decides whether an unknown one is the user's.
    static let workspaceChanged = TwakeHandler(name: "workspace") { sent, envelope, facts, memory, context in
        guard facts.following.contains(.places), let company = sent.company ?? envelope.room.company,
            company == facts.company
        else { return }
        let known = context.model[.workspace(sent.id)]?.workspace
        let merged = known?.merged(with: sent)
        let freshness: TwakeFreshness =
            envelope.isDeletion ? .removed : known == nil ? .unknown : merged == known ? .same : .doubtful
        let treatment = TwakeRefetchPolicy.treatment(of: .workspace, freshness)
        let list = TwakeResource.workspaces(facts.effectiveEra, company: company)
        context.overtake(removing: envelope.isDeletion) { $0 == list }
        if treatment.applies, let merged {
            if envelope.isDeletion {
                for channel in context.model.rows(in: .channels(sent.id)) {
                    context.removeChannel(channel.id.id, &memory)
                }
                context.model.remove(.workspace(sent.id))
            } else {
                context.model.put(.workspace(merged, of: company))
            }
        }
        if treatment.refetch == .placesSoon { context.fetchSoon(list, facts) }
    }
}

extension TwakeHandler where Payload == Twake.Company {
    /// Handles `company` in the same way as `workspace`.
    static let companyChanged = TwakeHandler(name: "company") { sent, envelope, facts, memory, context in
        guard facts.following.contains(.places) else { return }
        let known = context.model[.company(sent.id)]?.company
        let merged = known?.merged(with: sent)
        let freshness: TwakeFreshness =
            envelope.isDeletion ? .removed : known == nil ? .unknown : merged == known ? .same : .doubtful
        let treatment = TwakeRefetchPolicy.treatment(of: .company, freshness)
        let list = TwakeResource.companies(facts.effectiveEra)
        context.overtake(removing: envelope.isDeletion) { $0 == list }
        if treatment.applies, let merged {
            if envelope.isDeletion {
                context.model.remove(.company(sent.id))
            } else {
                context.model.put(.company(merged))
            }
        }
        if treatment.refetch == .placesSoon { context.fetchSoon(list, facts) }
    }
}

extension TwakeHandler where Payload == Twake.CompanyUser {
    /// Handles `company_user`, a user's permissions in a company. For the user themselves, the list of companies
    /// contains the same.
    static let companyUserChanged = TwakeHandler(name: "company user") { sent, envelope, facts, memory, context in
        guard facts.following.contains(.places), sent.user == facts.user else { return }
        let known = sent.company.flatMap { context.model[.company($0)]?.company }
        let freshness: TwakeFreshness =
            envelope.isDeletion
            ? .removed : known == nil ? .unknown : known?.role == sent.role ? .same : .doubtful
        let treatment = TwakeRefetchPolicy.treatment(of: .companyUser, freshness)
        let list = TwakeResource.companies(facts.effectiveEra)
        context.overtake(removing: envelope.isDeletion) { $0 == list }
        if treatment.applies, var known {
            known.role = sent.role ?? known.role
            context.model.put(.company(known))
        }
        if treatment.refetch == .placesSoon { context.fetchSoon(list, facts) }
    }
}

extension HandlerContext {
    fileprivate mutating func fetchSoon(_ resource: TwakeResource, _ facts: TwakeFacts) {
        guard !facts.hasNoREST else { return }
        fetch(.twake(resource), after: .milliseconds(300))
    }
}

extension Twake.Workspace {
    /// Returns this workspace updated with `newer`. Fields that were not sent keep their values.
    fileprivate func merged(with newer: Twake.Workspace) -> Twake.Workspace {
        var merged = newer
        merged.company = newer.company ?? company
        merged.name = newer.name.isEmpty ? name : newer.name
        merged.logo = newer.logo ?? logo
        merged.color = newer.color ?? color
        merged.membersCount = newer.membersCount ?? membersCount
        merged.createdAt = newer.createdAt ?? createdAt
        merged.lastAccess = latest(newer.lastAccess, lastAccess)
        merged.role = newer.role ?? role
        merged.permissions = newer.permissions.isEmpty ? permissions : newer.permissions
        merged.isPrivate = newer.isPrivate ?? isPrivate
        merged.isDefault = newer.isDefault ?? isDefault
        return merged
    }
}

extension Twake.Company {
    /// Returns this company updated with `newer`. Fields that were not sent keep their values.
    fileprivate func merged(with newer: Twake.Company) -> Twake.Company {
        var merged = newer
        merged.name = newer.name.isEmpty ? name : newer.name
        merged.logo = newer.logo ?? logo
        merged.membersCount = newer.membersCount ?? membersCount
        merged.guestsCount = newer.guestsCount ?? guestsCount
        merged.createdAt = newer.createdAt ?? createdAt
        merged.role = newer.role ?? role
        merged.permissions = newer.permissions.isEmpty ? permissions : newer.permissions
        merged.status = newer.status ?? status
        merged.plan = newer.plan ?? plan
        merged.notificationRooms = newer.notificationRooms.isEmpty ? notificationRooms : newer.notificationRooms
        return merged
    }
}
