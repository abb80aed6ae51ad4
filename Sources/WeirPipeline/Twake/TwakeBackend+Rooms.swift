import WeirEvents
import WeirJSON
import WeirModel

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

// Switches to another workspace or company. The old rooms are left, and the old requests and rows are removed at once.
// Then discovery starts again for the new place.
extension TwakeBackend {
    var places: [RoomFacts] {
        func facts(_ place: TwakeFacts.Place, _ kind: String, _ room: Twake.RoomName) -> RoomFacts {
            RoomFacts(name: room.description, title: place.name, kind: kind)
        }
        let companies = (self.facts.companies ?? []).map { facts($0, "company", .workspaces(company: $0.id)) }
        guard let company = self.facts.company else { return companies }
        return companies
            + (self.facts.workspaces[company] ?? []).map {
                facts($0, "workspace", .channelsPublic(company: company, workspace: $0.id))
            }
    }

    mutating func select(_ room: String, _ rooms: RoomSubscriptions, into context: inout HandlerContext) {
        let company: EntityID
        let workspace: EntityID?
        switch Twake.RoomName(room) {
        case .channelsPublic(let selected, let place): (company, workspace) = (selected, place)
        case .workspaces(let selected): (company, workspace) = (selected, nil)
        case .directs: return context.globals.tab = .directs
        default:
            guard let message = context.model[.message(EntityID(room))]?.message, let channel = message.channel
            else {
                return selectChannel(room, into: &context)
            }
            let isDirect = context.model[.channel(channel)]?.channel?.workspace == .direct
            return context.globals.select(
                channel: channel, thread: message.thread, in: isDirect ? .directs : .commons)
        }
        guard discoversRooms else {
            return context.notice(.warning, "the rooms were named with --join: there is no workspace to change")
        }
        let changesCompany = company != facts.company
        guard changesCompany || (workspace != nil && workspace != facts.workspace) else { return }
        if changesCompany {
            leaveCompany(rooms, into: &context)
        } else {
            leaveWorkspace(rooms, into: &context)
        }
        let begins = facts.workspace == nil
        facts.company = company
        facts.workspace = workspace
        if begins { dropRemembered(into: &context) }
        discover(into: &context)
    }

    mutating func select(workspace: EntityID, _ rooms: RoomSubscriptions, into context: inout HandlerContext) {
        // Rooms that the user named stay as they are.
        guard discoversRooms, let company = facts.company else { return }
        let room = Twake.RoomName.channelsPublic(company: company, workspace: workspace)
        select(room.description, rooms, into: &context)
    }

    /// Removes the remembered rows of other workspaces, when no earlier selection exists that would remove them.
    mutating func dropRemembered(into context: inout HandlerContext) {
        for section in context.model.sectionKeys where section.name == Item.Section.channelsName {
            if section.parent != facts.workspace { removeChannels(of: section, into: &context) }
        }
    }

    private mutating func leaveWorkspace(_ rooms: RoomSubscriptions, into context: inout HandlerContext) {
        guard let company = facts.company, let workspace = facts.workspace else { return }
        context.plans.append(.cancel(.workspace(workspace, company: company)))
        leave(rooms, into: &context) { $0.company == company && $0.workspace == workspace }
        removeChannels(of: .channels(workspace), into: &context)
    }

    private mutating func leaveCompany(_ rooms: RoomSubscriptions, into context: inout HandlerContext) {
        guard let company = facts.company else { return }
        leaveWorkspace(rooms, into: &context)
        context.plans.append(.cancel(.company(company)))
        leave(rooms, into: &context) { $0.company == company }
        removeChannels(of: .directs(company), into: &context)
        for section in [Item.Section.badges(company), .workspaces(company)] {
            for row in context.model.rows(in: section) { context.model.remove(row.id) }
        }
        memory.needsPlaces = true
        // This room belongs to the user, but its resources belong to a company. Joining again fetches those of the new
        // company.
        if let user = facts.user {
            context.plans.append(.unwant(room: Twake.RoomName.notifications(user: user).description))
        }
    }

