import Events
import JSONText
import SectionedModel
import Wire

/// The Twake backend over Socket.IO (`TwakeProtocol.md`): it authenticates, discovers and joins rooms, and keeps the
/// model equal to the server's state.
///
/// When the user named no rooms, discovery proceeds in steps, one request each: server (era) → account → company →
/// workspace → rooms. Steps whose result is known are skipped.
struct TwakeBackend: Backend {
    var facts: TwakeFacts
    var memory = TwakeMemory()
    /// The number of threads to show for each channel, however old; 0 means the newest page.
    let historyLength: Int
    /// The maximum number of missed threads to catch up with, for each channel.
    let catchUp: Int
    /// Whether a later full look checks remembered rows, so that they need not be checked at once.
    let resyncs: Bool
    /// The kinds of rows that the session follows in addition to channels and messages.
    var following: Configuration.Following { facts.following }
    /// Whether rooms are discovered, because the user did not name them one by one.
    let discoversRooms: Bool

    init(_ configuration: Configuration) {
        discoversRooms = configuration.asksForRooms && configuration.connects
        historyLength = configuration.history
        catchUp = configuration.catchUp
        facts = TwakeFacts(
            company: configuration.company.map { EntityID($0) },
            workspace: configuration.workspace.map { EntityID($0) },
            // A session without a realtime connection serves one command and follows nothing.
            following: configuration.connects ? configuration.following : [])
        resyncs = configuration.resyncInterval != nil
        if configuration.rooms.contains(where: { $0.hasPrefix("previous::") }) { facts.era = .a }
    }

    /// Authenticates the connection. The server silently drops joins sent before `authenticated` (Twake TW-6), so no
    /// `.ready` yet.
    mutating func connected(token: Secret?, by spoken: RealtimeProtocol, into context: inout HandlerContext) {
        let arguments = RawJSON.object { $0.member("token", token?.reveal() ?? "") }
        context.plans.append(.emit(.init(name: "authenticate", arguments: arguments)))
    }

    func decode(_ event: WireEvent) throws(DecodingFailure) -> Event {
        if case .json(let message) = event, message.name == JSONMessage.push {
            return .twake(.resource(try pushed(message.payload)))
        }
        guard case .socketIO(let event) = event else { throw .foreign(event.name) }
        return .twake(
            event.hasOffset
                ? try Twake.Event(name: event.name, arguments: event.arguments)
                : try Twake.Event(array: event.array.bytes))
    }

    mutating func handle(
        _ event: borrowing Event, ackID: Int?, rooms: RoomSubscriptions, into context: inout HandlerContext
    ) {
        if let event = event.twake { handle(event, ackID: ackID, rooms, into: &context) }
    }

    private mutating func handle(
        _ event: borrowing Twake.Event, ackID: Int?, _ rooms: RoomSubscriptions, into context: inout HandlerContext
    ) {
        switch event {
        case .authenticated:
            context.plans.append(.ready)
            facts.forgetAbsence()
            memory.needsPlaces = true
            lookForMissing(into: &context)
            if discoversRooms { discover(into: &context) }
        case .unauthorized(let message):
            // The 2021 server waits for this acknowledgement before it disconnects (Twake TW-9).
            if let ackID { context.plans.append(.acknowledge(ackID)) }
            context.plans.append(.tokenRefused(message))
        case .joined(let room): context.plans.append(.joined(room: room))
        case .joinRefused(let room, let why): context.plans.append(.joinRefused(room: room, why: why))
        case .left(let room): context.plans.append(.left(room: room))
        case .leaveRefused(let room, let why): context.notice(.warning, "leaving \(room) was refused: \(why)")
        case .eventRefused(let room, let why): context.notice(.warning, "an event to \(room) was refused: \(why)")
        // Late frames of a room that is no longer wanted are ignored (Twake TW-95).
        case .event(let event):
            guard rooms.isWanted(event.room) else { break }
            TwakeRouter.route(event, in: Twake.RoomName(event.room), facts, &memory, into: &context)
        case .resource(let resource):
            resource.withFields { sent in if rooms.isWanted(sent.room) { handle(sent, into: &context) } }
        case .unknown: break
        }
        meetSenders(into: &context)
    }

    /// Converts a notification of the push service to an event in its channel's room.
    private func pushed(_ payload: RawJSON) throws(DecodingFailure) -> Twake.SocketIOResource {
        let push = try Twake.pushNotification(from: payload.bytes)
        let named = push.company.flatMap { company in
            push.workspace.map { TwakeChannelPath(company: company, workspace: $0, channel: push.channel) }
        }
        let path = named ?? paths[push.channel] ?? defaultPath(of: push.channel)
        var notification = Twake.DesktopNotification.blank
        (notification.company, notification.workspace) = (path?.company, path?.workspace)
        (notification.channel, notification.thread) = (push.channel, push.thread)
        (notification.message, notification.user) = (push.message, facts.user)
        (notification.title, notification.text) = (push.title, push.body)
        return Twake.SocketIOResource(
            action: .event, room: path.map { Twake.RoomName.ofMessages(facts.effectiveEra, $0).description } ?? "",
            type: .desktopNotification, path: nil, resource: .desktopNotification(notification))
    }

