import WeirJSON

/// The last event received in one namespace, with which the server can resend missed events after a reconnect
/// (Socket.IO SIO-15).
///
/// The server appends an ordered offset to every event without an acknowledgement request, except volatile ones; the
/// wire format does not distinguish the two. The reference client takes every trailing string for an offset, so a
/// volatile event that ends with a string breaks the next recovery. Here, a string counts only if it has the form of an
/// offset and follows the last offset by at most thirty days. One that does not is doubtful, and counts only if the
/// next offset follows it.
struct RecoveryPoint: Hashable, Sendable {
    private var pid: String?
    private var offset: RecoveryOffset?
    private var doubted: RecoveryOffset?
    /// Whether the client has requested the session again.
    private var isAsking = false

    /// Whether to look for offsets in events.
    var isTracking: Bool { pid != nil }

    /// Returns what CONNECT must contain to recover the session, or `nil` if no session or no event of it is known.
    /// Call `answered(pid:)` after the server answers.
    mutating func ask() -> (pid: String, offset: String)? {
        isAsking = false
        guard let pid, let offset else { return nil }
        isAsking = true
        return (pid, offset.text)
    }

    /// Handles the answer to CONNECT. Returns whether the server recovered the requested session.
    mutating func answered(pid: String?) -> Bool {
        let isRecovered = isAsking && pid != nil && pid == self.pid
        if !isRecovered { (offset, doubted) = (nil, nil) }
        self.pid = pid
        isAsking = false
        return isRecovered
    }

    /// Notes an event without an acknowledgement request. Returns whether its last argument is an offset.
    mutating func follow(_ event: SocketIO.Event) -> Bool {
        guard let last = event.arguments.last, let next = RecoveryOffset(last.bytes) else {
            return false
        }
        if let offset, !next.follows(offset) {
            guard let doubted, next.follows(doubted) else {
                doubted = next
                return false
            }
        }
        offset = next
        doubted = nil
        return true
    }
}

/// An offset in the format of the JavaScript servers: the time in milliseconds and a counter.
///
/// The in-memory adapter writes the time in base 64 (`Q7x1cUD`; seven digits from 2004 to 2109), and adds a dot and a
/// counter if one millisecond has several offsets. The adapters over Redis streams write both in decimal, with a hyphen
/// between them.
struct RecoveryOffset: Hashable, Sendable {
    private static let window: Int64 = 30 * 24 * 3600 * 1000

    private(set) var milliseconds: Int64
    private(set) var counter: Int64
    private(set) var text: String

    /// Parses a JSON string. Returns `nil` if it does not have the form of an offset.
    init?(_ json: ArraySlice<UInt8>) {
        guard json.count >= 9, json.count <= 40, json.first == UInt8(ascii: "\""), json.last == UInt8(ascii: "\"")
        else { return nil }
        let contents = json.dropFirst().dropLast()
        if let parts = Self.yeast(contents) ?? Self.stream(contents) {
            (milliseconds, counter) = parts
        } else {
            return nil
        }
        text = String(decoding: contents, as: UTF8.self)
    }

    /// Creates an offset in the format of the in-memory adapter. `counter` distinguishes the offsets of one
    /// millisecond.
    init(milliseconds: Int64, counter: Int64) {
        self.milliseconds = milliseconds
        self.counter = counter
        let time = Self.digits(of: milliseconds)
        text = counter == 0 ? time : "\(time).\(Self.digits(of: counter - 1))"
    }

    /// Returns whether this offset comes after `other`, and close enough to be from the same server.
    func follows(_ other: RecoveryOffset) -> Bool {
        guard (milliseconds, counter) > (other.milliseconds, other.counter) else { return false }
        return milliseconds - other.milliseconds <= Self.window
    }

    private static func yeast(_ text: ArraySlice<UInt8>) -> (Int64, Int64)? {
        let time = text.prefix { $0 != UInt8(ascii: ".") }
        guard time.count == 7, let milliseconds = number(time, base: 64) else { return nil }
        if time.endIndex == text.endIndex { return (milliseconds, 0) }
        guard let counter = number(text[time.endIndex...].dropFirst(), base: 64) else { return nil }
        return (milliseconds, counter + 1)
    }

