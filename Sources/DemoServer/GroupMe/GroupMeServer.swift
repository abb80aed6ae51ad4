package import Events
package import Network
package import Wire

/// A real GroupMe backend for demonstrations and tests: the push service at `/faye` (Bayeux over WebSockets, long-polling and JSONP), REST
/// at `/v3`, pictures at `/pictures`, one world behind them that a script moves. One seed gives one history.
///
/// It has the rules of the service: a token on whatever is subscribed to and published, none in what is delivered, 304 for no more
/// messages, 409 for a message sent twice (`reference/groupme.md` 1 to 3).
package final class GroupMeServer: Sendable {
    /// What a server is told once.
    package struct Options: Hashable, Sendable {
        /// Whether the script starts with the server. Otherwise it starts when the first client has subscribed to its channels (nothing
        /// subscribed to and nothing asked for during 400 ms, at the latest 3 s after the first), so that every client sees the same
        /// history.
        package var startsAtOnce: Bool
        /// Whether people go on for ever, after a quarter of a minute in which nearly everything happens once.
        package var isEndless: Bool
        /// How many times faster than life the world's clock runs, 1 to 1000. The history is the same.
        package var pace: Int
        /// How long a connect is held: ten minutes at GroupMe's. Sessions live twice as long.
        package var timeout: Duration
        /// How often a ping is pushed on every channel; nil for never.
        package var pingInterval: Duration?
        /// How many requests a second of one token are answered; those beyond are refused with 429. Nil for all.
        package var mostRequests: Int?
        /// The world's time when the script starts, milliseconds since 1970. Fixed, so that times belong to the history.
        package var epoch: Int64
        /// What goes wrong with the server, and when, since the script started; in order.
        package var troubles: [Trouble]
        /// Whether clients may have WebSockets; else they have to poll.
        package var takesWebSockets: Bool
        /// Options.
        package init(
            startsAtOnce: Bool = false, isEndless: Bool = true, pace: Int = 1, timeout: Duration = .seconds(600),
            pingInterval: Duration? = .seconds(30), mostRequests: Int? = nil, epoch: Int64 = 1_785_346_000_000,
            troubles: [Trouble] = [], takesWebSockets: Bool = true
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

    /// Something that goes wrong on its own, as in life.
    package struct Trouble: Hashable, Sendable {
        /// What goes wrong.
        package enum Kind: Hashable, Sendable {
            /// The connections of all WebSockets are cut; their sessions live on for a while.
            case cut
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
    /// The user whose token `token` is, and whose truth `truth` tells.
    package let user: GroupMe.UserID
    private let hub: GroupMeHub
    private let http: HTTPServer

    /// Listens on `address` and `port` (0: one the system chooses). Not from the loop; returns when clients can connect.
    package convenience init(
        on loop: EventLoop, address: String = "127.0.0.1", port: UInt16 = 0, seed: UInt64, options: Options = Options()
    ) throws(NetworkError) {
        try self.init(hub: GroupMeHub(on: loop, seed: seed, options: options), address: address, port: port)
    }

    /// The same world again after `other` was closed, as if the process had been restarted: no session is known any more; what the
    /// script did meanwhile has happened. Tokens stay good. Not from the loop.
    package convenience init(
        resuming other: GroupMeServer, address: String = "127.0.0.1", port: UInt16 = 0
    ) throws(NetworkError) {
        try self.init(hub: other.hub, address: address, port: port)
    }

    private init(hub: GroupMeHub, address: String, port: UInt16) throws(NetworkError) {
        self.hub = hub
        user = hub.me
        // Pictures are large.
        http = try HTTPServer(on: hub.loop, address: address, port: port, maximumBody: 16 << 20, handler: hub)
        url = http.url(address)
        hub.loop.run { hub.assumeIsolated { $0.open() } }
    }

    /// The token of `user`, 40 characters. Any thread.
    package var token: Secret { hub.tokens.token(of: user) ?? Secret("") }

    /// The token of somebody else; nil when there is nobody of that id. Any thread.
    package func token(of user: GroupMe.UserID) -> Secret? { hub.tokens.token(of: user) }

    /// Stops listening, cuts every connection and stops the script. Not from the loop.
    package func close() {
        http.close()
        let hub = hub
        hub.loop.run { hub.assumeIsolated { $0.stop() } }
    }

    /// What is true for `user` now, for comparing a client's model with it.
    package func truth() async -> GroupMeTruth { await hub.truth() }

    // MARK: - For tests of what can go wrong

    /// From now on every token is refused, or (false) judged as before.
    package func refuseTokens(_ refuses: Bool) async { await hub.refuseTokens(refuses) }

    /// Cuts the TCP connections of all WebSockets, without a word. Their sessions live on for a while.
    package func dropConnections() async { await hub.dropConnections() }

    /// The same, and no session is known any more.
    package func forgetSessions() async { await hub.forgetSessions() }

    /// The next `times` requests whose path begins with `path` are answered with `status`.
    package func failREST(_ path: String, status: Int, times: Int = 1) async {
        await hub.failREST(path, status: status, times: times)
    }

    /// Somebody says something, as from their own phone; gives the message's id, nil when that is refused.
    @discardableResult
    package func say(
        _ text: String, in conversation: GroupMe.ConversationID, by user: GroupMe.UserID, guid: String
    ) async -> GroupMe.MessageID? {
        await hub.act(.say(conversation, text: text, guid: guid), by: user)?.message
    }

    /// Somebody edits what they said; whether that was done.
    package func edit(
        _ message: GroupMe.MessageID, in conversation: GroupMe.ConversationID, to text: String, by user: GroupMe.UserID
    ) async -> Bool {
        await hub.act(.edit(conversation, message, text: text), by: user) != nil
    }

    /// Somebody deletes what they said; whether that was done.
    package func delete(
        _ message: GroupMe.MessageID, in conversation: GroupMe.ConversationID, by user: GroupMe.UserID
    ) async -> Bool {
        await hub.act(.delete(conversation, message), by: user) != nil
    }
}
