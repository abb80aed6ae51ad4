import Events
import JSONText

// Discovers the user's rooms step by step.
extension TwakeBackend {
    /// Fetches the first fact that is still unknown, or wants the rooms once all facts are known.
    mutating func discover(into context: inout HandlerContext) {
        guard !facts.hasNoREST else { return }
        guard let era = facts.era else { return context.fetch(.twake(.server)) }
        guard facts.user != nil else { return context.fetch(.twake(.account(era))) }
        guard let company = facts.company else { return context.fetch(.twake(.companies(era))) }
        guard let workspace = facts.workspace else {
            return context.fetch(.twake(.workspaces(era, company: company)))
        }
        context.globals.select(company: company, workspace: workspace)
        guard discoversRooms else { return }
        switch era {
        case .a:
            context.fetch(.twake(.rooms(company: company, workspace: workspace)))
            guard following.contains(.places), memory.needsPlaces else { return }
            memory.needsPlaces = false
            context.fetch(.twake(.companies(era)))
            context.fetch(.twake(.workspaces(era, company: company)))
        case .b: wantTemplates(company: company, workspace: workspace, into: &context)
        }
    }

    /// Applies an answer to a discovery step.
    mutating func applyDiscovery(
        _ body: ArraySlice<UInt8>, of resource: TwakeResource, isCurrent: Bool, into context: inout HandlerContext
    ) throws(DecodingFailure) {
        switch resource {
        case .server:
            if facts.era == .a { leaveEraA(into: &context) }
            facts.era = .b
            facts.isEraByAbsence = false
            facts.isEraGuessed = false
            lookForMissing(into: &context)
            discover(into: &context)
        case .account(let era):
            let account = try TwakeEndpoints.account(era).parse(body)
            learn(own: account, into: &context)
            facts.isEraGuessed = false
            guard account.id != facts.user else { return }
            facts.user = account.id
            context.plans.append(.account(account.id))
            // For rooms that the user named, discovery only has to find the user.
            if discoversRooms || facts.era != nil { discover(into: &context) }
        case .companies(let era):
            let companies = try context.answer(to: TwakeEndpoints.companies(era), body)
            let places = companies.map { TwakeFacts.Place(id: $0.id, name: $0.name) }
            facts.companies = places
            if following.contains(.places) {
                context.replace(.companies, with: companies.map { .company($0) }, isCurrent: isCurrent)
            }
            guard facts.company == nil else { return }
            facts.company = choose(
                "company", option: "--company", from: places, context.globals.company, into: &context)
            if facts.company != nil { discover(into: &context) }
        case .workspaces(let era, let company):
            guard company == facts.company else { return }
            let workspaces = try context.answer(
                to: TwakeEndpoints.workspaces(era, company: company), body)
            let places = workspaces.map { TwakeFacts.Place(id: $0.id, name: $0.name) }
            if isCurrent, context.leftOut.isHarmless {
                for known in facts.workspaces[company] ?? [] where !places.contains(where: { $0.id == known.id }) {
                    lose(known.id, of: company, into: &context)
                }
            }
            facts.workspaces[company] = places
            if following.contains(.places) {
                let rows = workspaces.map { Item.workspace($0, of: company) }
                context.replace(.workspaces(company), with: rows, isCurrent: isCurrent)
            }
            guard facts.workspace == nil else { return }
            facts.workspace = choose(
                "workspace", option: "--workspace", from: places, context.globals.workspaces[company.description],
                into: &context)
            guard facts.workspace != nil else { return }
            // An earlier session that was killed may have stored rows of another workspace; nothing keeps those up to
            // date.
            if discoversRooms { dropRemembered(into: &context) }
            discover(into: &context)
        case .rooms(let company, let workspace):
            guard company == facts.company, workspace == facts.workspace else { return }
            let rooms = try context.answer(
                to: TwakeEndpoints.rooms(company: company, workspace: workspace), body)
            // The message rooms in this list may belong to channels left since, and do not name their workspace. They
            // are derived from the channel lists instead.
            for room in rooms where !room.isOfMessages { context.want(room.key) }
        case .accounts, .channels, .directs, .channel, .members, .feed, .history, .thread, .replies, .message,
            .badges:
            break
        }
    }

    /// Switches from era A to era B, whose service was only away for a moment: the rooms and lists of era A are
    /// replaced.
    private mutating func leaveEraA(into context: inout HandlerContext) {
        for channel in paths.keys.sorted() {
            context.plans.append(.unwant(room: Twake.RoomName.previousMessages(channel: channel).description))
        }
        paths = [:]
        guard let company = facts.company, let workspace = facts.workspace else { return }
        context.fetch(.twake(.channels(.b, company: company, workspace: workspace)))
        context.fetch(.twake(.directs(.b, company: company)))
        context.fetch(.twake(.badges(.b, company: company)))
    }

    /// Wants the rooms with fixed names. Era B has no list of rooms, so clients build the names (Twake TW-17). The
    /// message rooms follow from the lists of channels.
    private func wantTemplates(company: EntityID, workspace: EntityID, into context: inout HandlerContext) {
        guard let user = facts.user else { return }
        var rooms: [Twake.RoomName] = [
            .channelsPublic(company: company, workspace: workspace),
            .channelsPrivate(company: company, workspace: workspace, user: user),
            .directs(company: company, user: user),
            .notifications(user: user),
            .workspaces(company: company),
        ]
        if following.contains(.places) { rooms.append(.company(company)) }
        if following.contains(.presence) { rooms.append(.online(company: company)) }
        if following.contains(.accounts) { rooms.append(.me(user: user)) }
        for room in rooms { context.want(room.description) }
    }

    /// Wants the message rooms of the listed channels.
    mutating func wantMessageRooms(of channels: [Twake.Channel], into context: inout HandlerContext) {
        let era = facts.effectiveEra
        for channel in channels {
            if era == .a { paths[channel.id] = channel.path }
            guard discoversRooms else { continue }
            context.want(Twake.RoomName.ofMessages(era, channel.path).description)
            if following.contains(.members) { context.want(Twake.RoomName.ofMembers(channel.path).description) }
        }
    }

    /// Returns the last selected company or workspace, or else the first one. If there are several, a notice names the
    /// alternatives.
    func choose(
        _ what: String, option: String, from places: [TwakeFacts.Place], _ last: String?,
        into context: inout HandlerContext
    ) -> EntityID? {
        guard let first = places.first(where: { $0.id.description == last }) ?? places.first else {
            context.notice(.error, "the user has no \(what): name rooms with --join")
            return nil
        }
        if places.count > 1 {
            let others = places.filter { $0.id != first.id }.map(\.label).joined(separator: ", ")
            context.notice(.info, "using \(what) \(first.label); choose another with \(option): \(others)")
        }
        return first.id
    }
}

extension Twake.SocketIORoom {
    /// Whether the room carries the messages of one channel.
    fileprivate var isOfMessages: Bool { kind == .channel || kind == .direct }
}
