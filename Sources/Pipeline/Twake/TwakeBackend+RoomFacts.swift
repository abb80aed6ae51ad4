import Events
import SectionedModel

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
