public import JSONText

extension SocketIOClient {
    /// A namespace to join.
    public struct Namespace: Hashable, Sendable {
        /// Its name, `/` for the default one; over Engine.IO 3 it may carry a query, `/admin?token=1`.
        public var name: String
        /// The CONNECT payload of Engine.IO 4, a JSON object, when the backend wants one.
        public var auth: RawJSON?
        /// A namespace to join.
        public init(_ name: String = "/", auth: RawJSON? = nil) {
            self.name = name
            self.auth = auth
        }
    }

    /// What the machine is told once. A new connection has a new machine, so what is to be made afresh for every attempt (`auth`) is made
    /// afresh with it.
    public struct Configuration: Hashable, Sendable {
        /// The Engine.IO revision spoken.
        public var revision: EngineIO.Revision
        /// Whether that is a guess. If the server then turns out to speak 3, the client goes on in it on the same connection, provided that
        /// it has not asked for a namespace yet.
        public var detectsRevision = false
        /// The namespaces joined as soon as the session is open. The first one is meant where none is named.
        public var namespaces: [Namespace]
        /// How long the open packet and the namespaces' answers may take, together; and the answer of one joined later.
        public var handshakeTimeout: Duration
        /// Which event goes when too many wait for their namespace.
        public var overflow: SocketIO.OverflowPolicy
        /// What a packet may hold: one that has more is refused, and its attachments are passed over.
        public var limits = Limits()
        /// A configuration.
        public init(
            revision: EngineIO.Revision, namespaces: [Namespace], handshakeTimeout: Duration = .seconds(20),
            overflow: SocketIO.OverflowPolicy = .refuseNewest
        ) {
            self.revision = revision
            self.namespaces = namespaces
            self.handshakeTimeout = handshakeTimeout
            self.overflow = overflow
        }
        /// A configuration of one namespace.
        public init(
            revision: EngineIO.Revision, namespace: String = "/", auth: RawJSON? = nil,
            handshakeTimeout: Duration = .seconds(20)
        ) {
            self.init(
                revision: revision, namespaces: [Namespace(namespace, auth: auth)], handshakeTimeout: handshakeTimeout)
        }
    }

    /// A namespace that was joined.
    public struct Joined: Hashable, Sendable {
        /// The namespace's name.
        public var namespace: String
        /// The id the server knows us by in it; Engine.IO 3 does not tell it.
        public var id: String?
        /// Whether the server took up the session of the connection before: what was missed is delivered right after this.
        public var isRecovered: Bool
        /// How many events came before the server's answer; they follow. Of a session taken up again they are those that were missed.
        public var early = 0
        /// The facts of the session below.
        public var handshake: EngineIO.Handshake
    }

    /// An event that was not sent.
    public struct Dropped: Hashable, Sendable {
        /// The event.
        public var emission: SocketIO.Emission
        /// Its namespace.
        public var namespace: String
        /// The ack id that was given for it, if one was: it will not be acknowledged.
        public var id: Int?
        /// Why.
        public var cause: DropCause
    }

    /// Why an event was not sent.
    public enum DropCause: Hashable, Sendable {
        /// It was volatile and the namespace not joined, or nobody will join the namespace any more.
        case notJoined
        /// Too much waits already (4096 events, 16 MiB in a namespace).
        case overflow
        /// The time for its acknowledgement was up before it could be sent.
        case timeout
        /// The machine was finished.
        case finished
    }

    /// Why an event that was sent will not be acknowledged any more.
    public enum AckFailure: Hashable, Sendable {
        /// No answer in time (of a retried event: to its last attempt).
        case timeout
        /// The connection or the namespace ended first.
        case disconnected
        /// Too many acknowledgements are waited for: this one was the oldest of 16,384.
        case overflow
    }

    /// What the machine wants done, in this order.
    ///
    /// An ack id that `emit` gave meets one end: `.acknowledged`, `.unacknowledged` or `.dropped`.
    public enum Effect: Hashable, Sendable {
        /// Send this WebSocket message.
        case send(WebSocketMessage)
        /// A namespace is joined; events that came before the answer follow, and those that waited are sent.
        indirect case connected(Joined)
        /// A namespace was refused; what waited for it is given up. The others go on.
        case refused(namespace: String, SocketIO.Refusal)
        /// An event arrived.
        case event(SocketIO.Event)
        /// An emit that asked for it was acknowledged, by the id `emit` gave.
        case acknowledged(SocketIO.Acknowledgement)
        /// An emit that asked for it will not be acknowledged any more.
        case unacknowledged(namespace: String, id: Int, AckFailure)
        /// An event was not sent.
        indirect case dropped(Dropped)
        /// The server took us out of a namespace (`41`), or closed the session (`1`).
        case disconnected(namespace: String)
        /// A frame was refused; the machine goes on where the tables of 1.14 tolerate it.
        case malformed(SocketIO.Malformed)
        /// Close the WebSocket: the machine is finished.
        case close(CloseCause)
    }

    /// Why the machine wants the socket closed.
    public enum CloseCause: Hashable, Sendable {
        /// The server was silent for longer than its handshake allows.
        case pingTimeout
        /// No open packet or no answer to CONNECT in time.
        case handshakeTimeout
        /// The first frames are not Engine.IO.
        case notEngineIO(SocketIO.Malformed)
        /// The server speaks Engine.IO 3 though 4 was asked for (1.3 version detection): connect again with 3.
        case revisionMismatch(EngineIO.Revision)
        /// The server sent what leaves open which frames belong together.
        case outOfStep(SocketIO.Malformed)
        /// The server's packets are msgpack, not text: its application uses a parser that Weir does not speak.
        case msgpack
        /// `disconnect` was called, or the last namespace left.
        case requested
        /// The server ended the session, or took us out of the last namespace, or refused it.
        case byServer
    }
}
