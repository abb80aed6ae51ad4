import WeirEvents
import WeirJSON
import WeirModel
import WeirWire

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

/// The facts about the server and the selected place. Discovery finds them step by step; then they rarely change.
struct TwakeFacts: Sendable {
    /// A company or a workspace, as listed by the server.
    struct Place: Sendable {
        var id: EntityID
        /// The displayed name, which is untrusted text.
        var name: String

        /// The name followed by the id, for messages to the user.
        var label: String { "\(name) (\(id))" }
    }

    /// The era of the server, or `nil` until it is known.
    var era: TwakeEra?
    var company: EntityID?
    var workspace: EntityID?
    /// The user's companies in the last answer, or `nil` before the first.
    var companies: [Place]?
    /// The workspaces of each company in the last answer.
    var workspaces: [EntityID: [Place]] = [:]
    var user: EntityID?
    /// The kinds of rows that the session follows in addition to channels and messages.
    var following: Configuration.Following
    /// Whether era A is assumed only because the service of era B does not answer.
    var isEraGuessed = false
    /// Whether era A was chosen because the service of era B was absent. Full looks probe for it again.
    var isEraByAbsence = false
    /// Whether the server returns messages with the context they were sent with; `nil` until one of the session's
    /// messages shows it.
    var keepsContext: Bool?
    /// Whether no REST service was found. It is probed again on the next connection and with the next full look.
    var hasNoREST = false
    /// Whether the REST service has ever given an answer of Twake.
    var hasREST = false
    /// Whether the session has warned the user that the server has no REST service.
    var toldOfNoREST = false

    /// Forgets that the REST service was absent, so that it is probed again.
    mutating func forgetAbsence() {
        guard hasNoREST else { return }
        hasNoREST = false
        if isEraGuessed { era = nil }
    }

    /// The era to use; era B while it is unknown.
    var effectiveEra: TwakeEra { era ?? .b }
}

/// The known range of a channel's threads. A position is the time of a thread's last activity, in milliseconds since
/// 1970.
typealias TwakeReach = Reach<EntityID, Int64>

/// The state of the handlers outside the model: channels that were mentioned but not listed, and the known ranges of
/// messages.
struct TwakeMemory: Sendable {
    /// The reading of a thread with more than one page, from its end backwards.
    struct LongThread: Sendable {
        var channel: EntityID?
        /// The ids on the pages so far.
        var listed: Set<EntityID> = []
        /// Whether every row of the pages could be decoded.
        var isWhole = true
        var pages = 1
        /// The cursor of the requested page; `nil` while the thread has only one page.
        var next: EntityID?
    }

    /// A channel that a list should contain, with the number of fetches made for it.
    private struct Awaited: Sendable {
        var list: ResourceKey
        var attempts = 0
    }

    /// The limits on what a server can make the memory hold.
    private static let maximumChannels = 5_000
    private static let mostRemoved = 1_000
    /// The maximum number of fetches of a list for a channel that it should contain.
    static let maximumAttempts = 8

    var reaches: [EntityID: TwakeReach] = [:]
    /// The messages that notices removed while answers were in flight, the newest last. Older answers must not bring
    /// them back.
    private(set) var removed: [EntityID] = []
    /// The replies on the pages of a channel's current walk (era A).
    var listed: [EntityID: Set<EntityID>] = [:]
    /// The long threads being read, by the id of their head.
    var longThreads: [EntityID: LongThread] = [:]
    /// The threads with a hole, each with its channel. `deepThreads` contains those to read completely.
    private var brokenThreads: [EntityID: EntityID] = [:]
    private var deepThreads: Set<EntityID> = []
    var accounts = TwakeAccountBook()
    var presence = TwakePresenceBook()
    var typing = TypingBook()
    /// Whether the lists of companies and workspaces must be fetched, since no room causes it (era A).
    var needsPlaces = true
    /// The channels that an event assigned to the user and that are not listed yet (Twake TW-54).
    private var awaited: [EntityID: Awaited] = [:]
    /// The channels that were mentioned but do not belong to the user. They are not fetched again (Twake TW-56).
    private var strangers: Set<EntityID> = []
    var told = ReportedFailures()

