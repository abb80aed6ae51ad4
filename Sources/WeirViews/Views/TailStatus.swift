import WeirPipeline
package import WeirTerminal
package import WeirWire

/// The contents of a tail's status line. Pure and bounded: reports and times go in, a line comes out.
package struct TailStatus: Sendable {
    private enum Connection {
        case none
        case connecting(attempt: Int)
        case ready(since: Moment)
        case lost(since: Moment)
    }

    /// The values that the reports do not contain.
    package struct Facts: Hashable {
        /// The number of reports in the latest batch, which is how many waited to be written.
        package var queue = 0
        /// The recording's size in bytes; `nil` without a recording.
        package var recorded: Int64?
        /// The filter as text; `nil` when nothing is hidden.
        package var filter: String?

        package init(queue: Int = 0, recorded: Int64? = nil, filter: String? = nil) {
            (self.queue, self.recorded, self.filter) = (queue, recorded, filter)
        }
    }

    private static let lags = 256
    private let name: String
    private let recording: String?
    private var connection = Connection.none
    private var rooms: [String: RoomReport.Change] = [:]
    private var rate = RateHistory()
    private var recent: [Int64] = []
    private var nextLag = 0
    private var events = 0
    private var gaps = 0
    private var lost = 0

    /// Creates an empty status.
    ///
    /// - Parameters:
    ///   - name: The name of the context or of the server.
    ///   - recording: The path of the recording; `nil` without one.
    package init(name: String, recording: String?) {
        self.name = name
        self.recording = recording
    }

    package mutating func take(_ stamped: StampedReport) {
        switch stamped.report {
        case .event:
            events += 1
            rate.add(1, at: stamped.stamp.time)
            if let lag = stamped.lag { note(lag) }
        case .connection(.connecting(let attempt, _)): connection = .connecting(attempt: attempt)
        case .connection(.ready): connection = .ready(since: stamped.stamp.time)
        case .connection(.lost): connection = .lost(since: stamped.stamp.time)
        case .room(let room): note(room)
        case .gap(let gap):
            if gap.isLoss { gaps += 1 }
            lost += gap.lost ?? 0
        case .diff, .action, .emit, .refetch, .typing, .undecodable, .notice: break
        }
    }

    private mutating func note(_ lag: Int64) {
        if recent.count < Self.lags { recent.append(lag) } else { recent[nextLag] = lag }
        nextLag = (nextLag + 1) % Self.lags
    }

    private mutating func note(_ room: RoomReport) {
        switch room.change {
        case .found: break
        case .left: rooms[room.room] = nil
        case .wanted, .joining, .joined, .refused, .leaving, .lost:
            if rooms[room.room] != nil || rooms.count < 100_000 { rooms[room.room] = room.change }
        }
    }

    /// Appends the status line, without a line break.
    package func draw(_ facts: Facts, at now: Moment, to buffer: inout TerminalBuffer) {
        buffer.append(name + "  ", .heading)
        appendConnection(now, to: &buffer)
        appendRooms(to: &buffer)
        let second = rate.rate(over: 1, at: now)
        let minute = rate.rate(over: 60, at: now)
        buffer.append("  \(second.rateText)/s (\(minute.rateText)/s)")
        if !recent.isEmpty {
            let sorted = recent.sorted()
            let (half, most) = (sorted[sorted.count / 2], sorted[min(sorted.count * 99 / 100, sorted.count - 1)])
            let style: TerminalStyle = half >= 2000 ? .caution : .plain
            buffer.append(
                "  lag \(TimeText.span(milliseconds: half)) / \(TimeText.span(milliseconds: most))", style)
        }
        if facts.queue > 1 { buffer.append("  queue \(facts.queue)", facts.queue > 1000 ? .caution : .plain) }
        if gaps > 0 { buffer.append("  \(gaps) gaps" + (lost > 0 ? " (\(lost) lost)" : ""), .bad) }
        if let filter = facts.filter { buffer.append("  filter " + TerminalText.truncated(filter, to: 30), .caution) }
        if let recording {
            let size = facts.recorded.map { " " + Double($0).rateText + "B" } ?? ""
            buffer.append("  ● " + TerminalText.keepingEnd(recording, to: 24) + size, .good)
        }
    }

    private func appendConnection(_ now: Moment, to buffer: inout TerminalBuffer) {
        func span(_ since: Moment) -> String {
            TimeText.span(milliseconds: max((now - since).microseconds, 0) / 1_000_000 * 1000)
        }
        switch connection {
        case .none: buffer.append("starting", .faint)
        case .connecting(let attempt):
            buffer.append("connecting" + (attempt > 1 ? " (\(attempt))" : ""), .caution)
        case .ready(let since): buffer.append("up " + span(since), .good)
        case .lost(let since): buffer.append("down " + span(since), .bad)
        }
    }

    private func appendRooms(to buffer: inout TerminalBuffer) {
        var (joined, refused) = (0, 0)
        for change in rooms.values {
            if change == .joined { joined += 1 } else if change == .refused { refused += 1 }
        }
        buffer.append("  \(joined)/\(rooms.count) rooms")
        if refused > 0 { buffer.append(" \(refused) denied", .bad) }
    }
}
