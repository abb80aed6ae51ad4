import JSONText

/// The server's memory of disconnected clients, with which they can receive what they missed (Socket.IO SIO-16): the
/// sessions of absent clients, and the packets sent since, each with its offset.
///
/// One store serves all connections of a server. Like the other types of this module, it is pure and receives the time
/// as a parameter. Both its lists are bounded and drop the oldest entries first. A client that asks for more than is
/// left joins as a new one, as it does after `maximumAbsence`.
public struct SocketIORecoveryStore: Sendable {
    /// The limits of a store.
    public struct Configuration: Hashable, Sendable {
        /// How long to keep a session or a packet.
        public var maximumAbsence: Duration
        /// The maximum number of packets to keep.
        public var maximumPackets: Int
        /// The maximum total size of the packets, in bytes.
        public var maximumBytes: Int
        /// The maximum number of sessions to keep.
        public var maximumSessions: Int
        /// Creates limits. The default time is that of the JavaScript server.
        public init(
            maximumAbsence: Duration = .seconds(120), maximumPackets: Int = 20_000, maximumBytes: Int = 32 << 20,
            maximumSessions: Int = 10_000
        ) {
            self.maximumAbsence = maximumAbsence
            self.maximumPackets = maximumPackets
            self.maximumBytes = maximumBytes
            self.maximumSessions = maximumSessions
        }
    }

    /// A client's session in a namespace, as it was when the client was disconnected.
    public struct Session: Hashable, Sendable {
        /// The client's id in the namespace.
        public var sid: String
        /// The secret id with which the client requests recovery.
        public var pid: String
        /// The namespace of the session.
        public var namespace: String
        /// The rooms that the client was in. Its own `sid` is one of them and need not be listed.
        public var rooms: [String]
        /// Creates a session to be saved in a store.
        public init(sid: String, pid: String, namespace: String, rooms: [String] = []) {
            self.sid = sid
            self.pid = pid
            self.namespace = namespace
            self.rooms = rooms
        }
    }

    /// A recovered session and its missed events.
    public struct Restored: Hashable, Sendable {
        /// The session, as it was saved.
        public var session: Session
        /// The missed events in order, including their offsets.
        public var missed: [SocketIO.Emission]
    }

    private struct Packet {
        var emission: SocketIO.Emission
        var namespace: String
        var rooms: [String]
        var offset: RecoveryOffset
        var sentAt: Moment
        var weight: Int
    }

    private let configuration: Configuration
    /// The Unix time in milliseconds at the start of the clock.
    private let epoch: Int64
    private var packets: ArraySlice<Packet> = []
    private var bytes = 0
    private var sessions: [String: (session: Session, lostAt: Moment)] = [:]
    /// The sessions, oldest first. Entries of recovered sessions are skipped.
    private var order: ArraySlice<(pid: String, lostAt: Moment)> = []
    private var last: RecoveryOffset?

    /// Creates an empty store.
    ///
    /// `epoch` is the calendar time in milliseconds at `Moment.zero`, so that the offsets of a restarted server follow
    /// the earlier ones.
    public init(_ configuration: Configuration = Configuration(), epoch: Int64) {
        self.configuration = configuration
        self.epoch = epoch
    }

    /// Keeps an event that is sent to everyone in these rooms, or to everyone in the namespace if `rooms` is empty. The
    /// event must not be volatile or request an acknowledgement.
    ///
    /// - Returns: The event to send, with the offset as its last argument.
    public mutating func record(
        _ emission: SocketIO.Emission, to rooms: [String] = [], at now: Moment
    ) -> SocketIO.Emission {
        let milliseconds = epoch + now.microseconds / 1000
        var offset = RecoveryOffset(milliseconds: milliseconds, counter: 0)
        if let last, !offset.follows(last) {
            offset = RecoveryOffset(milliseconds: last.milliseconds, counter: last.counter + 1)
        }
        last = offset
        let marked = emission.with(offset: offset)
        let packet = Packet(
            emission: marked, namespace: SocketIO.namespaceName(emission.namespace ?? "/"), rooms: rooms,
            offset: offset, sentAt: now, weight: marked.weight + 200)
        packets.append(packet)
        bytes += packet.weight
        forget(at: now)
        return marked
    }

    /// Keeps the session of a client that was disconnected.
    public mutating func save(_ session: Session, at now: Moment) {
        sessions[session.pid] = (session, now)
        order.append((session.pid, now))
        forget(at: now)
    }

    /// Returns the session that a client requests, and removes it from the store.
    ///
    /// Returns `nil` if the session is unknown or too old, or if the packet with this `offset` is no longer kept.
    public mutating func restore(
        pid: String, offset: String, namespace: String, at now: Moment
    ) -> Restored? {
        forget(at: now)
        guard let (session, _) = sessions[pid], session.namespace == namespace,
            let place = packets.firstIndex(where: { $0.offset.text == offset && $0.namespace == namespace })
        else { return nil }
        sessions[pid] = nil
        let missed = packets[(place + 1)...].filter { packet in
            packet.namespace == namespace
                && (packet.rooms.isEmpty
                    || packet.rooms.contains { $0 == session.sid || session.rooms.contains($0) })
        }
        return Restored(session: session, missed: missed.map(\.emission))
    }

    private mutating func forget(at now: Moment) {
        let limit = configuration.maximumAbsence
        while let first = packets.first,
            first.sentAt + limit < now || packets.count > configuration.maximumPackets
                || bytes > configuration.maximumBytes
        {
            bytes -= first.weight
            packets.removeFirst()
        }
        while let first = order.first,
            first.lostAt + limit < now || order.count > configuration.maximumSessions
        {
            if sessions[first.pid]?.lostAt == first.lostAt { sessions[first.pid] = nil }
            order.removeFirst()
        }
    }
}

extension SocketIO.Emission {
    fileprivate func with(offset: RecoveryOffset) -> SocketIO.Emission {
        var marked = self
        var list = arguments.map { Array($0.bytes) } ?? []
        if !list.isEmpty { list.append(UInt8(ascii: ",")) }
        list += "\"\(offset.text)\"".utf8
        marked.arguments = .init(unchecked: list[...])
        return marked
    }
}