    /// Whether an unlisted channel was mentioned before, so that another mention causes no fetch.
    func isStranger(_ channel: EntityID) -> Bool { strangers.contains(channel) }

    /// Records a mention of an unknown channel that nothing assigns to the user.
    mutating func mention(_ channel: EntityID) {
        if strangers.count >= Self.maximumChannels { strangers = [] }
        strangers.insert(channel)
    }

    /// Records that an event assigned an unknown channel to the user. The list gets all its attempts again.
    mutating func await(_ channel: EntityID, in list: ResourceKey) {
        strangers.remove(channel)
        if awaited.count >= Self.maximumChannels { awaited = [:] }
        awaited[channel] = Awaited(list: list)
    }

    /// Records that a list contains the channel.
    mutating func listed(_ channel: EntityID) {
        if !awaited.isEmpty { awaited[channel] = nil }
        if !strangers.isEmpty { strangers.remove(channel) }
    }

    /// Records that a notice removed a message.
    ///
    /// - Parameter isFetching: Whether an answer in flight may still contain the message.
    mutating func noteRemoval(of message: EntityID, isFetching: Bool) {
        guard isFetching else { return removed = [] }
        if removed.count == Self.mostRemoved { removed.removeFirst() }
        removed.append(message)
    }

    /// Whether a message is as old as the start of the channel's known range, or older.
    func isBeyond(_ message: Twake.Message, in channel: EntityID?) -> Bool {
        guard let start = channel.flatMap({ reaches[$0]?.start }), let at = message.createdAt else { return false }
        return at.milliseconds <= start
    }

    /// Forgets the ranges and threads of a channel whose messages are no longer followed.
    mutating func forgetMessages(of channel: EntityID) {
        reaches[channel] = nil
        listed[channel] = nil
        longThreads = longThreads.filter { $0.value.channel != channel }
        deepThreads = deepThreads.filter { brokenThreads[$0] != channel }
        brokenThreads = brokenThreads.filter { $0.value != channel }
    }

    /// Records the result of reading a thread: a hole, or `nil` when the thread is complete.
    mutating func note(hole: Hole?, inThread thread: EntityID, of channel: EntityID?) {
        brokenThreads[thread] = hole == nil ? nil : channel
        deepThreads.remove(thread)
    }

    /// Whether to read a thread completely.
    func isDeep(_ thread: EntityID) -> Bool { deepThreads.contains(thread) }

    /// Marks the threads of a channel that have a hole, so that they are read completely.
    mutating func deepen(_ channel: EntityID) {
        for (thread, place) in brokenThreads where place == channel { deepThreads.insert(thread) }
    }

    /// Returns the threads of a channel to read completely, sorted by id.
    func deepThreads(of channel: EntityID) -> [EntityID] {
        deepThreads.filter { brokenThreads[$0] == channel }.sorted()
    }

    /// Forgets a channel that was deleted or left.
    mutating func forget(_ channel: EntityID) {
        forgetMessages(of: channel)
        awaited[channel] = nil
        strangers.remove(channel)
    }

    /// Returns the delay before a list is fetched again for the channels missing from it, or `nil` when none is missing
    /// or all attempts are used up.
    mutating func nextAttempt(of list: ResourceKey) -> Duration? {
        var delay: Duration?
        for (channel, entry) in awaited where entry.list == list {
            guard entry.attempts < Self.maximumAttempts else {
                awaited[channel] = nil
                continue
            }
            awaited[channel]?.attempts += 1
            // Take the minimum, so that the iteration order does not matter. The delays are 0.5, 1, 2, … 30 seconds.
            let own = Duration.milliseconds(min(500 << entry.attempts, 30_000))
            delay = min(delay ?? own, own)
        }
        return delay
    }
}
