import WeirJSON
import WeirModel
import WeirPipeline
import WeirRecording
import WeirWire

/// The state that a session needs to start in the middle of a recording: the model's rows, the rooms, and the
/// connection with the server's messages up to readiness. It consists of values only: it is created on the loop and
/// written on another thread.
struct StatePreamble: Sendable {
    /// The approximate size of a line of rows, in bytes.
    private static let rowBytes = 1 << 20

    /// The owner of the rows; `nil` if unknown. Rows of an unknown owner are not restated.
    var user: String?
    var model: SectionedSnapshot<Item>
    /// The subscription records, in order.
    var rooms: [Record]
    /// The connection's state and the received frames.
    var connection: [Record]

    /// The records of the restatement, in the order of writing.
    var records: some Sequence<Record> {
        var parts: [Record] = []
        if let user {
            var memory = Memory(user: user)
            model.forEachElement { _, item in
                // Skip the rows of pending actions: the actions restore them.
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

extension StatePreamble {
    /// Returns the records that make a fresh session of the same configuration want the same rooms, now and later.
    static func wishes(of book: RoomSubscriptions, at now: Moment) -> [Record] {
        var records: [Record] = []
        if let share = book.share, let record = Record.of(.share(share)) { records.append(record) }
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
        // Rooms that the fresh session does not know yet, needed by the events in them.
        for entry in book.entries {
            records.append(
                .subscription(.init(act: .want, room: entry.pattern.description, source: entry.source.rawValue)))
        }
        return records
    }
}

/// The connection state for a restatement. It is maintained while a recording runs.
struct ConnectionMemory {
    /// The maximum number of messages kept until the connection is ready, heartbeats included.
    private static let mostGreetings = 64
    private static let largestGreeting = 256 << 10

    /// The last connection record; `nil` before the first attempt to connect.
    private(set) var state: Record.ConnectionRecord?
    private var greetings: [WebSocketMessage] = []
    private var isReady = false
    /// The server's message at the join of each room.
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

    /// Returns the records that bring a fresh session to the current connection state.
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
