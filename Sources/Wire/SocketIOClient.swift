/// The client's end of one Socket.IO connection over one packet stream: Engine.IO handshake and heartbeats, namespaces, events, acks.
///
/// A machine: give it what the socket gave and the time; it answers with effects. A new connection needs a new machine, which is given
/// the `Memory` of the one before.
///
/// ```
/// opening ──open packet──► open ──any .close effect──► finished
///    │  └──► listening ───────┘                            │
///    └────────────────────── any .close effect ────────────┘
/// ```
///
/// `listening` waits for a server of Engine.IO 3 that ignores the revision asked for (1.3). Such a server joins the client to `/` by itself, and
/// a CONNECT for `/` would open a second session in its application.
///
/// While it is open, each namespace goes its own way (`Membership.State`). On Engine.IO 4 the machine sends CONNECT and the answer must
/// carry a `sid`; on Engine.IO 3 the server joins us to `/` unasked, and CONNECT is sent for other namespaces only. Nothing is
/// sent to a namespace before its answer: emits wait and leave in order. Events that come before the answer are held back and
/// delivered after it. One refused namespace leaves the others as they are; without any left the machine asks for the close.
///
/// Tolerant as its peers are where a frame can be left out: unreadable packets, packets for nobody, binary messages nothing
/// announced and placeholders without their attachment are reported and passed over, with the attachments they announce. A text
/// message while attachments are due is not: nobody can tell what the binary messages after it belong to, so the machine asks
/// for the close (`.outOfStep`), as the reference client does at every malformed packet.
///
/// Timers fire in `advance(to:into:)` only: a message in hand is handled even if it comes late, as it proves that the server
/// lives. After a `.close` effect the machine is finished: it takes everything and answers nothing.
public struct SocketIOClient: Sendable {
    enum State {
        /// No open packet yet. Follows: listening, open, finished.
        case opening(until: Moment)
        /// The open packet came, and no namespace is asked for yet: a server of Engine.IO 3 sends its own CONNECT. `answersBy`: the deadline
        /// for the namespaces' answers. Follows: open, finished.
        indirect case listening(EngineIO.Handshake, until: Moment, answersBy: Moment)
        /// The session is open. Follows: finished.
        indirect case open(EngineIO.Handshake)
        /// Nothing more will happen.
        case finished
    }

    var state: State
    var engine: EngineIOClient
    /// The revision asked for, or the one that the server turned out to speak.
    public internal(set) var revision: EngineIO.Revision
    let configuration: Configuration
    /// The configured namespaces first, in their order. Names are unique.
    var memberships: [Membership] = []
    var assembler: AttachmentAssembler
    /// The latest moment the machine was told of.
    var now: Moment
    /// When the first of the namespaces has something due. Kept, since `deadline` is asked for at every message.
    var namespacesDue: Moment?

    /// Whether the server opened the session, and has not said a word of a namespace since.
    public internal(set) var isUnanswered = false

    /// Since when the socket is not read.
    private var unreadSince: Moment?

    /// When `advance(to:into:)` wants to be called next; nil when nothing is timed.
    public var deadline: Moment? {
        switch state {
        case .opening(let until), .listening(_, let until, _):
            unreadSince == nil ? earlier(until, namespacesDue) : nil
        case .open: unreadSince == nil ? earlier(engine.deadline, namespacesDue) : engine.deadline
        case .finished: nil
        }
    }

    /// The socket is read, or not: the server has as much longer for what it is asked.
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

    /// A machine for a packet stream that opened at `now`, which goes on from what the one before left behind.
    ///
    /// No namespace may hold a comma: it ends the name.
    public init(_ configuration: Configuration, memory: Memory = Memory(), openedAt now: Moment) {
        self.configuration = configuration
        assembler = AttachmentAssembler(room: configuration.limits.attachments)
        self.now = now
        revision = configuration.revision
        engine = EngineIOClient(configuration.revision)
        state = .opening(until: now + configuration.handshakeTimeout)
        var ledgers = memory.ledgers
        for namespace in configuration.namespaces {
            precondition(SocketIO.isNamespace(namespace.name), "a namespace cannot hold a comma: it ends the name")
            let name = SocketIO.NamespaceAddress(namespace.name).name
            precondition(membership(of: name) == nil, "the namespace \(name) is asked for twice")
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

    /// The name of the namespace that is meant where none is named.
    var firstNamespace: String { memberships.first?.name ?? "/" }

    func membership(of name: String) -> Int? {
        for index in memberships.indices where memberships[index].name == name { return index }
        return nil
    }

    mutating func renewNamespacesDue() { namespacesDue = memberships.lazy.compactMap(\.deadline).min() }
}

// MARK: - The end

extension SocketIOClient {
    /// Leaves every namespace for good and asks for the socket to be closed: nothing that waits is kept.
    public mutating func disconnect(into effects: inout [Effect]) {
        if case .finished = state { return }
        for index in memberships.indices where memberships[index].isJoined && memberships[index].isWanted {
            effects.append(.send(SocketIO.Packet.disconnect(namespace: memberships[index].name).message))
        }
        for index in memberships.indices { memberships[index].end(into: &effects) }
        finish(.requested, into: &effects)
    }

    /// The socket is gone: what was sent will not be acknowledged any more. Gives what is to be kept for the next machine; who makes
    /// none gives it up by `Memory.abandon`.
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

    /// Ends one namespace, and the connection when it was the last that anybody wanted.
    mutating func end(_ index: Int, _ cause: CloseCause, into effects: inout [Effect]) {
        memberships[index].end(into: &effects)
        if memberships.allSatisfy({ $0.isGone || !$0.isWanted }) { finish(cause, into: &effects) }
        renewNamespacesDue()
    }
}

// MARK: - Time

extension SocketIOClient {
    /// Does what is due up to `now`, each at its own deadline.
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
