/// The client end of one Socket.IO connection over one packet stream: Engine.IO handshake and heartbeats, namespaces,
/// events, acknowledgements.
///
/// This is a state machine. The driver passes it the input from the socket and the time, and the machine returns
/// effects. A new connection needs a new machine, which receives the `Memory` of the previous one.
///
/// ```
/// opening ──open packet──► open ──any .close effect──► finished
///    │  └──► listening ───────┘                            │
///    └────────────────────── any .close effect ────────────┘
/// ```
///
/// `listening` waits for an Engine.IO 3 server that ignores the requested revision (Engine.IO EIO-14). Such a server
/// joins the client to `/` by itself, and a CONNECT for `/` would open a second session in its application.
///
/// While the session is open, each namespace has its own state (`Membership.State`). On Engine.IO 4 the client sends
/// CONNECT, and the answer must contain a `sid`. On Engine.IO 3 the server joins the client to `/` without a request,
/// and the client sends CONNECT only for other namespaces. Nothing is sent to a namespace before its answer; emitted
/// events wait and are sent in order. Events that arrive before the answer are held back and delivered after it. A
/// refused namespace does not affect the others. When none is left, the client requests the close.
///
/// The client is as tolerant as its peers if a frame can be left out. Unreadable packets, packets for unknown
/// namespaces, unannounced binary messages, and placeholders without attachments are reported and ignored, together
/// with the attachments they announce. A text message while attachments are due is different: the binary messages after
/// it could belong to either packet. The client then requests the close (`.outOfStep`), as the reference client does at
/// every malformed packet.
///
/// Timers fire only in `advance(to:into:)`. A message that arrives late is still handled, because it proves that the
/// server is alive. After a `.close` effect the client has finished: it accepts any input and returns no effects.
public struct SocketIOClient: Sendable {
    enum State {
        /// The open packet has not arrived yet. Follows: listening, open, finished.
        case opening(until: Moment)
        /// The open packet has arrived, but no namespace has been requested: an Engine.IO 3 server sends its own
        /// CONNECT. `answersBy` is the deadline for the answers for the namespaces. Follows: open, finished.
        indirect case listening(EngineIO.Handshake, until: Moment, answersBy: Moment)
        /// The session is open. Follows: finished.
        indirect case open(EngineIO.Handshake)
        /// The client does nothing more.
        case finished
    }

    var state: State
    var engine: EngineIOClient
    /// The requested revision, or the one that the server turned out to use.
    public internal(set) var revision: EngineIO.Revision
    let configuration: Configuration
    /// The namespaces: first the configured ones, in their order. Names are unique.
    var memberships: [Membership] = []
    var assembler: AttachmentAssembler
    /// The latest time passed to the client.
    var now: Moment
    /// The earliest deadline of all namespaces. It is stored because `deadline` is read at every message.
    var namespacesDue: Moment?

    /// Whether the server opened the session, but has sent nothing about a namespace since.
    public internal(set) var isUnanswered = false

    /// When the driver stopped reading the socket; `nil` while it reads.
    private var unreadSince: Moment?

    /// When to call `advance(to:into:)` next; `nil` if no deadline is pending.
    public var deadline: Moment? {
        switch state {
        case .opening(let until), .listening(_, let until, _):
            unreadSince == nil ? earlier(until, namespacesDue) : nil
        case .open: unreadSince == nil ? earlier(engine.deadline, namespacesDue) : engine.deadline
        case .finished: nil
        }
    }

    /// Tells the client whether the socket is read. After a pause, the server's deadlines move by the length of the
    /// pause.
    public mutating func set(_ reading: SocketReading, at now: Moment) {
        engine.set(reading, at: now)
        defer { unreadSince = reading == .resumed ? nil : unreadSince ?? now }
        guard reading == .resumed, let unreadSince else { return }
        let span = now - unreadSince + .unreadGrace
        switch state {
        case .opening(let until): state = .opening(until: until + span)
        case .listening(let handshake, let until, let answersBy):
            state = .listening(handshake, until: until + span, answersBy: answersBy + span)
        case .open, .finished: break
        }
        for index in memberships.indices { memberships[index].postpone(by: span) }
        renewNamespacesDue()
    }

