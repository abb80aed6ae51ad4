package import WeirJSON

/// The client end of one Bayeux session over one transport: handshake, the connect loop, subscriptions, publishing.
///
/// This is a state machine. The driver passes it the input from the transport and the time, and the machine returns
/// effects. A new transport needs a new machine, which receives the `Memory` of the previous one.
///
/// ```
/// idle ──start──► handshaking ──successful──► open ◄──successful── resuming ◄──start, with a previous session
///                  ▲    ▲                      │                      │
///                  │    └──── session unknown ─┴──── unknown ─────────┘
///                pausing (back-off, if this keeps happening)          and from every state to leaving, and to finished
/// ```
///
/// While a session is open, exactly one connect is pending, or the next one is due after the interval that the server
/// advised. This loop keeps the session alive; a server may stop delivering without it. A connect is always a frame of
/// its own, because the server answers a frame only as a whole (Bayeux BX-10). The client reports a subscription only
/// after the server's successful answer, and repeats all requests after every handshake.
///
/// If the transport is silent at a time when the server may legitimately be silent, the client probes it with a request
/// that the server answers at once: it requests an accepted subscription again. An unanswered probe, or a connect held
/// longer than advised, ends the transport (`.silent`).
package struct BayeuxClient: Sendable {
    enum State {
        /// Nothing was sent. Follows: handshaking, resuming, leaving, finished.
        case idle
        /// The handshake is pending. Follows: open, pausing, finished.
        case handshaking(id: String, until: Moment)
        /// A connect in the previous session is pending. The server answers it at once; an event before that answer
        /// also proves that the session is open. Follows: open, handshaking, finished.
        case resuming(clientID: Secret, id: String, until: Moment, isTold: Bool)
        /// The session is open. Follows: handshaking, pausing, leaving, finished.
        case open(clientID: Secret)
        /// The next handshake starts at `until`. Follows: handshaking, finished.
        case pausing(until: Moment)
        /// A disconnect is pending. Follows: finished.
        case leaving(until: Moment)
        /// The client does nothing more.
        case finished
    }

    /// The state of the connect loop in an open session.
    enum Connect {
        /// A connect is pending. Its answer is due by `until`.
        case out(id: String, until: Moment)
        /// The next connect is due at this time.
        case due(Moment)
    }

    let configuration: Configuration
    var state = State.idle
    var connect = Connect.due(.zero)
    var advice = Bayeux.Advice(reconnect: .retry, interval: .zero)
    var subscriptions: [Subscription] = []
    var publications: [Publication] = []
    var waiting = BoundedBuffer<Publication>(countLimit: 1024, byteLimit: 4 << 20)
    /// The last batch received; `nil` if the server does not support the acknowledgement extension.
    var batch: Int64?
    /// When any data last arrived; the base of the probe's deadline.
    var heard = Moment.zero
    /// The previous session, while it is unknown whether the server still has it.
    var resumable: Secret?
    /// The pending probe: a repeated request for an accepted subscription.
    var probe: (id: String, until: Moment)?
    /// When the last connect was sent. A session outlives it by twice the time that the server holds a connect
    /// (Bayeux BX-15).
    var connected = Moment.zero
    /// The number of sessions that the server has forgotten since one lasted.
    var forgotten = 0
    /// When the open session began.
    var opened = Moment.zero
    /// The number of consecutive connects that the server answered in less than `connectFloor`.
    var hasty = 0
    /// The number of such connects after which the client starts to pause.
    static let mostHasty = 3
    /// The minimum time between two connects in that case, whatever the server advises.
    static let connectFloor: Duration = .milliseconds(200)
    /// When the server last showed that it knows the session.
    var stood = Moment.zero
    /// When the server last showed that it knew the session that it has since forgotten; `nil` if it has forgotten
    /// none.
    package private(set) var lapsed: Moment?
    /// Whether an earlier session existed, of which events may now be missing.
    var hadSession = false
    var nextID = 1
    var random: RandomSource

    /// Creates a client for a new transport, which continues from the previous transport's `memory`. `seed` determines
    /// the jitter of repeated handshakes.
    package init(_ configuration: Configuration, memory: Memory = Memory(), seed: UInt64) {
        self.configuration = configuration
        random = RandomSource(seed: seed)
        subscriptions = memory.subscriptions
        if let session = memory.session { (advice, connected) = (session.advice, session.connected) }
        hadSession = memory.hadSession
        batch = memory.session?.batch
        resumable = memory.session?.clientID
    }

    /// When the driver stopped reading the transport; `nil` while it reads.
    private var unreadSince: Moment?

    /// Tells the client whether the driver reads the transport.
    ///
    /// While it does not, the client has no deadlines. Afterwards the server's deadlines move by the length of the
    /// pause.
    package mutating func set(_ reading: SocketReading, at now: Moment) {
        defer { unreadSince = reading == .resumed ? nil : unreadSince ?? now }
        guard reading == .resumed, let unreadSince else { return }
        let span = now - unreadSince + .unreadGrace
        switch state {
        case .idle, .open, .pausing, .finished: break
        case .handshaking(let id, let until): state = .handshaking(id: id, until: until + span)
        case .resuming(let clientID, let id, let until, let isTold):
            state = .resuming(clientID: clientID, id: id, until: until + span, isTold: isTold)
        case .leaving(let until): state = .leaving(until: until + span)
        }
        if case .out(let id, let until) = connect { connect = .out(id: id, until: until + span) }
        heard = heard + span
        probe = probe.map { ($0.id, $0.until + span) }
        for index in subscriptions.indices { subscriptions[index].postpone(by: span) }
        for index in publications.indices { publications[index].until = publications[index].until + span }
    }

    /// When to call `advance(to:into:)` next; `nil` if no deadline is pending.
    package var deadline: Moment? {
        if unreadSince != nil { return nil }
        return switch state {
        case .idle, .finished: nil
        case .handshaking(_, let until), .resuming(_, _, let until, _), .pausing(let until), .leaving(let until): until
        case .open:
            [connectDeadline, probeDeadline, subscriptionsDeadline, publicationsDeadline].compactMap { $0 }.min()
        }
    }

    mutating func newID() -> String {
        defer { nextID += 1 }
        return String(nextID, radix: 36)
    }

    var isFinished: Bool { if case .finished = state { true } else { false } }
}

