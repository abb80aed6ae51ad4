import Events
import JSONText

// Finding rooms, step by step.
extension TwakeBackend {
    /// Asks for the first thing that is not known; once all is, wants the rooms.
    mutating func discover(into transaction: inout Transaction) {
        guard !facts.hasNoREST else { return }
        guard let era = facts.era else { return transaction.fetch(.twake(.server)) }
        guard facts.user != nil else { return transaction.fetch(.twake(.account(era))) }
        guard let company = facts.company else { return transaction.fetch(.twake(.companies(era))) }
        guard let workspace = facts.workspace else {
            return transaction.fetch(.twake(.workspaces(era, company: company)))
        }
        transaction.plans.append(.selected(company: company, workspace: workspace))
        guard discoversRooms else { return }
        switch era {
        case .a: transaction.fetch(.twake(.rooms(company: company, workspace: workspace)))
        case .b: wantTemplates(company: company, workspace: workspace, into: &transaction)
        }
    }

    /// Answers on the way.
    mutating func applyDiscovery(
        _ body: ArraySlice<UInt8>, of resource: TwakeResource, into transaction: inout Transaction
    ) throws(DecodingFailure) {
        switch resource {
        case .server:
            facts.era = .b
            facts.isEraGuessed = false
            discover(into: &transaction)
        case .account(let era):
            let user = try TwakeEndpoints.account(era).parse(body).id
            facts.user = user
            transaction.plans.append(.account(user))
            facts.isEraGuessed = false
            discover(into: &transaction)
        case .companies(let era):
            let companies = try TwakeEndpoints.companies(era).parse(body)
            facts.company = choose("company", option: "--company", from: companies, into: &transaction)
            if facts.company != nil { discover(into: &transaction) }
        case .workspaces(let era, let company):
            guard company == facts.company else { return }
            let workspaces = try TwakeEndpoints.workspaces(era, company: company).parse(body)
            facts.workspace = choose("workspace", option: "--workspace", from: workspaces, into: &transaction)
            if facts.workspace != nil { discover(into: &transaction) }
        case .rooms(let company, let workspace):
            guard company == facts.company, workspace == facts.workspace else { return }
            let rooms = try TwakeEndpoints.rooms(company: company, workspace: workspace).parse(body)
            // The message rooms among them may be of channels that were left since, and do not say where those are: they follow from
            // the lists.
            for room in rooms where !room.isOfMessages { transaction.want(room.key) }
        case .channels, .directs, .channel, .members, .feed, .history, .thread, .message, .badges: break
        }
    }

    /// Era B has no list of rooms: the app builds their names (2.2). The rooms of the channels follow from the channels' lists.
    private func wantTemplates(company: EntityID, workspace: EntityID, into transaction: inout Transaction) {
        guard let user = facts.user else { return }
        let rooms: [Twake.RoomName] = [
            .channelsPublic(company: company, workspace: workspace),
            .channelsPrivate(company: company, workspace: workspace, user: user),
            .directs(company: company, user: user),
            .notifications(user: user),
            .workspaces(company: company),
        ]
        for room in rooms { transaction.want(room.description) }
    }

    /// Wants the message rooms of listed channels.
    mutating func wantMessageRooms(of channels: [Twake.Channel], into transaction: inout Transaction) {
        let era = facts.effectiveEra
        for channel in channels {
            if era == .a { paths[channel.id] = channel.path }
            guard discoversRooms else { continue }
            transaction.want(Twake.RoomName.ofMessages(era, channel.path).description)
            if following.contains(.members) { transaction.want(Twake.RoomName.ofMembers(channel.path).description) }
        }
    }

    /// Takes the only company or workspace, or the first one with a word to the user.
    func choose(_ what: String, option: String, from places: [Twake.Place], into transaction: inout Transaction)
        -> EntityID?
    {
        guard let first = places.first else {
            transaction.notice(.error, "the user has no \(what): name rooms with --room")
            return nil
        }
        if places.count > 1 {
            let others = places.dropFirst().map { "\($0.name) (\($0.id))" }.joined(separator: ", ")
            transaction.notice(.info, "\(what) \(first.name) (\(first.id)) is taken; choose with \(option): \(others)")
        }
        return first.id
    }
}

extension Twake.SocketIORoom {
    /// Whether it is the room of one channel's messages.
    fileprivate var isOfMessages: Bool { kind == .channel || kind == .direct }
}
