import JSONText

/// The client's end of one Bayeux session over one transport: handshake, the connect loop, subscriptions, publishing.
///
/// A machine: give it what the transport gave and the time; it answers with effects. A new transport needs a new machine, which is
/// given the `Memory` of the one before.
///
/// ```
/// idle ──start──► handshaking ──successful──► open ◄──successful── resuming ◄──start, with a session of before
///                  ▲    ▲                      │                      │
///                  │    └──── session unknown ─┴──── unknown ─────────┘
///                pausing (backoff, when that comes again and again)       and from everywhere to leaving, and to finished
/// ```
///
/// While it is open, exactly one connect is out, or the next one is due after the interval the server advised: that loop keeps the session
/// alive, and a server may stop delivering without it. A connect is a frame of its own, since a frame is answered when all of it is
/// (4.5 item 7). Subscriptions are told of only after the server's successful answer, and are asked for again after every handshake.
///
/// A transport that is silent while the server may rightly be silent, too, is probed with something that is answered at once: a
/// subscription that stands is asked for again. Unanswered probes and connects held longer than advised end the transport (`.silent`).
public struct BayeuxClient: Sendable {
    enum State {
        /// Nothing was sent. Follows: handshaking, resuming, leaving, finished.
        case idle
        /// The handshake is out. Follows: open, pausing, finished.
        case handshaking(id: String, until: Moment)
        /// A connect in the session of before is out, which the server answers at once; an event that comes first tells as much.
        /// Follows: open, handshaking, finished.
        case resuming(clientID: Secret, id: String, until: Moment, isTold: Bool)
        /// The session stands. Follows: handshaking, pausing, leaving, finished.
        case open(clientID: Secret)
        /// The next handshake begins then. Follows: handshaking, finished.
        case pausing(until: Moment)
        /// Disconnect is out. Follows: finished.
        case leaving(until: Moment)
        /// Nothing more will happen.
        case finished
    }

    /// The connect of an open session.
    enum Connect {
        /// It is out, and is answered by then at the latest.
        case out(id: String, until: Moment)
        /// The next one is due then.
        case due(Moment)
    }

    let configuration: Configuration
    var state = State.idle
    var connect = Connect.due(.zero)
    var advice = Bayeux.Advice(reconnect: .retry, interval: .zero)
    var subscriptions: [Subscription] = []
    var publications: [Publication] = []
    var waiting = BoundedBuffer<Publication>(countLimit: 1024, byteLimit: 4 << 20)
    /// The batch received last, when the server has the acknowledgement extension; nil when it has not.
    var batch: Int64?
    /// When anything was received last.
    var heard = Moment.zero
    /// A session of before, while it is not known whether the server still has it.
    var resumable: Secret?
    /// The subscription that was asked for again, as a probe.
    var probe: (id: String, until: Moment)?
    /// When the last connect was sent: a session outlives it by twice the time a connect is held (4.6).
    var connected = Moment.zero
    /// Sessions the server forgot since one held.
    var forgotten = 0
    /// When the session that stands began.
    var opened = Moment.zero
    /// Connects in a row that the server answered sooner than `connectFloor` after they were sent.
    var hasty = 0
    /// So many of them are followed by the next one at once; after that there is a pause.
    static let mostHasty = 3
    /// How long after a connect the next one is sent then, whatever the server advises.
    static let connectFloor: Duration = .milliseconds(200)
    /// When the server last showed that it has the session.
    var stood = Moment.zero
    /// When the server last showed that it had the session that it forgot since; nil while it forgot none.
    public private(set) var lapsed: Moment?
    /// Whether a session stood before, of which events may be missing now.
    var hadSession = false
    var nextID = 1
    var random: RandomSource

    /// A machine for a transport that is about to be used, which goes on from what the one before left behind. `seed` decides the
    /// jitter of repeated handshakes.
    public init(_ configuration: Configuration, memory: Memory = Memory(), seed: UInt64) {
        self.configuration = configuration
        random = RandomSource(seed: seed)
        subscriptions = memory.subscriptions
        if let session = memory.session { (advice, connected) = (session.advice, session.connected) }
        hadSession = memory.hadSession
        batch = memory.session?.batch
        resumable = memory.session?.clientID
    }

    /// Since when the transport is not read.
    private var unreadSince: Moment?

    /// The transport is read, or not: meanwhile nothing is timed, and the server has as much longer for its answers.
    public mutating func set(_ reading: SocketReading, at now: Moment) {
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

    /// When `advance(to:into:)` wants to be called next; nil when nothing is timed.
    public var deadline: Moment? {
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
    /// Begins: with a handshake, or in the session of before when the server should still have it. To be called once.
    public mutating func start(at now: Moment, into effects: inout [Effect]) {
        guard case .idle = state else { return }
        heard = now
        if let clientID = resumable, connected + lifetime > now {
            resume(clientID, at: now, into: &effects)
        } else {
            handshake(at: now, into: &effects)
        }
    }

    /// How long a session stands after a connect (4.6).
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

    /// The server does not know the session: everything begins anew, at once the first time, later and later when it happens again.
    mutating func forget(at now: Moment, into effects: inout [Effect]) {
        if forgotten == 0 { lapsed = stood }
        forgotten += 1
        probe = nil
        abandonPublications(.sessionLost, into: &effects)
        guard forgotten > 1 else { return handshake(at: now, into: &effects) }
        let delay = configuration.backoff.delay(afterFailures: forgotten - 1, using: &random)
        state = .pausing(until: now + max(delay, advice.interval ?? .zero))
    }

    /// Ends the session in order: the server is told, and `.close` follows its answer, or its silence.
    public mutating func disconnect(at now: Moment, into effects: inout [Effect]) {
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

    /// The transport is gone. Gives what the next machine is to be given.
    public mutating func transportClosed(into effects: inout [Effect]) -> Memory {
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
        // What was silent, the server may still have: the next transport asks.
        switch cause {
        case .silent, .noAnswer: resumable = currentSession
        case .refused, .forbidden, .requested, .byServer, .notBayeux: resumable = nil
        }
        state = .finished
        effects.append(.close(cause))
    }
}