    private static func stream(_ text: ArraySlice<UInt8>) -> (Int64, Int64)? {
        let time = text.prefix { $0 != UInt8(ascii: "-") }
        guard time.count == 13, time.endIndex != text.endIndex, let milliseconds = number(time, base: 10),
            let counter = number(text[time.endIndex...].dropFirst(), base: 10)
        else { return nil }
        return (milliseconds, counter)
    }

    private static func number(_ digits: ArraySlice<UInt8>, base: Int64) -> Int64? {
        guard !digits.isEmpty, digits.count <= (base == 64 ? 9 : 17) else { return nil }
        var value: Int64 = 0
        for digit in digits {
            guard let digit = alphabetValue(digit), digit < base else { return nil }
            value = value * base + digit
        }
        return value
    }

    /// Returns the value of a digit in the reference's order: `0-9A-Za-z-_`.
    private static func alphabetValue(_ digit: UInt8) -> Int64? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int64(digit - UInt8(ascii: "0"))
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int64(digit - UInt8(ascii: "A")) + 10
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int64(digit - UInt8(ascii: "a")) + 36
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }

    private static func digits(of value: Int64) -> String {
        let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_".utf8)
        var rest = max(value, 0)
        var digits: [UInt8] = []
        repeat {
            digits.append(alphabet[Int(rest % 64)])
            rest /= 64
        } while rest > 0
        return String(decoding: digits.reversed(), as: UTF8.self)
    }
}

/// The server's memory of disconnected clients, with which they can receive what they missed (Socket.IO SIO-16): the
/// sessions of absent clients, and the packets sent since, each with its offset.
///
/// One store serves all connections of a server. Like the other types of this module, it is pure and receives the time
/// as a parameter. Both its lists are bounded and drop the oldest entries first. A client that asks for more than is
/// left joins as a new one, as it does after `maximumAbsence`.
package struct SocketIORecoveryStore: Sendable {
    /// The limits of a store.
    package struct Configuration: Hashable, Sendable {
        /// How long to keep a session or a packet.
        package var maximumAbsence: Duration
        /// The maximum number of packets to keep.
        package var maximumPackets: Int
        /// The maximum total size of the packets, in bytes.
        package var maximumBytes: Int
        /// The maximum number of sessions to keep.
        package var maximumSessions: Int
        /// Creates limits. The default time is that of the JavaScript server.
        package init(
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
    package struct Session: Hashable, Sendable {
        /// The client's id in the namespace.
        package var sid: String
        /// The secret id with which the client requests recovery.
        package var pid: String
        /// The namespace of the session.
        package var namespace: String
        /// The rooms that the client was in. Its own `sid` is one of them and need not be listed.
        package var rooms: [String]
        /// Creates a session to be saved in a store.
        package init(sid: String, pid: String, namespace: String, rooms: [String] = []) {
            self.sid = sid
            self.pid = pid
            self.namespace = namespace
            self.rooms = rooms
        }
    }

    /// A recovered session and its missed events.
    package struct Restored: Hashable, Sendable {
        /// The session, as it was saved.
        package var session: Session
        /// The missed events in order, including their offsets.
        package var missed: [SocketIO.Emission]
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
    package init(_ configuration: Configuration = Configuration(), epoch: Int64) {
        self.configuration = configuration
        self.epoch = epoch
    }

    /// Keeps an event that is sent to everyone in these rooms, or to everyone in the namespace if `rooms` is empty. The
    /// event must not be volatile or request an acknowledgement.
    ///
    /// - Returns: The event to send, with the offset as its last argument.
    package mutating func record(
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
    package mutating func save(_ session: Session, at now: Moment) {
        sessions[session.pid] = (session, now)
        order.append((session.pid, now))
        forget(at: now)
    }

    /// Returns the session that a client requests, and removes it from the store.
    ///
    /// Returns `nil` if the session is unknown or too old, or if the packet with this `offset` is no longer kept.
    package mutating func restore(
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