    /// Creates a client for a packet stream that opened at `now`, which continues from the previous client's `memory`.
    ///
    /// The name of a namespace must not contain a comma, which ends the name on the wire.
    public init(_ configuration: Configuration, memory: Memory = Memory(), openedAt now: Moment) {
        self.configuration = configuration
        assembler = AttachmentAssembler(room: configuration.limits.attachments)
        self.now = now
        revision = configuration.revision
        engine = EngineIOClient(configuration.revision)
        state = .opening(until: now + configuration.handshakeTimeout)
        var ledgers = memory.ledgers
        for namespace in configuration.namespaces {
            precondition(
                SocketIO.isNamespace(namespace.name), "a namespace must not contain a comma, which ends the name")
            let name = SocketIO.NamespaceAddress(namespace.name).name
            precondition(membership(of: name) == nil, "the namespace \(name) is requested twice")
            let ledger = ledgers.firstIndex { $0.namespace == name }.map { ledgers.remove(at: $0) }
            memberships.append(Membership(namespace, ledger: ledger))
        }
        for ledger in ledgers {
            var rest = Membership(Namespace(ledger.namespace), isWanted: false, ledger: ledger)
            rest.state = .gone
            memberships.append(rest)
        }
        renewNamespacesDue()
    }

    /// The namespace for calls that name none.
    var firstNamespace: String { memberships.first?.name ?? "/" }

    func membership(of name: String) -> Int? {
        for index in memberships.indices where memberships[index].name == name { return index }
        return nil
    }

    mutating func renewNamespacesDue() { namespacesDue = memberships.lazy.compactMap(\.deadline).min() }
}

// MARK: - The end

extension SocketIOClient {
    /// Leaves every namespace permanently and requests the close of the socket. Waiting events are given up.
    public mutating func disconnect(into effects: inout [Effect]) {
        if case .finished = state { return }
        for index in memberships.indices where memberships[index].isJoined && memberships[index].isWanted {
            effects.append(.send(SocketIO.Packet.disconnect(namespace: memberships[index].name).message))
        }
        for index in memberships.indices { memberships[index].end(into: &effects) }
        finish(.requested, into: &effects)
    }

    /// Handles the loss of the socket. Sent events will not be acknowledged.
    ///
    /// - Returns: The memory for the next client. If no further connection follows, call `Memory.abandon(into:)`.
    @discardableResult
    public mutating func socketClosed(into effects: inout [Effect]) -> Memory {
        endConnection(into: &effects)
        var memory = Memory()
        memory.ledgers = memberships.map(\.ledger)
        memberships = []
        return memory
    }

    mutating func finish(_ cause: CloseCause, into effects: inout [Effect]) {
        endConnection(into: &effects)
        effects.append(.close(cause))
    }

    private mutating func endConnection(into effects: inout [Effect]) {
        if case .finished = state { return }
        state = .finished
        engine.close()
        assembler.reset()
        for index in memberships.indices { memberships[index].disconnected(into: &effects) }
    }

    /// Ends one namespace, and the connection if it was the last wanted one.
    mutating func end(_ index: Int, _ cause: CloseCause, into effects: inout [Effect]) {
        memberships[index].end(into: &effects)
        if memberships.allSatisfy({ $0.isGone || !$0.isWanted }) { finish(cause, into: &effects) }
        renewNamespacesDue()
    }
}

// MARK: - Time

extension SocketIOClient {
    /// Performs the steps that are due up to `now`, each at its own deadline.
    public mutating func advance(to now: Moment, into effects: inout [Effect]) {
        while let due = deadline, due <= now { fire(due, into: &effects) }
        self.now = max(self.now, now)
    }

    private mutating func fire(_ due: Moment, into effects: inout [Effect]) {
        now = due
        if unreadSince == nil, let namespacesDue, namespacesDue <= due { fireNamespaces(into: &effects) }
        switch state {
        case .opening(let until):
            if until <= due { finish(.handshakeTimeout, into: &effects) }
        case .listening(let handshake, let until, let answersBy):
            if until <= due { begin(handshake, answersBy: answersBy, into: &effects) }
        case .open:
            guard let beat = engine.deadline, beat <= due else { break }
            do throws(EngineIOClient.Silence) {
                if let message = try engine.fire(at: due) { effects.append(.send(message)) }
            } catch {
                finish(.pingTimeout, into: &effects)
            }
        case .finished:
            break
        }
    }

    private mutating func fireNamespaces(into effects: inout [Effect]) {
        for index in memberships.indices {
            memberships[index].ledger.advance(
                to: now, memberships[index].isJoined ? revision : nil, into: &effects)
            guard case .joining(let until?) = memberships[index].state, until <= now else { continue }
            guard memberships.contains(where: { $0.isJoined && $0.isWanted }) else {
                return finish(.handshakeTimeout, into: &effects)
            }
            let refusal = SocketIO.Refusal(message: "the server does not answer")
            effects.append(.refused(namespace: memberships[index].name, refusal))
            memberships[index].end(into: &effects)
        }
        renewNamespacesDue()
    }
}