// MARK: - Beginning and ending

extension BayeuxClient {
    /// Starts with a handshake, or resumes the previous session if the server should still have it. Call it once.
    package mutating func start(at now: Moment, into effects: inout [Effect]) {
        guard case .idle = state else { return }
        heard = now
        if let clientID = resumable, connected + lifetime > now {
            resume(clientID, at: now, into: &effects)
        } else {
            handshake(at: now, into: &effects)
        }
    }

    /// How long the server keeps a session after a connect (Bayeux BX-15).
    private var lifetime: Duration { (advice.timeout ?? configuration.assumedTimeout) * 2 }

    private mutating func resume(_ clientID: Secret, at now: Moment, into effects: inout [Effect]) {
        let id = newID()
        state = .resuming(clientID: clientID, id: id, until: now + configuration.replyTimeout, isTold: false)
        sendConnect(clientID, id: id, hold: .zero, at: now, into: &effects)
    }

    mutating func handshake(at now: Moment, into effects: inout [Effect]) {
        let id = newID()
        state = .handshaking(id: id, until: now + configuration.replyTimeout)
        resumable = nil
        batch = nil
        for index in subscriptions.indices { subscriptions[index].reset() }
        let frame = Bayeux.frame(.handshake, id: id) { message in
            message.member("version", Bayeux.version)
            message.member("supportedConnectionTypes", names: [configuration.connectionType.rawValue])
            if configuration.acknowledges {
                message.member("ext", raw: RawJSON(unchecked: ArraySlice(#"{"ack":true}"#.utf8)))
            }
        }
        effects.append(.send(Outgoing(bytes: frame, isConnect: false)))
    }

    /// Starts over after the server has forgotten the session: at once the first time, and with growing delays after
    /// that.
    mutating func forget(at now: Moment, into effects: inout [Effect]) {
        if forgotten == 0 { lapsed = stood }
        forgotten += 1
        probe = nil
        abandonPublications(.sessionLost, into: &effects)
        guard forgotten > 1 else { return handshake(at: now, into: &effects) }
        let delay = configuration.backoff.delay(afterFailures: forgotten - 1, using: &random)
        state = .pausing(until: now + max(delay, advice.interval ?? .zero))
    }

    /// Ends the session in order. The client tells the server; `.close` follows after the answer, or after a timeout.
    package mutating func disconnect(at now: Moment, into effects: inout [Effect]) {
        switch state {
        case .open(let clientID):
            abandonPublications(.finished, into: &effects)
            state = .leaving(until: now + .seconds(2))
            let frame = Bayeux.frame(.disconnect, id: newID()) { $0.member("clientId", clientID.reveal()) }
            effects.append(.send(Outgoing(bytes: frame, isConnect: false)))
        case .idle, .handshaking, .resuming, .pausing: finish(.requested, into: &effects)
        case .leaving, .finished: break
        }
    }

    /// Handles the loss of the transport. Returns the memory for the next client.
    package mutating func transportClosed(into effects: inout [Effect]) -> Memory {
        var memory = Memory()
        memory.subscriptions = subscriptions.filter { !$0.isLeaving }
        for index in memory.subscriptions.indices { memory.subscriptions[index].transportClosed() }
        memory.hadSession = hadSession
        if let clientID = currentSession {
            memory.session = Memory.Session(clientID: clientID, advice: advice, connected: connected, batch: batch)
        }
        abandonPublications(.sessionLost, into: &effects)
        abandonPublications(.finished, into: &effects)
        state = .finished
        return memory
    }

    private var currentSession: Secret? {
        switch state {
        case .open(let clientID), .resuming(let clientID, _, _, _): clientID
        case .idle, .finished: resumable
        case .handshaking, .pausing, .leaving: nil
        }
    }

    mutating func finish(_ cause: CloseCause, into effects: inout [Effect]) {
        abandonPublications(.finished, into: &effects)
        // After silence, the server may still have the session; the next transport tries to resume it.
        switch cause {
        case .silent, .noAnswer: resumable = currentSession
        case .refused, .forbidden, .requested, .byServer, .notBayeux: resumable = nil
        }
        state = .finished
        effects.append(.close(cause))
    }
}

extension BayeuxClient {
    /// The settings of a client, fixed when it is created.
    package struct Configuration: Hashable, Sendable {
        /// The transport of the frames.
        package var connectionType: Bayeux.ConnectionType
        /// Whether to offer the acknowledgement extension, with which a server resends messages that were not received
        /// (Bayeux BX-23).
        package var acknowledges: Bool
        /// How long to wait for an answer that the server does not hold back.
        package var replyTimeout: Duration
        /// The time without incoming data after which the client probes the transport; `nil` disables probing.
        package var probeAfter: Duration?
        /// How long a server is assumed to hold a connect if it does not advise a timeout.
        package var assumedTimeout: Duration
        /// The pauses between handshakes with a server that repeatedly forgets the session.
        package var backoff: Backoff
        /// How deep the arrays and objects of a frame may be nested.
        package var maximumDepth = JSONReader.standardDepth
        /// Creates a configuration.
        ///
        /// `probeAfter` applies only to a WebSocket. An HTTP transport notices by itself that a server is gone.
        package init(
            connectionType: Bayeux.ConnectionType, acknowledges: Bool = true, replyTimeout: Duration = .seconds(10),
            probeAfter: Duration? = .seconds(30), assumedTimeout: Duration = .seconds(60),
            backoff: Backoff = Backoff(base: .seconds(1), cap: .seconds(60))
        ) {
            self.connectionType = connectionType
            self.acknowledges = acknowledges
            self.replyTimeout = replyTimeout
            self.probeAfter = connectionType == .websocket ? probeAfter : nil
            self.assumedTimeout = assumedTimeout
            self.backoff = backoff
        }
    }

    /// The state of a client that outlives its transport.
    package struct Memory: Hashable, Sendable {
        /// The previous session, as long as the server may still keep it.
        struct Session: Hashable, Sendable {
            var clientID: Secret
            var advice: Bayeux.Advice
            /// When the last connect was sent.
            var connected: Moment
            /// The last batch received, if batches are acknowledged.
            var batch: Int64?
        }
        var session: Session?
        var subscriptions: [Subscription] = []
        var hadSession = false
        /// Creates the memory of a client that has never connected.
        package init() {}

        /// Removes the subscriptions to channels that are no longer wanted.
        ///
        /// A session that is still open on the server keeps them, so the caller must ignore their messages.
        package mutating func keep(where isWanted: (Bayeux.Channel) -> Bool) {
            subscriptions.removeAll { !isWanted($0.channel) }
        }

        /// Sets `ext` as `BayeuxClient.renew` does, for the next transport.
        package mutating func renew(ext: RawJSON?) {
            for index in subscriptions.indices { subscriptions[index].ext = ext }
        }
    }

    /// A frame for the driver to send.
    package struct Outgoing: Hashable, Sendable {
        /// The frame as JSON text. It may contain tokens and the id of the session.
        package var bytes: [UInt8]
        /// Whether the server may hold back its answer. Over HTTP, such a frame needs its own exchange.
        package var isConnect: Bool
    }

    /// What is known about missing events when a session is open.
    package enum Continuity: Hashable, Sendable {
        /// This is the first session, so nothing is missing.
        case first
        /// The server resumed the previous session and resends what was not acknowledged, so nothing is missing.
        case complete
        /// The server resumed the previous session and sends what it queued, but what it wrote to a dead transport is
        /// lost (Bayeux BX-16).
        case resumed
        /// The server had forgotten the previous session, so everything sent since then is missing.
        case renewed
    }

    /// A message published on a channel.
    package struct Delivery: Hashable, Sendable {
        /// The channel on which it was published. Untrusted text.
        package var channel: String
        /// The id that the publisher or the server gave it; useful only to people.
        package var id: String?
        /// The published data, as JSON text.
        package var data: RawJSON
    }

    /// The reason why a message was not published, or may not have been.
    package enum PublishFailure: Hashable, Sendable {
        /// The server refused it. The text is the server's and untrusted.
        case refused(String)
        /// Too many messages are already waiting.
        case overflow
        /// No answer arrived in time. The message may have been published.
        case timeout
        /// The session or its transport was lost. The message may have been published.
        case sessionLost
        /// The client has finished and publishes nothing more.
        case finished
    }

    /// The driver performs the effects in this order. Each id that `publish` returned ends with exactly one `.published` or `.unpublished`.
    package enum Effect: Hashable, Sendable {
        /// Send this frame to the server.
        case send(Outgoing)
        /// A session is open. The effects of its subscriptions follow.
        case connected(Continuity)
        /// The server accepted a subscription. Reported once per session.
        case subscribed(Bayeux.Channel)
        /// The server refused a subscription, with this text. The client does not retry it in this session.
        case refused(Bayeux.Channel, String)
        /// The server did not answer a subscription after several attempts. The client does not retry it in this
        /// session.
        case unanswered(Bayeux.Channel)
        /// A subscription has ended, as requested.
        case unsubscribed(Bayeux.Channel)
        /// A message was published on a channel.
        case delivery(Delivery)
        /// The server accepted a message that this client published.
        case published(Int)
        /// A message was not published, or its outcome is unknown.
        case unpublished(Int, PublishFailure)
        /// Input could not be read, and was ignored.
        case malformed(Bayeux.Malformed)
        /// Close the transport; the client has finished.
        case close(CloseCause)
    }

    /// The reason why the client wants the transport closed.
    package enum CloseCause: Hashable, Sendable {
        /// The first frame is not Bayeux.
        case notBayeux(Bayeux.Malformed)
        /// The server refused the handshake. The text is the server's and untrusted.
        case refused(String)
        /// The server did not answer the handshake.
        case noAnswer
        /// The server, or the path to it, is silent although data is due.
        case silent
        /// The server forbade another attempt (advice `none`, or a negative interval). The text is the server's and
        /// untrusted.
        case forbidden(String)
        /// The server ended the session.
        case byServer
        /// The caller ended the session with `disconnect(at:into:)`.
        case requested
    }
}
