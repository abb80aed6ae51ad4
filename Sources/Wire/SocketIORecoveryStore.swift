import JSONText

/// The server's memory of clients that were cut off, so that they can be given what they missed (1.12): the sessions of those that are
/// away, and the packets that were sent since, each with its offset.
///
/// One for all connections of a server. Pure like everything here: it is told the time. Both its lists are bounded; what goes for want of room is
/// the oldest, and a client that asks for more than is left joins anew, as after `maximumAbsence`.
public struct SocketIORecoveryStore: Sendable {
    /// The bounds.
    public struct Configuration: Hashable, Sendable {
        /// How long a session and a packet are kept.
        public var maximumAbsence: Duration
        /// How many packets are kept.
        public var maximumPackets: Int
        /// How many bytes they hold together.
        public var maximumBytes: Int
        /// How many sessions are kept.
        public var maximumSessions: Int
        /// Bounds; the time is the JavaScript server's.
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

    /// A client in a namespace, as it was when it was cut off.
    public struct Session: Hashable, Sendable {
        /// Its id in the namespace.
        public var sid: String
        /// The secret id it asks with.
        public var pid: String
        /// The namespace.
        public var namespace: String
        /// The rooms it was in; its own `sid` is one that need not be named.
        public var rooms: [String]
        /// A session.
        public init(sid: String, pid: String, namespace: String, rooms: [String] = []) {
            self.sid = sid
            self.pid = pid
            self.namespace = namespace
            self.rooms = rooms
        }
    }

    /// A session that was taken up again.
    public struct Restored: Hashable, Sendable {
        /// The session.
        public var session: Session
        /// What it missed, in order, offsets included.
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
    /// The calendar's milliseconds at the start of the clock.
    private let epoch: Int64
    private var packets: ArraySlice<Packet> = []
    private var bytes = 0
    private var sessions: [String: (session: Session, lostAt: Moment)] = [:]
    /// The sessions, oldest first; those that were taken up again are passed over.
    private var order: ArraySlice<(pid: String, lostAt: Moment)> = []
    private var last: RecoveryOffset?

    /// An empty store. `epoch` is the calendar's milliseconds at `Moment.zero`: offsets of a server that was started again are to follow
    /// those before.
    public init(_ configuration: Configuration = Configuration(), epoch: Int64) {
        self.configuration = configuration
        self.epoch = epoch
    }

    /// Keeps an event that goes to everybody in these rooms (none: to everybody in the namespace), which must be neither volatile nor ask for
    /// an acknowledgement. Gives the event to send: the offset is its last argument now.
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

    /// A client was cut off: its session is kept.
    public mutating func save(_ session: Session, at now: Moment) {
        sessions[session.pid] = (session, now)
        order.append((session.pid, now))
        forget(at: now)
    }

    /// A client asks for its session; nil when it is unknown, or away for too long, or packets behind `offset` are gone. It can be
    /// asked for once.
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
