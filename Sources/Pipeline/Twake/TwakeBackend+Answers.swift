import Events
import JSONText
import SectionedModel

// What the REST service answers.
extension TwakeBackend {
    mutating func apply(
        _ body: ArraySlice<UInt8>, of key: ResourceKey, isCurrent: Bool, into transaction: inout Transaction
    ) throws(DecodingFailure) {
        guard case .twake(let resource) = key else { return }
        switch resource {
        case .server:
            facts.era = .b
            discover(into: &transaction)
        case .account:
            facts.user = try Twake.account(from: body).id
            discover(into: &transaction)
        case .companies:
            facts.company = choose(
                "company", option: "--company", from: try Twake.places(from: body), into: &transaction)
            if facts.company != nil { discover(into: &transaction) }
        case .workspaces:
            facts.workspace = choose(
                "workspace", option: "--workspace", from: try Twake.places(from: body), into: &transaction)
            if facts.workspace != nil { discover(into: &transaction) }
        case .rooms:
            for room in try Twake.rooms(from: body) { transaction.want(room.key) }
        case .channels(_, _, let workspace):
            apply(
                try Twake.channels(from: body, user: facts.user), in: .channels(workspace), isCurrent: isCurrent,
                into: &transaction)
        case .directs(_, let company):
            apply(
                try Twake.channels(from: body, user: facts.user), in: .directs(company), isCurrent: isCurrent,
                into: &transaction)
        case .members(_, let path):
            let members = try Twake.members(from: body, channel: path.channel)
            transaction.replace(
                .members(path.channel), with: members.compactMap { Item.member($0) }, isCurrent: isCurrent)
        case .feed(_, let path):
            for message in try Twake.messages(from: body) { adopt(message, channel: path.channel, into: &transaction) }
        case .thread:
            for message in try Twake.messages(from: body) { transaction.adoptMessage(message) }
        case .message(_, let path, _, _):
            adopt(try Twake.message(from: body), channel: path.channel, into: &transaction)
        case .badges(.a, let company):
            let counts = try Twake.badgeCounts(from: body)
            transaction.replace(
                .badges(company), with: counts.map { .badgeCount($0, company: company) }, isCurrent: isCurrent)
        case .badges(.b, let company):
            transaction.replace(
                .badges(company), with: try Twake.badges(from: body).map { .badge($0) }, isCurrent: isCurrent)
        }
    }

    private func adopt(_ message: Twake.Message, channel: EntityID, into transaction: inout Transaction) {
        var message = message
        message.channel = message.channel ?? channel
        transaction.adoptMessage(message)
    }

    /// The list is the truth about which channels are the user's; what events said since is newer than it.
    private mutating func apply(
        _ channels: [Twake.Channel], in section: Item.Section, isCurrent: Bool, into transaction: inout Transaction
    ) {
        let listed = Set(channels.map(\.id))
        if isCurrent {
            for item in transaction.model.elements(in: section) where !listed.contains(item.id.id) {
                transaction.removeChannel(item.id.id)
            }
        }
        for channel in channels {
            let known = transaction.model[.channel(channel.id)]?.channel
            transaction.model.put(.channel(known?.merged(with: channel) ?? channel))
        }
        wantMessageRooms(of: channels, into: &transaction)
    }

    mutating func gone(_ key: ResourceKey, body: ArraySlice<UInt8>, into transaction: inout Transaction) {
        guard case .twake(let resource) = key else { return }
        if resource == .server, !facts.hasNoREST {
            facts.era = .a
            return discover(into: &transaction)
        }
        // Twake's own 404 is a JSON object (4.1); anything else comes from a server that knows nothing of this REST service.
        guard body.first == UInt8(ascii: "{") else { return missesREST("it answers 404", into: &transaction) }
        switch resource {
        case .message(_, _, _, let id): transaction.model.remove(.message(id))
        case .feed(_, let path), .members(_, let path): transaction.removeChannel(path.channel)
        case .server, .account, .companies, .workspaces, .rooms, .channels, .directs, .thread, .badges:
            transaction.notice(.warning, "the REST service has no \(resource.label)")
        }
    }

    mutating func failed(_ key: ResourceKey, why: String, into transaction: inout Transaction) {
        transaction.notice(.warning, "\(key.label) could not be fetched: \(why)")
    }

    /// Says it once; from now on events are shown and applied as far as they go, and nothing is fetched.
    private mutating func missesREST(_ why: String, into transaction: inout Transaction) {
        guard !facts.hasNoREST else { return }
        facts.hasNoREST = true
        let rooms = discoversRooms ? "; no rooms can be found: name them with --room" : ""
        transaction.notice(
            .warning, "there is no Twake REST service here (\(why)): events are shown, nothing is refetched\(rooms)")
    }
}

extension Transaction {
    /// Makes a section what a whole list says. What the list does not mention goes, unless an event came while it was in flight.
    mutating func replace(_ section: Item.Section, with items: [Item], isCurrent: Bool) {
        if isCurrent {
            let listed = Set(items.map(\.id))
            for item in model.elements(in: section) where !listed.contains(item.id) { model.remove(item.id) }
        }
        for item in items { model.put(item) }
    }
}
