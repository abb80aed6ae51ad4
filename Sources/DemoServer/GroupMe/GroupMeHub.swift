import Events
import JSONText
import Network
import Wire

/// The driver of the server. It runs on the loop, passes client input and the time to the backend and the push
/// endpoint, and sends their answers. It makes no decisions.
actor GroupMeHub: ChannelHost {
    nonisolated let loop: EventLoop
    nonisolated let tokens: GroupMeTokens
    nonisolated let me: GroupMe.UserID
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private var backend: GroupMeBackend
    var endpoint: BayeuxEndpoint
    /// The interval of pings on every subscribed channel; `nil` for none.
    private let pingInterval: Duration?
    private var nextPing: Moment?
    /// The subscribed channels, by session number.
    private var subscriptions: [Int: Set<Bayeux.Channel>] = [:]
    private var troubles: ArraySlice<GroupMeServer.ServerFault>
    let takesWebSockets: Bool
    private var isOpen = false
    private var timer: (due: Moment, timer: LoopTimer)?

    init(on loop: EventLoop, seed: UInt64, options: GroupMeServer.Options) {
        self.loop = loop
        var random = SystemRandomNumberGenerator()
        let users = GroupMeScript.Cast.users(born: 0).map(\.id)
        let tokens = GroupMeTokens(users: users, key: random.next())
        self.tokens = tokens
        pingInterval = options.pingInterval
        troubles = options.troubles[...]
        takesWebSockets = options.takesWebSockets
        var backend = GroupMeBackend(
            seed: seed, epoch: options.epoch, tokens: tokens,
            start: options.startsAtOnce
                ? .atOnce : .afterFirstClient(quiet: .milliseconds(400), longest: .seconds(3)),
            pace: options.pace, isEndless: options.isEndless, at: loop.now)
        backend.mostRequests = options.mostRequests
        me = backend.me
        self.backend = backend
        endpoint = BayeuxEndpoint(
            on: loop, BayeuxServer.Configuration(timeout: options.timeout), seed: random.next())
    }

    /// Starts the server, or continues after `stop`.
    func open() {
        isOpen = true
        turn()
    }

    /// Stops the timers and forgets all sessions; the clients are disconnected when the listener closes.
    func stop() {
        isOpen = false
        subscriptions = [:]
        endpoint.forgetSessions()
        timer?.timer.cancel()
        timer = nil
    }

    /// Performs everything that is due, and sets the timer for the next deadline.
    private func turn() {
        guard isOpen else { return }
        tell(backend.advance(to: loop.now))
        note(endpoint.advance())
        ping()
        haveTrouble()
        settle()
    }

    /// Performs the troubles that are due.
    private func haveTrouble() {
        let clock = backend.clock
        let past = clock.time(at: loop.now) - clock.epoch
        while clock.isRunning, let trouble = troubles.first, trouble.milliseconds <= past {
            troubles.removeFirst()
            switch trouble.kind {
            case .cut: dropConnections()
            case .restart: forgetSessions()
            }
        }
    }

    func settle() {
        guard isOpen else { return }
        let clock = backend.clock
        let trouble =
            clock.isRunning ? troubles.first.flatMap { clock.deadline(next: clock.epoch + $0.milliseconds) } : nil
        let due = [backend.deadline, endpoint.deadline, nextPing, trouble].compactMap { $0 }.min()
        if timer?.due == due { return }
        timer?.timer.cancel()
        timer = due.map { due in
            (due, loop.schedule(at: due) { [weak self] in self?.assumeIsolated { $0.timerFired() } })
        }
    }

    private func timerFired() {
        timer = nil
        turn()
    }

    // MARK: - Pushes

    private func tell(_ publications: [GroupMePublication]) {
        for publication in publications {
            guard let channel = Bayeux.Channel(publication.channel.description) else { continue }
            note(endpoint.publish(channel, publication.data.raw))
        }
    }

    /// Publishes the push service's heartbeat on every subscribed channel (GroupMe GM-18).
    private func ping() {
        guard let pingInterval, let due = nextPing, due <= loop.now else { return }
        let channels = Set(subscriptions.values.flatMap { $0 }).sorted { $0.name < $1.name }
        let data = JSONValue.fields(["type": .string("ping")]).raw
        for channel in channels { note(endpoint.publish(channel, data)) }
        nextPing = channels.isEmpty ? nil : loop.now + pingInterval
    }

    func note(_ occasions: [BayeuxServer.Occasion]) {
        for occasion in occasions {
            switch occasion {
            case .subscribed(let session, let channel):
                subscriptions[session, default: []].insert(channel)
                backend.clock.joinedRoom(at: loop.now)
                if nextPing == nil, let pingInterval { nextPing = loop.now + pingInterval }
                guard case .user = GroupMe.Channel(channel.name) else { continue }
                // The push service notifies the user's other clients (GroupMe GM-19).
                note(endpoint.publish(channel, JSONValue.fields(["type": .string("subscribe")]).raw))
            case .unsubscribed(let session, let channel): subscriptions[session]?.remove(channel)
            case .ended(let session): subscriptions[session] = nil
            case .began, .published: break
            }
        }
    }

    // MARK: - What the server says

    var policy: BayeuxServer.Policy { backend.tokens.policy }

    func answer(_ request: ServerRequest) -> HTTPResponse {
        let call = RESTRequest(
            method: request.method, path: request.path, query: request.query, body: request.body,
            bearer: request.header("x-access-token"), host: request.header("host") ?? "localhost")
        let (response, publications) = backend.handle(call, at: loop.now)
        tell(publications)
        let headers = response.body.isEmpty ? [] : [(name: "content-type", value: response.type)]
        return HTTPResponse(status: response.status, headers: headers, body: response.body)
    }

    // MARK: - What tests ask for

    func truth() -> GroupMeTruth { backend.world.truth(for: me) }

    func refuseTokens(_ refuses: Bool) { backend.tokens.refusesAll = refuses }

    func failREST(_ path: String, status: Int, times: Int) { backend.fail(path, status: status, times: times) }

    func dropConnections() {
        endpoint.dropSockets()
        settle()
    }

    func forgetSessions() {
        endpoint.dropSockets()
        endpoint.forgetSessions()
        subscriptions = [:]
        settle()
    }

    func act(_ action: GroupMeAction, by user: GroupMe.UserID) -> GroupMeOutcome? {
        let (publications, outcome) = backend.act(action, by: user, at: loop.now)
        tell(publications)
        settle()
        return outcome
    }
}

extension GroupMeServer.ServerFault {
    fileprivate var milliseconds: Int64 { at.microseconds / 1_000 }
}
