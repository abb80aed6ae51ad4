package import Events
package import Network
package import Wire

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
        package var troubles: [ServerFault]
        /// Whether clients may use WebSockets. If not, they must poll.
        package var takesWebSockets: Bool
        /// Creates options. `pace` is clamped to 1 to 1000.
        package init(
            startsAtOnce: Bool = false, isEndless: Bool = true, pace: Int = 1, timeout: Duration = .seconds(600),
            pingInterval: Duration? = .seconds(30), mostRequests: Int? = nil, epoch: Int64 = 1_785_346_000_000,
            troubles: [ServerFault] = [], takesWebSockets: Bool = true
        ) {
            self.startsAtOnce = startsAtOnce
            self.isEndless = isEndless
            self.pace = min(max(pace, 1), 1_000)
            self.timeout = timeout
            self.pingInterval = pingInterval
            self.mostRequests = mostRequests
            self.epoch = epoch
            self.troubles = troubles
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
