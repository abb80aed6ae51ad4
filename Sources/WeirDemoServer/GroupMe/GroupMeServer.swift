package import WeirEvents
import WeirJSON
package import WeirNetwork
package import WeirWire

/// A GroupMe backend for demonstrations and tests: the push service at `/faye` (Bayeux over WebSockets, long-polling
/// and JSONP), REST at `/v3`, and pictures at `/pictures`. They share one world, which a script drives. The same seed
/// gives the same history.
///
/// It follows the rules of the service: subscribing and publishing require a token, deliveries contain none, 304 means
/// no more messages, and 409 a message that was sent twice (GroupMe GM-1 to GM-46).
package final class GroupMeServer: Sendable {
    /// The options of a server, fixed when it starts.
    package struct Options: Hashable, Sendable {
        /// Whether the script starts with the server. Otherwise it starts after the first client has subscribed to its
        /// channels (after 400 ms without a subscription or request, and at the latest 3 s after the first), so that
        /// every client sees the same history.
        package var startsAtOnce: Bool
        /// Whether the script runs endlessly after its opening. The opening takes a quarter of a minute, and nearly everything happens in
        /// it once.
        package var isEndless: Bool
        /// The speed of the server's clock, 1 to 1000 times real time. The history is the same.
        package var pace: Int
        /// The time for which a connect is held; ten minutes at GroupMe. Sessions live twice as long.
        package var timeout: Duration
        /// The interval of pings on every channel; `nil` for none.
        package var pingInterval: Duration?
        /// The number of requests per second that are answered for one token; `nil` for no limit. Further requests get
        /// 429.
        package var mostRequests: Int?
        /// The server's time when the script starts, in milliseconds since 1970. It is fixed, so that times are part of
        /// the history.
        package var epoch: Int64
        /// Planned failures of the server with their times since the script's start, in order.
        package var faults: [ServerFault]
        /// Whether clients may use WebSockets. If not, they must poll.
        package var takesWebSockets: Bool
        /// Creates options. `pace` is clamped to 1 to 1000.
        package init(
            startsAtOnce: Bool = false, isEndless: Bool = true, pace: Int = 1, timeout: Duration = .seconds(600),
            pingInterval: Duration? = .seconds(30), mostRequests: Int? = nil, epoch: Int64 = 1_785_346_000_000,
            faults: [ServerFault] = [], takesWebSockets: Bool = true
        ) {
            self.startsAtOnce = startsAtOnce
            self.isEndless = isEndless
            self.pace = min(max(pace, 1), 1_000)
            self.timeout = timeout
            self.pingInterval = pingInterval
            self.mostRequests = mostRequests
            self.epoch = epoch
            self.faults = faults
            self.takesWebSockets = takesWebSockets
        }
    }

    /// A planned failure of the server.
    package struct ServerFault: Hashable, Sendable {
        /// The kinds of planned failure.
        package enum Kind: Hashable, Sendable {
            /// All WebSocket connections are cut; their sessions live on for a while.
            case cut
            /// The process restarts: every connection is cut and all sessions are forgotten. The world continues.
            case restart
        }
        /// The time of the failure since the script's start, on the server's clock.
        package var at: Duration
        package var kind: Kind
        package init(at: Duration, _ kind: Kind) {
            self.at = at
            self.kind = kind
        }
    }

    /// The URL at which clients reach the server: `http://address:port`.
    package let url: String
    /// The user who owns `token`, and whose view `truth` returns.
    package let user: GroupMe.UserID
    private let hub: GroupMeHub
    private let http: HTTPServer

    /// Starts listening on `address` and `port` (0 lets the system choose one), and returns when clients can connect.
    /// Not from the loop.
    package convenience init(
        on loop: EventLoop, address: String = "127.0.0.1", port: UInt16 = 0, seed: UInt64, options: Options = Options()
    ) throws(NetworkError) {
        try self.init(hub: GroupMeHub(on: loop, seed: seed, options: options), address: address, port: port)
    }

    /// Restarts a closed server with the same world, as after a restart of the process. All sessions are forgotten,
    /// tokens stay valid, and the script's events in the meantime have happened. Not from the loop.
    package convenience init(
        resuming other: GroupMeServer, address: String = "127.0.0.1", port: UInt16 = 0
    ) throws(NetworkError) {
        try self.init(hub: other.hub, address: address, port: port)
    }

    private init(hub: GroupMeHub, address: String, port: UInt16) throws(NetworkError) {
        self.hub = hub
        user = hub.me
        // Picture uploads need large bodies.
        http = try HTTPServer(on: hub.loop, address: address, port: port, maximumBody: 16 << 20, handler: hub)
        url = http.url(address)
        hub.loop.run { hub.assumeIsolated { $0.open() } }
    }

    /// The token of `user`, 40 characters. Any thread.
    package var token: Secret { hub.tokens.token(of: user) ?? Secret("") }

    /// Returns the token of another user; `nil` when the user is unknown. Any thread.
    package func token(of user: GroupMe.UserID) -> Secret? { hub.tokens.token(of: user) }

    /// Stops listening, cuts every connection and stops the script. The loop must not call it.
    package func close() {
        http.close()
        let hub = hub
        hub.loop.run { hub.assumeIsolated { $0.stop() } }
    }

    /// Returns the current view of `user`, for comparison with a client's model.
    package func truth() async -> GroupMeTruth { await hub.truth() }

    // MARK: - For tests of what can go wrong

    /// Refuses every token from now on, or stops doing so (`false`).
    package func refuseTokens(_ refuses: Bool) async { await hub.refuseTokens(refuses) }

    /// Cuts the TCP connections of all WebSockets without a closing handshake. Their sessions live on for a while.
    package func dropConnections() async { await hub.dropConnections() }

    /// Cuts the connections as `dropConnections` does, and forgets all sessions.
    package func forgetSessions() async { await hub.forgetSessions() }

    /// Answers the next `times` requests whose path begins with `path` with `status`.
    package func failREST(_ path: String, status: Int, times: Int = 1) async {
        await hub.failREST(path, status: status, times: times)
    }

    /// Sends a message as another user. Returns the message's id, or `nil` when it is refused.
    @discardableResult
    package func say(
        _ text: String, in conversation: GroupMe.ConversationID, by user: GroupMe.UserID, guid: String
    ) async -> GroupMe.MessageID? {
        await hub.act(.say(conversation, text: text, guid: guid), by: user)?.message
    }

    /// Edits a user's own message. Returns whether the world accepted it.
    package func edit(
        _ message: GroupMe.MessageID, in conversation: GroupMe.ConversationID, to text: String, by user: GroupMe.UserID
    ) async -> Bool {
        await hub.act(.edit(conversation, message, text: text), by: user) != nil
    }

    /// Deletes a user's own message. Returns whether the world accepted it.
    package func delete(
        _ message: GroupMe.MessageID, in conversation: GroupMe.ConversationID, by user: GroupMe.UserID
    ) async -> Bool {
        await hub.act(.delete(conversation, message), by: user) != nil
    }
}

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
    private var faults: ArraySlice<GroupMeServer.ServerFault>
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
        faults = options.faults[...]
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

    /// Performs the faults that are due.
    private func haveTrouble() {
        let clock = backend.clock
        let past = clock.time(at: loop.now) - clock.epoch
        while clock.isRunning, let trouble = faults.first, trouble.milliseconds <= past {
            faults.removeFirst()
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
            clock.isRunning ? faults.first.flatMap { clock.deadline(next: clock.epoch + $0.milliseconds) } : nil
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
