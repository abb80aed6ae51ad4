package import Events
package import Network
package import Wire

/// A real Twake backend for demonstrations and tests: Socket.IO at `/socket/` (Engine.IO 3 and 4, over polling, WebSocket and the upgrade
/// between them), REST at `/internal/mobile`
/// (era A) and `/internal/services` (era B), one world behind them that a scenario moves. One seed gives one history.
///
/// It runs on a loop that others may share. As in the real servers, every user may join any room, unless `Options.rights` says
/// otherwise. A client that does not read is dropped when `EndpointOptions.maximumPending` bytes wait for it.
package final class EmbeddedServer: Sendable {
    /// What a server is told once.
    package struct Options: Hashable, Sendable {
        /// Whether the script starts with the server. Otherwise it starts when the first client has joined its rooms (nothing joined
        /// and nothing asked for during 400 ms, at the latest 3 s after its first join), so that every client sees the same history.
        package var startsAtOnce: Bool
        /// How many times faster than life the world's clock runs, 1 to 1000. The history is the same.
        package var pace: Int
        /// How long a token is good for.
        package var tokenLifetime: Duration
        /// A token of the user's that is good for ever; nil for those that are made alone.
        package var token: Secret?
        /// Whether the core's REST services are there, as they are since era B. Without them only the mobile proxy's are.
        package var hasCore = true
        /// The realtime endpoint.
        package var endpoint: EndpointOptions
        /// What is asked of clients that join rooms.
        package var rights = RealtimeConnection.Rights()
        /// The world's time when the script starts, milliseconds since 1970. Fixed, so that times belong to the history.
        package var epoch: Int64
        /// What goes wrong with the server, and when, since the script started; in order.
        package var troubles: [Trouble]
        /// Options.
        package init(
            startsAtOnce: Bool = false, pace: Int = 1, tokenLifetime: Duration = .seconds(3_600),
            endpoint: EndpointOptions = EndpointOptions(path: "/socket/"), epoch: Int64 = 1_631_610_000_000,
            troubles: [Trouble] = []
        ) {
            self.startsAtOnce = startsAtOnce
            self.pace = min(max(pace, 1), 1_000)
            self.tokenLifetime = tokenLifetime
            self.endpoint = endpoint
            self.epoch = epoch
            self.troubles = troubles
        }
    }

    /// Something that goes wrong on its own, as in life.
    package struct Trouble: Hashable, Sendable {
        /// What goes wrong.
        package enum Kind: Hashable, Sendable {
            /// Every token made so far is expired.
            case tokensExpire
            /// The process starts again: every connection is cut and no session is known any more. The world goes on.
            case restart
        }
        /// When, since the script started, in the world's time.
        package var at: Duration
        /// What.
        package var kind: Kind
        /// A trouble to come.
        package init(at: Duration, _ kind: Kind) {
            self.at = at
            self.kind = kind
        }
    }

    /// Where clients reach it: `http://address:port`.
    package let url: String
    /// The user whose tokens `makeToken` gives, and whose truth `truth` tells.
    package let user: EntityID
    /// The world's only company.
    package let company: EntityID
    /// The world's first workspace.
    package let workspace: EntityID

    private let hub: Hub
    private let http: HTTPServer
    private let tokens: Tokens

    /// Listens on `address` and `port` (0: one the system chooses). Not from the loop; returns when clients can connect.
    package convenience init(
        on loop: EventLoop, address: String = "127.0.0.1", port: UInt16 = 0, scenario: Scenario, seed: UInt64,
        options: Options = Options()
    ) throws(NetworkError) {
        try self.init(hub: Hub(on: loop, scenario, seed: seed, options: options), address: address, port: port)
    }

    /// The same world again after `other` was closed, as if the process had been restarted; what the script did meanwhile has happened.
    /// Tokens made by `other` stay good. Not from the loop.
    package convenience init(
        resuming other: EmbeddedServer, address: String = "127.0.0.1", port: UInt16 = 0
    ) throws(NetworkError) {
        try self.init(hub: other.hub, address: address, port: port)
    }

    private init(hub: Hub, address: String, port: UInt16) throws(NetworkError) {
        self.hub = hub
        tokens = hub.facts.tokens
        user = hub.facts.me
        company = hub.facts.company
        workspace = hub.facts.workspace
        // A form has little more than its file.
        http = try HTTPServer(
            on: hub.loop, address: address, port: port, endpoint: hub.endpoint,
            largestBody: World.Limit.file + (1 << 16), handler: hub)
        url = http.url(address)
        hub.loop.run { hub.assumeIsolated { $0.open() } }
    }

    /// A token of `user`: the one that was given, or a new one. Any thread.
    package func makeToken() -> Secret {
        tokens.given?.token ?? tokens.issue(for: user, at: hub.loop.now, lifetime: hub.facts.tokenLifetime)
    }

    /// A new token of somebody else by user name; nil when there is nobody of that name. Any thread.
    package func makeToken(username: String) -> Secret? {
        hub.facts.usernames[username].map { tokens.issue(for: $0, at: hub.loop.now, lifetime: hub.facts.tokenLifetime) }
    }

    /// Stops listening, cuts every connection and stops the script. Not from the loop.
    package func close() {
        http.close()
        let hub = hub
        hub.loop.run { hub.assumeIsolated { $0.stop() } }
    }

    /// What is true for `user` now, for comparing a client's model with it.
    package func truth() async -> WorldTruth { await hub.truth() }

    // MARK: - For tests of what can go wrong

    /// From now on every token is refused, or (false) judged as before.
    package func refuseTokens(_ refuses: Bool) async { await hub.refuseTokens(refuses) }

    /// Every token made so far is expired.
    package func expireTokens() async { await hub.expireTokens() }

    /// Forgets every session and cuts the TCP connections of their WebSockets, without a word. A client that polls is told that
    /// its session is unknown.
    package func dropConnections() async { await hub.dropConnections() }

    /// Takes every client out of the namespace (`41`); their sockets stay open.
    package func kickClients() async { await hub.kickClients() }

    /// The next `times` requests whose path begins with `path` are answered with `status` and Fastify's body.
    package func failREST(_ path: String, status: Int, times: Int = 1) async {
        await hub.failREST(path, status: status, times: times)
    }
}
