import JSONText
import Pipeline
import Recording
import SectionedModel
import Wire

/// What a session that begins in the middle of a recording must know to go on: the model's rows, the rooms, and the connection with
/// what the server said until it was of use. Values only: it is made on the loop and written on another thread.
struct Restatement: Sendable {
    /// Rows fill lines of about this many bytes.
    private static let rowBytes = 1 << 20

    /// Whose rows they are; nil when nobody knows, and then there are none worth restating.
    var user: String?
    var model: SectionedSnapshot<Item>
    /// Wishes, in order.
    var rooms: [Record]
    /// The connection's state, and the frames.
    var connection: [Record]

    /// The records, made one after the other.
    var records: some Sequence<Record> {
        var parts: [Record] = []
        if let user {
            var memory = Memory(user: user)
            model.forEachElement { _, item in
                // What the user wants to be so is an action's, which comes again by itself.
                guard item.delivery == nil else { return }
                var writer = JSONWriter()
                item.encode(into: &writer)
                memory.append(row: writer.bytes)
                if memory.rows.count >= Self.rowBytes {
                    parts.append(.memory(.init(user: user, rows: memory.rows)))
                    memory.rows.removeAll(keepingCapacity: true)
                }
            }
            if !memory.rows.isEmpty { parts.append(.memory(.init(user: user, rows: memory.rows))) }
        }
        return parts + rooms + connection
    }
}

extension Restatement {
    /// What makes a fresh session of the same configuration want the same rooms, now and later.
    static func wishes(of book: RoomBook, at now: Moment) -> [Record] {
        var records: [Record] = []
        if book.isNarrowed {
            records.append(.subscription(.init(act: .only, room: "", source: RoomSource.ctl.rawValue)))
        }
        for rule in book.rules where rule.source != .cli {
            records.append(
                .subscription(
                    .init(
                        act: rule.isExcluded ? .unwant : .want, room: rule.pattern.description,
                        source: rule.source.rawValue, span: rule.until.map { $0 - now })))
        }
        // Rooms the fresh session has not been told of, and what is said in them.
        for entry in book.entries {
            records.append(
                .subscription(.init(act: .want, room: entry.pattern.description, source: entry.source.rawValue)))
        }
        return records
    }
}

/// What is kept of the connection for a restatement, while there is a recording.
struct ConnectionMemory {
    /// More messages until a connection is of use there are not; heartbeats are among them.
    private static let mostGreetings = 64
    private static let largestGreeting = 256 << 10

    /// The last record about the connection.
    private(set) var state: Record.ConnectionRecord?
    private var greetings: [WebSocketMessage] = []
    private var isReady = false
    /// What the server said when a room was joined.
    private var joins: [String: WebSocketMessage] = [:]

    mutating func note(_ record: Record.ConnectionRecord) {
        switch record.state {
        case .connecting, .closed, .failed:
            state = record
            greetings = []
            isReady = false
            joins = [:]
        case .open: state = record
        case .upgraded: state?.transport = record.transport
        case .closing, .paused, .stalled, .resumed: break
        }
    }

    mutating func received(_ message: WebSocketMessage) {
        guard !isReady, greetings.count < Self.mostGreetings, message.count <= Self.largestGreeting else { return }
        greetings.append(message)
    }

    mutating func becameReady() { isReady = true }

    mutating func joined(_ room: String, by message: WebSocketMessage?) { joins[room] = message }

    mutating func left(_ room: String) { joins[room] = nil }

    /// The records that bring a fresh session here.
    func records(rooms: [String]) -> [Record] {
        guard let state else { return [] }
        var records: [Record] = [.connection(state)]
        guard state.state == .open else { return records }
        for message in greetings + rooms.compactMap({ joins[$0] }) {
            records.append(
                .frame(Record.FrameRecord(connection: state.connection, direction: .in, message: message)))
        }
        return records
    }
}

extension WebSocketMessage {
    fileprivate var count: Int {
        switch self {
        case .text(let bytes), .binary(let bytes): bytes.count
        }
    }
}
