public import JSONText

extension SocketIO {
    /// What happens to an event that is emitted while its namespace is not joined.
    public enum Delivery: Hashable, Sendable {
        /// At most once, immediately or never: dropped while the namespace is not joined.
        case volatile
        /// At most once: waits in a bounded buffer until the namespace is joined, even across a reconnect.
        case buffered
        /// At least once: sent one at a time, in order, each after the previous one is acknowledged or given up. An
        /// event that is not acknowledged within `timeout` is sent again, even after a reconnect, with at most
        /// `attempts` attempts.
        case retried(attempts: Int, timeout: Duration)
    }

    /// Whether an event requests an acknowledgement. A retried event always does, with its own timeout.
    public enum AckRequest: Hashable, Sendable {
        /// Do not request an acknowledgement.
        case none
        /// Request an acknowledgement, without a time limit.
        case unlimited
        /// Request an acknowledgement, and give it up after this time, counted from the emit.
        case within(Duration)
    }

    /// Which event to drop when the buffer of waiting events is full.
    public enum OverflowPolicy: Hashable, Sendable {
        /// Reject the new event instead.
        case refuseNewest
        /// Drop the oldest events to make room for the new one.
        case dropOldest
    }

    /// An event to be sent.
    public struct Emission: Hashable, Sendable {
        /// The event's name. It must not be reserved (see `isReserved`).
        public var name: String
        /// The arguments as JSON values separated by commas, or `nil` for none.
        public var arguments: RawJSON?
        /// The attachments for the placeholders in the arguments.
        public var attachments: [ArraySlice<UInt8>]
        /// The namespace; `nil` for the connection's first one.
        public var namespace: String?
        /// What happens to the event while the namespace is not joined.
        public var delivery: Delivery
        /// Whether the event requests an acknowledgement.
        public var ack: AckRequest

        /// Creates an event from JSON values separated by commas.
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

        /// Creates an event from arguments that may contain bytes.
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
    /// The approximate size in bytes, for limits.
    var weight: Int {
        attachments.reduce(name.utf8.count + (arguments?.bytes.count ?? 0)) { $0 + $1.count }
    }

    /// Returns the messages of the event: the text first, then the attachments.
    func messages(to namespace: String, id: Int? = nil, _ revision: EngineIO.Revision) -> [WebSocketMessage] {
        let text = SocketIO.Packet.eventMessage(
            name, arguments: arguments, attachments: attachments.count, namespace: namespace, id: id)
        return [text] + attachments.map { EngineIO.packet(of: .binary($0), revision) }
    }

    /// Appends the messages of the event to the effects.
    func send(
        to namespace: String, id: Int?, _ revision: EngineIO.Revision, into effects: inout [SocketIOClient.Effect]
    ) {
        effects += messages(to: namespace, id: id, revision).map(SocketIOClient.Effect.send)
    }
}
