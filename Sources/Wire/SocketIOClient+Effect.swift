public import JSONText

extension SocketIOClient {
    /// A namespace to join, with the credentials for it.
    public struct Namespace: Hashable, Sendable {
        /// The name; `/` for the default namespace. Over Engine.IO 3 it may have a query, `/admin?token=1`.
        public var name: String
        /// The CONNECT payload of Engine.IO 4, a JSON object, if the backend requires one.
        public var auth: RawJSON?
        /// Creates a namespace to join. By default, it is the default namespace without a payload.
        public init(_ name: String = "/", auth: RawJSON? = nil) {
            self.name = name
            self.auth = auth
        }
    }

    /// The settings of a client, fixed when it is created.
    ///
    /// Each connection has a new client, so values that must be fresh for every attempt (`auth`) are created with it.
    public struct Configuration: Hashable, Sendable {
        /// The Engine.IO revision to use.
        public var revision: EngineIO.Revision
        /// Whether the revision is a guess. If the server turns out to use revision 3, the client switches to it on the
        /// same connection, provided that it has not requested a namespace yet.
        public var detectsRevision = false
        /// The namespaces to join when the session opens. The first one is the default for calls that name no
        /// namespace.
        public var namespaces: [Namespace]
        /// How long the open packet and the answers for the namespaces may take together, and the answer for a
        /// namespace joined later.
        public var handshakeTimeout: Duration
        /// Which event to drop when too many wait for their namespace.
        public var overflow: SocketIO.OverflowPolicy
        /// The limits on a packet. A packet that exceeds one is rejected, and its attachments are ignored.
        public var limits = Limits()
        /// Creates a configuration for several namespaces.
        public init(
            revision: EngineIO.Revision, namespaces: [Namespace], handshakeTimeout: Duration = .seconds(20),
            overflow: SocketIO.OverflowPolicy = .refuseNewest
        ) {
            self.revision = revision
            self.namespaces = namespaces
            self.handshakeTimeout = handshakeTimeout
            self.overflow = overflow
        }
        /// Creates a configuration for a single namespace.
        public init(
            revision: EngineIO.Revision, namespace: String = "/", auth: RawJSON? = nil,
            handshakeTimeout: Duration = .seconds(20)
        ) {
            self.init(
                revision: revision, namespaces: [Namespace(namespace, auth: auth)], handshakeTimeout: handshakeTimeout)
        }
    }

    /// The result of joining a namespace.
    public struct Joined: Hashable, Sendable {
        /// The name of the joined namespace.
        public var namespace: String
        /// The server's id for this client in the namespace. Engine.IO 3 does not send it.
        public var id: String?
        /// Whether the server recovered the session of the previous connection. The missed events follow directly.
        public var isRecovered: Bool
        /// The number of events that arrived before the server's answer. They follow. In a recovered session they are
        /// the missed events.
        public var early = 0
        /// The handshake of the Engine.IO session.
        public var handshake: EngineIO.Handshake
    }

    /// An event that was not sent.
    public struct Dropped: Hashable, Sendable {
        /// The event as it was emitted.
        public var emission: SocketIO.Emission
        /// The namespace to which it was emitted.
        public var namespace: String
        /// Its acknowledgement id, if it has one. It will not be acknowledged.
        public var id: Int?
        /// The reason why the event was not sent.
        public var cause: DropCause
    }

    /// The reasons for which an event is not sent.
    public enum DropCause: Hashable, Sendable {
        /// The event was volatile and the namespace not joined, or the namespace will not be joined again.
        case notJoined
        /// Too many events are already waiting (4096 events or 16 MiB in a namespace).
        case overflow
        /// The time for its acknowledgement expired before it could be sent.
        case timeout
        /// The client has finished and sends nothing more.
        case finished
    }

    /// The reasons for which a sent event will not be acknowledged.
    public enum AckFailure: Hashable, Sendable {
        /// No answer arrived in time. For a retried event: to its last attempt.
        case timeout
        /// The connection or the namespace ended first.
        case disconnected
        /// Too many acknowledgements are pending; this one was the oldest of 16,384.
        case overflow
    }

    /// The driver performs the effects in this order.
    ///
    /// Each acknowledgement id that `emit` returned ends with exactly one `.acknowledged`, `.unacknowledged` or
    /// `.dropped`.
    public enum Effect: Hashable, Sendable {
        /// Send this WebSocket message to the server.
        case send(WebSocketMessage)
        /// A namespace is joined. Events that arrived before the answer follow, and waiting events are sent.
        indirect case connected(Joined)
        /// The server refused a namespace. Events waiting for it are given up; the other namespaces continue.
        case refused(namespace: String, SocketIO.Refusal)
        /// An event from the server arrived.
        case event(SocketIO.Event)
        /// The server acknowledged an emitted event, by the id that `emit` returned.
        case acknowledged(SocketIO.Acknowledgement)
        /// An emitted event that requested an acknowledgement will not receive one.
        case unacknowledged(namespace: String, id: Int, AckFailure)
        /// An emitted event was not sent.
        indirect case dropped(Dropped)
        /// The server removed the client from a namespace (`41`), or closed the session (`1`).
        case disconnected(namespace: String)
        /// A frame was rejected. The client continues if the tables of Socket.IO SIO-19 tolerate it.
        case malformed(SocketIO.Malformed)
        /// Close the WebSocket; the client has finished.
        case close(CloseCause)
    }

    /// The reason why the client wants the socket closed.
    public enum CloseCause: Hashable, Sendable {
        /// The server was silent for longer than its handshake allows.
        case pingTimeout
        /// The open packet or an answer to CONNECT did not arrive in time.
        case handshakeTimeout
        /// The first frames are not Engine.IO.
        case notEngineIO(SocketIO.Malformed)
        /// The server uses Engine.IO 3, although 4 was requested (Engine.IO EIO-14). Reconnect with revision 3.
        case revisionMismatch(EngineIO.Revision)
        /// After a server's error, it is unclear which frames belong together.
        case outOfStep(SocketIO.Malformed)
        /// The server's packets are MessagePack instead of text: its application uses a parser that Weir does not
        /// support.
        case msgpack
        /// The caller called `disconnect(into:)`, or left the last namespace.
        case requested
        /// The server ended the session, removed the client from the last namespace, or refused it.
        case byServer
    }
}
