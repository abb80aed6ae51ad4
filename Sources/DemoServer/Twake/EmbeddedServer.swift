package import Events
package import Network
package import Wire

/// A Twake backend for demonstrations and tests: Socket.IO at `/socket/` (Engine.IO 3 and 4, over polling, WebSocket
/// and the upgrade between them), and REST at `/internal/mobile` (era A) and `/internal/services` (era B). They share
/// one world, which a scenario drives. The same seed gives the same history.
///
/// The server can share its loop with others. As in the real servers, every user may join any room, unless
/// `Options.rights` restricts this. A client that does not read is disconnected when `EndpointOptions.maximumPending`
/// bytes wait for it.
package final class EmbeddedServer: Sendable {
    /// The options of a server, fixed when it starts.
    package struct Options: Hashable, Sendable {
        /// Whether the script starts with the server. Otherwise it starts after the first client has joined its rooms
        /// (after 400 ms without a join or request, and at the latest 3 s after the first join), so that every client
        /// sees the same history.
        package var startsAtOnce: Bool
        /// The speed of the server's clock, 1 to 1000 times real time. The history is the same.
        package var pace: Int
        /// The time for which a token is valid.
        package var tokenLifetime: Duration
        /// A fixed token of the user's that never expires; `nil` for generated tokens only.
        package var token: Secret?
        /// Whether the core's REST services exist, as they do since era B. Without them there are only the mobile
        /// proxy's.
        package var hasCore = true
        /// The options of the realtime endpoint.
        package var endpoint: EndpointOptions
        /// The checks for clients that join rooms.
        package var rights = RealtimeConnection.Rights()
        /// The server's time when the script starts, in milliseconds since 1970. It is fixed, so that times are part of
        /// the history.
        package var epoch: Int64
        /// Planned failures of the server with their times since the script's start, in order.
        package var troubles: [ServerFault]
        /// Creates options. `pace` is clamped to 1 to 1000.
        package init(
            startsAtOnce: Bool = false, pace: Int = 1, tokenLifetime: Duration = .seconds(3_600),
            endpoint: EndpointOptions = EndpointOptions(path: "/socket/"), epoch: Int64 = 1_631_610_000_000,
            troubles: [ServerFault] = []
        ) {
            self.startsAtOnce = startsAtOnce
            self.pace = min(max(pace, 1), 1_000)
            self.tokenLifetime = tokenLifetime
            self.endpoint = endpoint
            self.epoch = epoch
            self.troubles = troubles
        }
    }

    /// A planned failure of the server.
    package struct ServerFault: Hashable, Sendable {
        /// The kinds of planned failure.
        package enum Kind: Hashable, Sendable {
            /// Every token made so far expires.
            case tokensExpire
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
    /// The user of the tokens that `makeToken` makes. `truth` returns this user's view.
    package let user: EntityID
    /// The id of the only company.
    package let company: EntityID
    /// The id of the first workspace.
    package let workspace: EntityID

    private let hub: Hub
    private let http: HTTPServer
    private let tokens: Tokens

    /// Starts listening on `address` and `port` (0 lets the system choose one), and returns when clients can connect.
    /// Not from the loop.
    package convenience init(
        on loop: EventLoop, address: String = "127.0.0.1", port: UInt16 = 0, scenario: Scenario, seed: UInt64,
        options: Options = Options()
    ) throws(NetworkError) {
        try self.init(hub: Hub(on: loop, scenario, seed: seed, options: options), address: address, port: port)
    }

    /// Restarts a closed server with the same world, as after a restart of the process. The script's events in the
    /// meantime have happened, and tokens made by `other` stay valid. Not from the loop.
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
        // A form is little larger than its file.
        http = try HTTPServer(
            on: hub.loop, address: address, port: port, endpoint: hub.endpoint,
            largestBody: World.Limit.file + (1 << 16), handler: hub)
        url = http.url(address)
        hub.loop.run { hub.assumeIsolated { $0.open() } }
    }

    /// Returns a token of `user`: the fixed one, or a new one. Any thread.
    package func makeToken() -> Secret {
        tokens.given?.token ?? tokens.issue(for: user, at: hub.loop.now, lifetime: hub.facts.tokenLifetime)
    }

    /// Returns a new token of the user with this user name; `nil` when the name is unknown. Any thread.
    package func makeToken(username: String) -> Secret? {
        hub.facts.usernames[username].map { tokens.issue(for: $0, at: hub.loop.now, lifetime: hub.facts.tokenLifetime) }
    }

    /// Stops listening, cuts every connection and stops the script. The loop must not call it.
    package func close() {
        http.close()
        let hub = hub
        hub.loop.run { hub.assumeIsolated { $0.stop() } }
    }

    /// Returns the current view of `user`, for comparison with a client's model.
    package func truth() async -> WorldTruth { await hub.truth() }

    // MARK: - For tests of what can go wrong

    /// Refuses every token from now on, or stops doing so (`false`).
    package func refuseTokens(_ refuses: Bool) async { await hub.refuseTokens(refuses) }

    /// Makes every token issued so far expire.
    package func expireTokens() async { await hub.expireTokens() }

    /// Forgets every session and cuts the TCP connections of their WebSockets without a closing handshake. A client
    /// that polls gets the error for an unknown session.
    package func dropConnections() async { await hub.dropConnections() }

    /// Disconnects every client from the namespace (`41`). Their sockets stay open.
    package func kickClients() async { await hub.kickClients() }

    /// Answers the next `times` requests whose path begins with `path` with `status` and Fastify's body.
    package func failREST(_ path: String, status: Int, times: Int = 1) async {
        await hub.failREST(path, status: status, times: times)
    }
}
