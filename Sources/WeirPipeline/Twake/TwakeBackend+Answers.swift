import WeirEvents
import WeirJSON
import WeirModel

// Applies the answers of the REST service, and handles missing resources and failures.
extension TwakeBackend {
    mutating func apply(
        _ body: ArraySlice<UInt8>, of key: ResourceKey, isCurrent: Bool, into context: inout HandlerContext
    ) throws(DecodingFailure) {
        guard let resource = key.twake else { return }
        switch resource {
        case .server, .account, .companies, .workspaces, .rooms:
            try applyDiscovery(body, of: resource, isCurrent: isCurrent, into: &context)
        case .accounts(let era, let users):
            learn(
                try context.answer(to: TwakeEndpoints.accounts(era, users), body), asked: users,
                into: &context)
        case .channels(let era, let company, let workspace):
            let endpoint = TwakeEndpoints.channels(era, company: company, workspace: workspace, user: facts.user)
            if let channels = try context.list(of: key, to: endpoint, body) {
                apply(channels, of: key, in: .channels(workspace), isCurrent: isCurrent, into: &context)
            }
        case .directs(let era, let company):
            let endpoint = TwakeEndpoints.directs(era, company: company, user: facts.user)
            if let directs = try context.list(of: key, to: endpoint, body) {
                apply(directs, of: key, in: .directs(company), isCurrent: isCurrent, into: &context)
            }
        case .channel(let path):
            let channel = try TwakeEndpoints.channel(path).parse(body)
            if isCurrent { context.describe(channel) }
        case .members(let era, let path):
            let endpoint = TwakeEndpoints.members(era, path)
            guard let members = try context.list(of: key, to: endpoint, body) else { break }
            context.replace(
                .members(path.channel), with: members.compactMap { Item.member($0) }, isCurrent: isCurrent)
            if isCurrent { context.count(members, of: path) }
        case .feed, .history, .thread, .replies, .message:
            try applyMessages(body, of: resource, isCurrent: isCurrent, into: &context)
        case .badges(.a, let company):
            let counts = try context.answer(to: TwakeEndpoints.badgeCounts(company: company), body)
            context.replace(
                .badges(company), with: counts.map { .badgeCount($0, company: company) }, isCurrent: isCurrent)
        case .badges(.b, let company):
            if let badges = try context.list(of: key, to: TwakeEndpoints.badges(company: company), body) {
                context.replace(.badges(company), with: badges.map { .badge($0) }, isCurrent: isCurrent)
            }
        }
        facts.hasREST = true
        memory.told.wentWell(key)
        meetSenders(into: &context)
    }

    /// Applies a list of channels. It decides which channels belong to the user; later events are newer than the list.
    private mutating func apply(
        _ channels: [Twake.Channel], of list: ResourceKey, in section: Item.Section, isCurrent: Bool,
        into context: inout HandlerContext
    ) {
        if isCurrent, context.leftOut.isHarmless {
            let listed = Set(channels.map(\.id))
            for item in context.model.rows(in: section) where !listed.contains(item.id.id) {
                context.removeChannel(item.id.id, &memory)
            }
        }
        for channel in channels {
            memory.listed(channel.id)
            let known = context.model[.channel(channel.id)]?.channel
            let row = known.map { isCurrent ? $0.replaced(by: channel) : $0.merged(with: channel) }
            context.model.put(.channel(row ?? channel))
        }
        wantMessageRooms(of: channels, into: &context)
        guard isCurrent else { return }
        if let delay = memory.nextAttempt(of: list) { context.fetch(list, after: delay) }
    }

