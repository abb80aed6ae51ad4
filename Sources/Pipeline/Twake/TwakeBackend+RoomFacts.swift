import Events
import SectionedModel

// What patterns can ask about Twake's rooms: read off the model, never asked of the server.
extension TwakeBackend {
    func facts(of room: String, in model: SectionedCollection<Item>) -> RoomFacts {
        let name = Twake.RoomName(room)
        var facts = RoomFacts(
            name: room, kind: "room", company: name.company?.description, workspace: name.workspace?.description)
        switch name {
        case .feed(_, _, let channel), .previousMessages(let channel):
            facts.describe(model[.channel(channel)]?.channel, kind: "messages", user: self.facts.user)
        case .channel(_, _, let channel), .tabs(_, _, let channel):
            facts.describe(model[.channel(channel)]?.channel, kind: nil, user: nil)
            facts.kind = "members"
            if case .tabs = name { facts.kind = "tabs" }
        case .channelsPublic, .channelsPrivate, .directs:
            facts.kind = "list"
            facts.tellsOfRooms = true
        case .thread: facts.kind = "thread"
        case .notifications, .inbox: facts.kind = "badges"
        case .workspaces, .company: facts.kind = "places"
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
    /// What a channel says of a room of its.
    fileprivate mutating func describe(_ channel: Twake.Channel?, kind: String?, user: EntityID?) {
        if let kind { self.kind = kind }
        guard let channel else { return }
        title = channel.name
        // What era A's names do not say.
        company = company ?? channel.company.description
        workspace = workspace ?? channel.workspace.description
        guard kind != nil else { return }
        unread = channel.hasUnread(for: user) ? 1 : 0
        if let visibility = channel.visibility, [.public, .private, .direct].contains(visibility) {
            self.kind = visibility.wireName
        }
    }
}
