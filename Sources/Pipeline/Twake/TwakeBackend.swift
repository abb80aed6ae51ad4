import Events
import JSONText
import SectionedModel
import Wire

/// Twake over Socket.IO: authenticate, find the rooms, join them, keep the model the server's truth (`reference/twake.md`).
///
/// Finding rooms, when the user named none, goes in steps, each the answer to one request:
/// server (era) → account → company → workspace → rooms; what is known already is skipped.
struct TwakeBackend: Backend {
    var facts: TwakeFacts
    private var recentRoom = RecentRoom()
    /// Whether rooms are asked of the backend, because the user named none.
    let discoversRooms: Bool

    init(_ configuration: Configuration) {
        discoversRooms = configuration.rooms.isEmpty
        facts = TwakeFacts(
            company: configuration.company.map { EntityID($0) }, workspace: configuration.workspace.map { EntityID($0) }
        )
        if configuration.rooms.contains(where: { $0.hasPrefix("previous::") }) { facts.era = .a }
    }

    func connectPayload(token: Secret?) -> RawJSON? { nil }

    /// Joins sent before `authenticated` are silently dropped (1.4), so nothing is ready before it.
    mutating func connected(token: Secret?, revision: EngineIO.Revision, into transaction: inout Transaction) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("token")
        writer.string(token?.reveal() ?? "")
        writer.endObject()
        transaction.plans.append(.emit(.init(name: "authenticate", arguments: RawJSON(unchecked: writer.bytes[...]))))
    }

    mutating func decode(_ event: SocketIO.Event) throws(DecodingFailure) -> Event {
        let room = recentRoom.text
        // One that was checked may have the offset of a recovering server behind its arguments.
        return event.isChecked
            ? .twake(try Twake.Event(name: event.name, arguments: event.arguments, likelyRoom: room))
            : .twake(try Twake.Event(array: event.array.bytes, likelyRoom: room))
    }

    mutating func handle(_ event: Event, ackID: Int?, rooms: RoomBook, into transaction: inout Transaction) {
        guard case .twake(let event) = event else { return }
        switch event {
        case .authenticated:
            transaction.plans.append(.ready)
            if discoversRooms { discover(into: &transaction) }
        case .unauthorized(let message):
            // The 2021 server waits for this ack before it disconnects (1.4).
            if let ackID { transaction.plans.append(.acknowledge(ackID)) }
            transaction.plans.append(.tokenRefused(message))
        case .joined(let room): transaction.plans.append(.joined(room: room))
        case .joinRefused(let room, let why): transaction.plans.append(.joinRefused(room: room, why: why))
        case .left(let room): transaction.plans.append(.left(room: room))
        case .leaveRefused(let room, let why): transaction.notice(.warning, "leaving \(room) was refused: \(why)")
        case .eventRefused(let room, let why): transaction.notice(.warning, "an event to \(room) was refused: \(why)")
        // Late frames of a room that nobody wants any more change nothing (section 9, item 9).
        case .event(let event):
            recentRoom.become(event.room, rooms)
            if recentRoom.isWanted { TwakeRouter.route(event, in: recentRoom.name, facts, into: &transaction) }
        case .resource(let resource):
            recentRoom.become(resource.room, rooms)
            if recentRoom.isWanted { TwakeRouter.route(resource, in: recentRoom.name, facts, into: &transaction) }
        case .unknown: break
        }
    }

    func request(for key: ResourceKey) -> (method: String, target: String)? {
        guard case .twake(let resource) = key, !facts.hasNoREST else { return nil }
        return ("GET", resource.target)
    }

    /// The mobile app joins with the constant `twake`, which every server version accepts (1.5); the user's own rooms want the
    /// user's token.
    func join(_ room: String, token: Secret?) -> Transaction.Emission? {
        let wantsUserToken = room.hasPrefix("/users/") || room.hasPrefix("/me/")
        return roomEmission("realtime:join", room, token: wantsUserToken ? token?.reveal() ?? "twake" : "twake")
    }

    func leave(_ room: String, token: Secret?) -> Transaction.Emission? {
        roomEmission("realtime:leave", room, token: nil)
    }

    private func roomEmission(_ name: String, _ room: String, token: String?) -> Transaction.Emission {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("name")
        writer.string(room)
        if let token {
            writer.key("token")
            writer.string(token)
        }
        writer.endObject()
        return Transaction.Emission(name: name, arguments: RawJSON(unchecked: writer.bytes[...]))
    }

    func resources(of room: String) -> [ResourceKey] {
        let era = facts.effectiveEra
        switch Twake.RoomName(room) {
        case .channelsPublic(let company, let workspace), .channelsPrivate(let company, let workspace, _):
            return [.twake(.channels(era, company: company, workspace: workspace))]
        case .directs(let company, _): return [.twake(.directs(era, company: company))]
        case .feed(let company, let workspace, let channel):
            let path = TwakeChannelPath(company: company, workspace: workspace, channel: channel)
            return [.twake(.feed(.b, path))]
        case .previousMessages(let channel):
            guard let path = paths[channel] ?? defaultPath(of: channel) else { return [] }
            return [.twake(.feed(.a, path))]
        case .thread(let company, let thread): return [.twake(.thread(company: company, thread: thread))]
        case .notifications: return facts.company.map { [.twake(.badges(era, company: $0))] } ?? []
        case .workspaces, .other: return []
        }
    }

    /// Where the channels of era A's rooms are, learnt from the lists: the room has the channel's id only.
    var paths: [EntityID: TwakeChannelPath] = [:]

    private func defaultPath(of channel: EntityID) -> TwakeChannelPath? {
        guard let company = facts.company, let workspace = facts.workspace else { return nil }
        return TwakeChannelPath(company: company, workspace: workspace, channel: channel)
    }
}

/// The room of the last event. Events come in runs of one room, whose name is then taken apart and looked up once.
private struct RecentRoom {
    private(set) var text = ""
    private(set) var name = Twake.RoomName("")
    private(set) var isWanted = false
    /// The version of the room book that `isWanted` was read from.
    private var version = -1

    mutating func become(_ room: String, _ rooms: RoomBook) {
        if room != text {
            text = room
            name = Twake.RoomName(room)
            version = -1
        }
        guard version != rooms.version else { return }
        version = rooms.version
        isWanted = rooms.isWanted(room)
    }
}