    mutating func gone(_ key: ResourceKey, body: ArraySlice<UInt8>, into context: inout HandlerContext) -> Bool {
        guard let resource = key.twake else { return true }
        if resource == .server, !facts.hasNoREST {
            if facts.era != nil { return true }
            facts.era = .a
            facts.isEraByAbsence = true
            facts.isEraGuessed = true
            lookForMissing(into: &context)
            meetSenders(into: &context)
            discover(into: &context)
            return true
        }
        // Twake's own 404 is a JSON object (Twake TW-64). Anything else comes from a server without this REST service.
        guard body.first == UInt8(ascii: "{") else {
            // If the service answered before, an intermediary answers while it is briefly away.
            guard facts.hasREST else {
                missesREST("it answers 404", into: &context)
                return true
            }
            context.fetch(key, after: Self.shortWait)
            return false
        }
        switch resource {
        case .message(let era, let path, let thread, let id):
            // A moved message disappears only from its old thread (Twake TW-60).
            if context.model[.message(id)]?.message?.thread == thread {
                if thread == id { context.removeThread(id) } else { context.model.remove(.message(id)) }
            }
            context.fetch(.twake(.feed(era, path)), after: Self.secondLook)
        case .thread(let era, _, let path, let id):
            for reply in context.model.rows(in: .thread(id)) { context.model.remove(reply.id) }
            context.model.remove(.hole(id))
            memory.longThreads[id] = nil
            memory.note(hole: nil, inThread: id, of: path?.channel)
            if let path { context.fetch(.twake(.feed(era, path)), after: Self.secondLook) }
        case .replies(let era, let company, let path, let thread, _):
            context.fetch(.twake(.thread(era, company: company, path, id: thread)), after: Self.secondLook)
        case .channel(let path): context.fetch(path.list(facts.effectiveEra))
        // The answer of the other era's service says nothing about these accounts.
        case .accounts(let era, let users):
            if era == facts.effectiveEra { learn([], asked: users, into: &context) }
        case .history(let era, let path, let cursor): lost(cursor, era, path, into: &context)
        case .feed(_, let path), .members(_, let path): missesChannel(path, key, into: &context)
        case .account(.a) where facts.isEraGuessed:
            facts.era = nil
            context.fetch(.twake(.server), after: Self.longWait)
        case .server, .account, .companies, .workspaces, .rooms, .channels, .directs, .badges:
            // The workspace may have been deleted, which nothing else reports.
            if case .channels(let era, let company, _) = resource, following.contains(.places) {
                context.fetch(.twake(.workspaces(era, company: company)))
            }
            tell(key, "the REST service has no \(resource.label)", into: &context)
            context.fetch(key, after: Self.longWait)
        }
        return true
    }

    /// The delay before a wider resource is fetched because a narrower one is missing.
    private static let secondLook: Duration = .seconds(2)
    /// The delay before the next request to a service that is briefly away.
    private static let shortWait: Duration = .seconds(5)
    /// The delay before a missing list is fetched again.
    private static let longWait: Duration = .seconds(30)

    /// Handles a missing channel. The list decides whether it still belongs to the user; a channel in no list is
    /// removed.
    private mutating func missesChannel(
        _ path: TwakeChannelPath, _ key: ResourceKey, into context: inout HandlerContext
    ) {
        if context.model[.channel(path.channel)] != nil {
            context.fetch(key, after: Self.longWait)
            return context.fetch(path.list(facts.effectiveEra))
        }
        // Rooms that the user named are followed without a list. Otherwise the list has already removed this channel.
        if !discoversRooms { context.fetch(key, after: Self.longWait) }
        context.removeMessages(of: path.channel)
        for member in context.model.rows(in: .members(path.channel)) { context.model.remove(member.id) }
    }

    mutating func failed(_ key: ResourceKey, why: String, _ answer: Answer?, into context: inout HandlerContext) {
        guard let resource = key.twake else { return }
        tell(key, "\(key.resource.label) could not be fetched: \(why)", into: &context)
        switch resource {
        case .message(let era, let path, let thread, let id):
            // A message that cannot be verified is removed. A page that contains it brings it back.
            if context.model[.message(id)]?.message?.thread == thread {
                if thread == id { context.removeThread(id) } else { context.model.remove(.message(id)) }
            }
            context.fetch(.twake(.feed(era, path)), after: Self.secondLook)
        case .channel(let path): context.fetch(path.list(facts.effectiveEra))
        case .server, .account, .accounts, .companies, .workspaces, .rooms, .channels, .directs, .members, .feed,
            .history, .thread, .replies, .badges:
            break
        }
    }

    private mutating func tell(_ key: ResourceKey, _ text: String, into context: inout HandlerContext) {
        if memory.told.isNews(key) { context.notice(.warning, text) }
    }

    /// Warns once that the server has no REST service. Until the next connection or full look, events are applied without fetches.
    private mutating func missesREST(_ why: String, into context: inout HandlerContext) {
        facts.hasNoREST = true
        guard !facts.toldOfNoREST else { return }
        facts.toldOfNoREST = true
        let rooms = discoversRooms ? "; no rooms can be found: name them with --join" : ""
        context.notice(
            .warning, "no Twake REST service here (\(why)): events are shown, nothing is refetched\(rooms)")
    }
}

