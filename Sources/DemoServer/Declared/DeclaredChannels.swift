import JSONText
import Network
import Pipeline
import Wire

/// A declared backend on Bayeux. Events of a room are published on the room's channel, and events for all clients on
/// the channels outside the rooms.
actor DeclaredChannels: ChannelHost, DeclaredHost {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    var endpoint: BayeuxEndpoint
    var service: DeclaredService
    var alarm: (due: Moment, timer: LoopTimer)?
    var isOpen = false
    private let realtime: Profile.Realtime
    /// The subscribed channels outside the rooms, by session number.
    private var others: [Int: Set<Bayeux.Channel>] = [:]

    init(on loop: EventLoop, _ service: DeclaredService, _ options: EndpointOptions, seed: UInt64) {
        var service = service
        service.hearAll(0)
        let realtime = service.profile.realtime
        endpoint = BayeuxEndpoint(
            on: loop, path: realtime.path ?? realtime.transport.usualPath,
            BayeuxServer.Configuration(timeout: .seconds(30)), seed: seed)
        (self.loop, self.service, self.realtime) = (loop, service, realtime)
    }

    func forgetClients() {
        others = [:]
        endpoint.forgetSessions()
    }

    var deadline: Moment? { [service.deadline, endpoint.deadline].compactMap { $0 }.min() }
    func advanceClients() { note(endpoint.advance()) }
    func settle() { setAlarm() }
    func answer(_ request: ServerRequest) -> HTTPResponse { rest(request) }

    func carryOut(_ effects: [DeclaredService.Effect]) {
        for effect in effects {
            switch effect {
            case .tell(_, let news): publish(news)
            case .drop(let forgetting):
                endpoint.dropSockets()
                if forgetting { forgetClients() }
            }
        }
    }

    private func publish(_ news: DeclaredNews) {
        let name = service.profile.rooms?.name
        let room = news.room.flatMap { id in name?.filled { _ in id } }.flatMap { Bayeux.Channel($0) }
        let channels = room.map { [$0] } ?? Set(others.values.flatMap { $0 }).sorted { $0.name < $1.name }
        let data = service.speech.message(of: news, usualName: "type").raw
        for channel in channels { note(endpoint.publish(channel, data)) }
    }

    func note(_ occasions: [BayeuxServer.Occasion]) {
        for occasion in occasions {
            switch occasion {
            case .subscribed(let session, let channel):
                service.clock.joinedRoom(at: loop.now)
                if roomID(channel) == nil { others[session, default: []].insert(channel) }
            case .unsubscribed(let session, let channel): others[session]?.remove(channel)
            case .ended(let session): others[session] = nil
            case .began, .published: break
            }
        }
    }

    private func roomID(_ channel: Bayeux.Channel) -> String? {
        service.profile.rooms?.name.values(in: channel.name, stop: "/")?.values.first
    }

    var policy: BayeuxServer.Policy {
        { [self] request in
            switch request {
            case .subscribe(let channel, let ext):
                guard let user = service.user(of: realtime.token(in: ext)) else { return DeclaredService.wrongToken }
                if let room = roomID(channel) { return service.refusal(of: room, to: user) }
                let own = realtime.subscribe.compactMap { $0.filled { $0 == "user" ? user.id : nil } }
                return own.contains(channel.name) ? nil : "403:\(channel.name):no such channel"
            case .publish(let channel, _, _): return "403:\(channel.name):the server alone publishes"
            }
        }
    }
}
