public import JSONText

extension SocketIO {
    /// What becomes of an event that is emitted while its namespace is not joined.
    public enum Delivery: Hashable, Sendable {
        /// At most once, now or not at all: dropped while the namespace is not joined.
        case volatile
        /// At most once: waits in a bounded buffer until the namespace is joined, over a reconnect too.
        case buffered
        /// At least once: such events leave one at a time, in order, each when the one before it is acknowledged or given up.
        /// One that is not acknowledged within `timeout` is sent again, and after a reconnect too, `attempts` times at most.
        case retried(attempts: Int, timeout: Duration)
    }

    /// Whether an event asks for an acknowledgement. Retried events always do, by their own timeout.
    public enum AckRequest: Hashable, Sendable {
        /// No.
        case none
        /// Yes, whenever it comes.
        case unlimited
        /// Yes; past this time, counted from the emit, it is given up.
        case within(Duration)
    }

    /// Which event goes when the buffer of those that wait is full.
    public enum OverflowPolicy: Hashable, Sendable {
        /// The new one is not taken.
        case refuseNewest
        /// The oldest ones make room.
        case dropOldest
    }

    /// An event to be sent.
    public struct Emission: Hashable, Sendable {
        /// The event's name, not one of the reserved ones (`isReserved`).
        public var name: String
        /// The arguments, JSON values separated by commas; nil for none.
        public var arguments: RawJSON?
        /// What the placeholders in the arguments stand for.
        public var attachments: [ArraySlice<UInt8>]
        /// The namespace; nil for the connection's first.
        public var namespace: String?
        /// What becomes of it while the namespace is not joined.
        public var delivery: Delivery
        /// Whether an acknowledgement is wanted.
        public var ack: AckRequest

        /// An event of JSON values separated by commas.
        public init(
            _ name: String, arguments: RawJSON? = nil, attachments: [ArraySlice<UInt8>] = [],
            namespace: String? = nil, delivery: Delivery = .buffered, ack: AckRequest = .none
        ) {
            self.name = name
            self.arguments = arguments
            self.attachments = attachments
            self.namespace = namespace
            self.delivery = delivery
            self.ack = ack
        }

        /// An event of arguments that may hold bytes.
        public init(
            _ name: String, _ arguments: Arguments, namespace: String? = nil, delivery: Delivery = .buffered,
            ack: AckRequest = .none
        ) {
            self.init(
                name, arguments: arguments.list, attachments: arguments.attachments, namespace: namespace,
                delivery: delivery, ack: ack)
        }
    }
}

extension SocketIO.Emission {
    /// Bytes it holds, near enough for a bound.
    var weight: Int {
        attachments.reduce(name.utf8.count + (arguments?.bytes.count ?? 0)) { $0 + $1.count }
    }

    /// Its messages, the text first.
    func messages(to namespace: String, id: Int? = nil, _ revision: EngineIO.Revision) -> [WebSocketMessage] {
        let text = SocketIO.Packet.eventMessage(
            name, arguments: arguments, attachments: attachments.count, namespace: namespace, id: id)
        return [text] + attachments.map { EngineIO.packet(of: .binary($0), revision) }
    }

    /// Adds its messages to the effects.
    func send(
        to namespace: String, id: Int?, _ revision: EngineIO.Revision, into effects: inout [SocketIOClient.Effect]
    ) {
        effects += messages(to: namespace, id: id, revision).map(SocketIOClient.Effect.send)
    }
}