extension HandlerContext {
    /// Makes a section equal to a complete list. Rows that are not listed are removed, unless an event arrived while
    /// the request was in flight or a row could not be decoded.
    mutating func replace(_ section: Item.Section, with items: [Item], isCurrent: Bool) {
        if isCurrent, leftOut.isHarmless {
            let listed = Set(items.map(\.id))
            for item in model.rows(in: section) where !listed.contains(item.id) { model.remove(item.id) }
        }
        for item in items where isCurrent || model[item.id] == nil { model.put(item) }
    }

    /// Updates the channel's member count from a complete list of members. The lists of channels contain no count
    /// (Twake TW-81), and those of directs contain everyone who was invited.
    mutating func count(_ members: [Twake.ChannelMember], of path: TwakeChannelPath) {
        let count = members.count + leftOut.count
        guard leftOut.nextPage == nil, var channel = model[.channel(path.channel)]?.channel,
            channel.membersCount != count
        else { return }
        channel.statedMembersCount = count
        model.put(.channel(channel))
    }

    /// Applies the answer about a single channel: its name and appearance. It contains no last message and no read
    /// marker (Twake TW-66).
    mutating func describe(_ sent: Twake.Channel) {
        guard var known = model[.channel(sent.id)]?.channel else { return }
        overtakeLists(of: sent.path)
        known.update { $0.describe(as: sent.fields) }
        model.put(.channel(known))
    }
}

// Maps resources to the sections they describe completely, and sections to the resources that confirm them.
extension TwakeBackend {
    func sections(of key: ResourceKey, in model: SectionedCollection<Item>) -> [Item.Section] {
        guard let resource = key.twake else { return [] }
        switch resource {
        case .channels(_, _, let workspace): return [.channels(workspace)]
        case .directs(_, let company): return [.directs(company)]
        // Once the user's own account arrives, the remembered accounts are fetched again. They stay valid until then.
        case .account: return [.accounts]
        case .companies: return [.companies]
        case .workspaces(_, let company): return [.workspaces(company)]
        case .members(_, let path): return [.members(path.channel)]
        // The walk covers every held head, and a thread is fetched when its head's count differs from the held replies.
        case .feed(_, let path):
            let heads = model.elements(in: .messages(path.channel))
            return [.messages(path.channel)] + heads.map { .thread($0.id.id) }
        case .thread(_, _, _, let thread): return [.thread(thread)]
        case .badges(_, let company): return [.badges(company)]
        case .server, .accounts, .rooms, .channel, .history, .replies, .message: return []
        }
    }

    mutating func forget(_ row: Item.ID, into context: inout HandlerContext) {
        guard row.kind == .channel else { return context.model.remove(row) }
        context.removeChannel(row.id, &memory)
    }

    func confirmation(of section: Item.Section, in model: SectionedCollection<Item>) -> Confirmation {
        guard !facts.hasNoREST else { return .never }
        if let list = userList(section) { return facts.era == nil && discoversRooms ? .later : list }
        guard let parent = section.parent else { return .never }
        if discoversRooms, facts.era == nil || facts.user == nil || facts.workspace == nil { return .later }
        guard let company = facts.company, let workspace = facts.workspace else { return .never }
        let era = facts.effectiveEra
        switch section.name {
        case "channels":
            return parent == workspace ? .by(.twake(.channels(era, company: company, workspace: parent))) : .never
        case "directs": return parent == company ? .by(.twake(.directs(era, company: company))) : .never
        case Item.Section.badgesName: return parent == company ? .by(.twake(.badges(era, company: company))) : .never
        case Item.Section.workspacesName:
            return parent == company && following.contains(.places)
                ? .by(.twake(.workspaces(era, company: company))) : .never
        case "members": return path(of: parent, model).map { .by(.twake(.members(era, $0))) } ?? .never
        case "messages": return path(of: parent, model).map { .by(.twake(.feed(era, $0))) } ?? .never
        case "thread":
            guard let channel = model[.message(parent)]?.message?.channel, let path = path(of: channel, model) else {
                return .never
            }
            return .by(.twake(.thread(era, company: company, path, id: parent)))
        default: return .never
        }
    }

    /// Returns how to confirm a section that belongs to the user rather than to a company; `nil` for any other section.
    private func userList(_ section: Item.Section) -> Confirmation? {
        switch section {
        case .accounts: following.contains(.accounts) ? .by(.twake(.account(facts.effectiveEra))) : .never
        case .companies: following.contains(.places) ? .by(.twake(.companies(facts.effectiveEra))) : .never
        default: nil
        }
    }

    private func path(of channel: EntityID, _ model: SectionedCollection<Item>) -> TwakeChannelPath? {
        model[.channel(channel)]?.channel?.path
    }
}