    /// Handles a workspace that was deleted or that the user left: removes its channels, and selects another workspace
    /// if it was the selected one.
    mutating func lose(_ workspace: EntityID, of company: EntityID, into context: inout HandlerContext) {
        context.plans.append(.cancel(.workspace(workspace, company: company)))
        var rooms = [Twake.RoomName.channelsPublic(company: company, workspace: workspace)]
        if let user = facts.user {
            rooms.append(.channelsPrivate(company: company, workspace: workspace, user: user))
        }
        for room in rooms { context.plans.append(.unwant(room: room.description)) }
        removeChannels(of: .channels(workspace), into: &context)
        context.model.remove(.workspace(workspace))
        guard discoversRooms, workspace == facts.workspace else { return }
        let name = facts.workspaces[company]?.first { $0.id == workspace }?.name ?? workspace.description
        context.notice(.warning, "the workspace \(name) is no more, or no more yours")
        facts.workspace = nil
    }

    private func leave(
        _ rooms: RoomSubscriptions, into context: inout HandlerContext, where isOld: (Twake.RoomName) -> Bool
    ) {
        for room in rooms.entries.map(\.name) + rooms.unwanted where isOld(Twake.RoomName(room)) {
            context.plans.append(.unwant(room: room))
        }
    }

    /// Removes all channels of a list, with their messages.
    mutating func removeChannels(of section: Item.Section, into context: inout HandlerContext) {
        for channel in context.model.rows(in: section) {
            context.removeChannel(channel.id.id, &memory)
        }
    }
}

// Removes the rows of rooms that are no longer wanted, since no event keeps them up to date.
extension TwakeBackend {
    mutating func abandon(_ room: String, _ rooms: RoomSubscriptions, into context: inout HandlerContext) {
        switch Twake.RoomName(room) {
        case .feed(_, _, let channel), .previousMessages(let channel):
            context.cancelMessages(of: channel)
            memory.forgetMessages(of: channel)
            context.removeMessages(of: channel)
        case .thread(_, let thread):
            guard !hasMessages(ofThread: thread, rooms, context.model) else { return }
            context.removeThread(thread)
        case .notifications:
            for section in context.model.sectionKeys where section.name == Item.Section.badgesName {
                for badge in context.model.rows(in: section) { context.model.remove(badge.id) }
            }
        case .directs(let company, _): removeChannels(of: .directs(company), into: &context)
        case .channelsPublic(_, let workspace), .channelsPrivate(_, let workspace, _):
            let isKept = rooms.entries.contains { Twake.RoomName($0.name).lists(workspace) }
            if !isKept { removeChannels(of: .channels(workspace), into: &context) }
        case .online(let company):
            memory.presence = TwakePresenceBook()
            guard let company = company ?? facts.company else { return }
            for user in context.model.rows(in: .online(company)) { context.model.remove(user.id) }
        case .workspaces(let company):
            for place in context.model.rows(in: .workspaces(company)) { context.model.remove(place.id) }
        case .channel(_, _, let channel):
            for member in context.model.rows(in: .members(channel)) { context.model.remove(member.id) }
        default: break
        }
    }

    /// Whether the message room of the thread's channel is still wanted.
    private func hasMessages(
        ofThread thread: EntityID, _ rooms: RoomSubscriptions, _ model: SectionedCollection<Item>
    ) -> Bool {
        guard let channel = model[.message(thread)]?.message?.channel,
            let path = model[.channel(channel)]?.channel?.path
        else { return false }
        return rooms.isWanted(Twake.RoomName.ofMessages(facts.effectiveEra, path).description)
    }
}

extension Twake.RoomName {
    /// Whether the room is one of the two channel lists of the workspace.
    fileprivate func lists(_ workspace: EntityID) -> Bool {
        switch self {
        case .channelsPublic(_, let listed), .channelsPrivate(_, let listed, _): listed == workspace
        default: false
        }
    }
}

