public import JSONText

extension BayeuxServer {
    /// What the machine is told once.
    public struct Configuration: Hashable, Sendable {
        /// How long a connect is held; sessions live twice as long.
        public var timeout: Duration
        /// The least time clients are advised to let pass between connects.
        public var interval: Duration
        /// How many sessions there may be; handshakes beyond are refused.
        public var mostSessions: Int
        /// How many channels a session may subscribe to.
        public var mostSubscriptions: Int
        /// How many messages may wait for a session, and how many bytes of them: beyond, the session ends, so that its client knows
        /// that something is missing.
        public var mostQueued: Int
        /// The bytes of that.
        public var mostQueuedBytes: Int
        /// A configuration.
        public init(
            timeout: Duration = .seconds(60), interval: Duration = .zero, mostSessions: Int = 3000,
            mostSubscriptions: Int = 1000, mostQueued: Int = 4096, mostQueuedBytes: Int = 8 << 20
        ) {
            self.timeout = timeout
            self.interval = interval
            self.mostSessions = mostSessions
            self.mostSubscriptions = mostSubscriptions
            self.mostQueued = mostQueued
            self.mostQueuedBytes = mostQueuedBytes
        }
    }

    /// What a client asks for that a backend may refuse.
    public enum Request: Hashable, Sendable {
        /// To receive what is published on a channel or pattern; with the message's `ext`, which may hold a token.
        case subscribe(Bayeux.Channel, ext: RawJSON?)
        /// To publish on a channel; with the message's `ext`.
        case publish(Bayeux.Channel, RawJSON, ext: RawJSON?)
    }

    /// Why a request is refused, in the words the client is told; nil to allow it.
    public typealias Policy = (Request) -> String?

    /// What the machine wants done, in this order.
    public enum Effect: Hashable, Sendable {
        /// Send a frame on a WebSocket, or answer an exchange with it.
        case send(link: Int, [UInt8])
        /// Answer an exchange with this status: its body was no frame.
        case refuse(link: Int, status: Int)
        /// Close a WebSocket in order (code 1000).
        case close(link: Int)
        /// Something the backend may like to know.
        case occasion(Occasion)
    }

    /// What became of a session; they are known by numbers that count up.
    public enum Occasion: Hashable, Sendable {
        /// A client shook hands.
        case began(session: Int)
        /// It subscribed to a channel.
        case subscribed(session: Int, Bayeux.Channel)
        /// It left one.
        case unsubscribed(session: Int, Bayeux.Channel)
        /// Something was published, by a client without a session, too.
        case published(session: Int?, Bayeux.Channel, RawJSON)
        /// It said good-bye, or was silent for too long.
        case ended(session: Int)
    }
}