    /// Handles a resource event.
    ///
    /// An action unknown to this version may have changed anything, so the room's resources are fetched. The same
    /// happens after a push notification in a channel's room, because its message may not have arrived over the
    /// connection.
    private mutating func handle(_ sent: Twake.SocketIOResource.Fields, into context: inout HandlerContext) {
        let isPush = sent.type == .desktopNotification && Twake.RoomName(sent.room).channel != nil
        guard sent.action.isKnown, !isPush else {
            for key in resources(of: sent.room, context.model) { context.fetch(key, after: .seconds(1)) }
            return
        }
        TwakeRouter.route(sent, in: Twake.RoomName(sent.room), facts, &memory, into: &context)
    }

    func request(for key: ResourceKey, page: String?) -> RESTCall? {
        guard !facts.hasNoREST, var call = reader(for: key)?.call else { return nil }
        if let page { call.add(name: "page_token", page) }
        return call
    }

    func reader(for key: ResourceKey) -> AnswerReader? { key.twake?.reader(for: facts.user) }

    mutating func resync(into context: inout HandlerContext) {
        facts.forgetAbsence()
        memory.needsPlaces = true
        lookForMissing(into: &context)
        meetSenders(into: &context)
        if discoversRooms { discover(into: &context) }
        if facts.era == .a, facts.isEraByAbsence, !facts.hasNoREST { context.fetch(.twake(.server)) }
    }

    /// Joins a room with the constant token `twake`, like the mobile app. Every server version accepts it for every
    /// room (Twake TW-13). Servers of 2021 accept no user token for rooms, and no server accepts an expired one: the
    /// token belongs to the connection, which may outlive it by far (Twake TW-7).
    func join(_ room: String, token: Secret?) -> HandlerContext.RoomRequest? {
        roomRequest("realtime:join", room, token: "twake")
    }

    func leave(_ room: String, token: Secret?) -> HandlerContext.RoomRequest? {
        roomRequest("realtime:leave", room, token: nil)
    }

    private func roomRequest(_ name: String, _ room: String, token: String?) -> HandlerContext.RoomRequest {
        let arguments = RawJSON.object {
            $0.member("name", room)
            $0.member("token", token)
        }
        return .emit(HandlerContext.Emission(name: name, arguments: arguments))
    }

    func resources(of room: String, _ model: SectionedCollection<Item>) -> [ResourceKey] {
        let era = facts.effectiveEra
        switch Twake.RoomName(room) {
        case .channelsPublic(let company, let workspace), .channelsPrivate(let company, let workspace, _):
            return [.twake(.channels(era, company: company, workspace: workspace))]
        case .directs(let company, _): return [.twake(.directs(era, company: company))]
        case .feed(let company, let workspace, let channel):
            let path = TwakeChannelPath(company: company, workspace: workspace, channel: channel)
            return messageResources(.b, path, model)
        case .previousMessages(let channel):
            return (paths[channel] ?? defaultPath(of: channel)).map { messageResources(.a, $0, model) } ?? []
        case .thread(let company, let thread):
            let channel = model[.message(thread)]?.message?.channel
            let path = channel.flatMap { model[.channel($0)]?.channel?.path }
            return [.twake(.thread(.b, company: company, path, id: thread))]
        case .notifications:
            // The room belongs to the user, not to a company: fetch the badges of every company that is shown.
            var companies = facts.company.map { [$0] } ?? []
            for section in model.sectionKeys where section.name == Item.Section.badgesName {
                if let company = section.parent, !companies.contains(company) { companies.append(company) }
            }
            return companies.map { .twake(.badges(era, company: $0)) }
        case .channel(let company, let workspace, let channel):
            let path = TwakeChannelPath(company: company, workspace: workspace, channel: channel)
            return [.twake(.members(era, path))]
        case .workspaces(let company):
            return following.contains(.places) ? [.twake(.workspaces(era, company: company))] : []
        case .company: return following.contains(.places) ? [.twake(.companies(era))] : []
        case .me: return following.contains(.accounts) ? [.twake(.account(era))] : []
        case .tabs, .inbox, .bookmarks, .document, .online, .other: return []
        }
    }

    /// Returns the newest messages, and the members if they are shown.
    private func messageResources(
        _ era: TwakeEra, _ path: TwakeChannelPath, _ model: SectionedCollection<Item>
    ) -> [ResourceKey] {
        let showsMembers = model.elementCount(in: .members(path.channel)) > 0
        return [.twake(.feed(era, path))] + (showsMembers ? [.twake(.members(era, path))] : [])
    }

    /// The paths of channels in era A, learned from the lists: the room's name contains only the channel's id.
    var paths: [EntityID: TwakeChannelPath] = [:]

    private func defaultPath(of channel: EntityID) -> TwakeChannelPath? {
        guard let company = facts.company, let workspace = facts.workspace else { return nil }
        return TwakeChannelPath(company: company, workspace: workspace, channel: channel)
    }
}