// Answers patterns about Twake's rooms from the model, without requests.
extension TwakeBackend {
    func facts(of room: String, in model: SectionedCollection<Item>) -> RoomFacts {
        let name = Twake.RoomName(room)
        let user = self.facts.user
        var facts = RoomFacts(
            name: room, kind: "room", company: name.company?.description, workspace: name.workspace?.description)
        switch name {
        case .feed(_, _, let channel), .previousMessages(let channel):
            let known = model[.channel(channel)]?.channel
            facts.describe(known, kind: "messages")
            if let known {
                facts.countUnread = { TwakeUnread(of: known.company, by: user, in: model).of(known) }
            }
        case .channel(_, _, let channel), .tabs(_, _, let channel):
            facts.describe(model[.channel(channel)]?.channel, kind: nil)
            facts.kind = "members"
            if case .tabs = name { facts.kind = "tabs" }
        case .channelsPublic(let company, let workspace):
            facts.tellsOfRooms { TwakeUnread(of: company, by: user, in: model).of(workspace: workspace) }
        case .directs(let company, _):
            facts.tellsOfRooms { TwakeUnread(of: company, by: user, in: model).of(workspace: .direct) }
        case .channelsPrivate: facts.tellsOfRooms(countUnread: nil)
        case .thread: facts.kind = "thread"
        case .notifications:
            facts.kind = "badges"
            if let company = self.facts.company {
                facts.countUnread = { TwakeUnread(of: company, by: user, in: model).all }
            }
        case .inbox: facts.kind = "badges"
        case .workspaces(let company), .company(let company):
            facts.kind = "places"
            facts.countUnread = { TwakeUnread(of: company, by: user, in: model).all }
        case .online, .me: facts.kind = "people"
        case .bookmarks, .document, .other: break
        }
        return facts
    }
}

extension TwakeBackend {
    mutating func goBack(to time: Timestamp?, in room: String) {
        guard let channel = Twake.RoomName(room).channel else { return }
        memory.reaches[channel, default: TwakeReach(beginning: 0)].goBack(to: time?.milliseconds)
        memory.deepen(channel)
    }

    func isGoingBack(in room: String) -> Bool {
        guard let channel = Twake.RoomName(room).channel else { return false }
        return memory.reaches[channel]?.isWalking == true || !memory.deepThreads(of: channel).isEmpty
    }

    func section(
        _ part: Session.RoomPart, of room: String, _ model: SectionedCollection<Item>
    ) -> (section: Item.Section, key: ResourceKey)? {
        let path: TwakeChannelPath
        switch Twake.RoomName(room) {
        case .feed(let company, let workspace, let channel), .channel(let company, let workspace, let channel):
            path = TwakeChannelPath(company: company, workspace: workspace, channel: channel)
        case .previousMessages(let channel):
            guard let known = paths[channel] ?? model[.channel(channel)]?.channel?.path else { return nil }
            path = known
        case .channelsPublic, .channelsPrivate, .directs, .thread, .notifications, .workspaces, .tabs, .inbox,
            .bookmarks, .document, .online, .me, .company, .other:
            return nil
        }
        let era = self.facts.effectiveEra
        return switch part {
        case .people: (.members(path.channel), .twake(.members(era, path)))
        case .messages: (.messages(path.channel), .twake(.feed(era, path)))
        }
    }
}

extension RoomFacts {
    /// Marks the room as a list of channels, with a function that counts the unread messages in all of them.
    fileprivate mutating func tellsOfRooms(countUnread: (@Sendable () -> Int)?) {
        (kind, tellsOfRooms, self.countUnread) = ("list", true, countUnread)
    }

    /// Describes a room from the channel that it belongs to.
    fileprivate mutating func describe(_ channel: Twake.Channel?, kind: String?) {
        if let kind { self.kind = kind }
        guard let channel else { return }
        title = channel.name
        // The room names of era A contain no company and no workspace.
        company = company ?? channel.company.description
        workspace = workspace ?? channel.workspace.description
        guard kind != nil else { return }
        if let visibility = channel.visibility, [.public, .private, .direct].contains(visibility) {
            self.kind = visibility.wireName
        }
    }
}
