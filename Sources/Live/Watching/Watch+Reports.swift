import Events
import Pipeline
import Recording
import SectionedModel
import Terminal
import Wire

// Handling of reports.
extension Watch {
    mutating func take(_ stamped: StampedReport) {
        var room: String?
        furthest = max(furthest, stamped.stamp.n)
        load.take(stamped, at: now)
        let isCounted = stamped.stamp.n > counted || !settings.isReplay
        switch stamped.report {
        case .event(let event):
            room = event.room
            cause = (stamped.stamp.n, room)
            rate.add(at: now)
            if isCounted {
                events += 1
                if let room { count(room, stamped.stamp.wall) }
            }
        case .diff(let diff):
            if diff.cause > 0, diff.cause == cause.number { room = cause.room }
            follow(diff)
        case .gap(let gap): if isCounted, gap.isLoss { gaps += 1 }
        case .connection(let change): take(change)
        case .room(let report):
            room = report.room
            rooms.take(report)
        case .emit(let report): if report.isAnswer, report.outcome == .sent { log.noteAnswer(report) }
        case .typing, .action, .refetch, .undecodable, .notice: break
        }
        arrangeRooms()
        guard stamped.report.isWorthALine else { return }
        if stamped.report.isProblem, isCounted { problems += 1 }
        log.append(stamped, room: room, isMuted: room.map { rooms.isMuted($0) } ?? false)
    }

    mutating func begin(with model: SectionedCollection<Item>) {
        self.model = WatchModel(model, modelLook)
        printer.names.learn(from: model)
        log.removeAll(behind: 0, .zero, knowing: printer.names)
        flashes = WatchFlashes()
        rate = WatchRate()
        load = LoadHistory()
        (events, gaps, problems) = (0, 0, 0)
    }

    /// Sorts the rooms so that channels come before lists and the user's own rooms. The selected room stays selected.
    private mutating func arrangeRooms() {
        let now = (rooms.list.count, printer.names.revision)
        guard now != arranged else { return }
        arranged = now
        let selected = rooms.list.indices.contains(roomIndex) && roomIndex > 0 ? rooms.list[roomIndex].name : nil
        let names = printer.names
        rooms.putFirst { names.look(at: $0).channel != nil }
        if let selected { roomIndex = rooms.list.firstIndex { $0.name == selected } ?? roomIndex }
    }

    private mutating func count(_ room: String, _ wall: Int64) {
        rooms.count(room, at: now, wall: wall)
    }

    private mutating func take(_ change: ConnectionReport) {
        switch change {
        case .connecting(let attempt, _):
            connection = attempt > 1 ? "connecting, attempt \(attempt)" : "connecting"
            isConnected = false
        case .ready:
            connection = "connected"
            isConnected = true
        case .lost(let why, _):
            connection = "disconnected: " + why
            isConnected = false
        }
    }

    private mutating func follow(_ diff: DiffReport) {
        let rows = DiffRow.rows(of: diff.batch)
        printer.names.learn(from: diff)
        guard model != nil else { return }
        do {
            try model?.apply(diff.batch)
        } catch {
            // The batch fits unless there are several sessions at once, or a session that did not start empty.
            model = nil
            return
        }
        flashes.note(rows, at: now)
    }
}

extension Report {
    /// Whether the log shows a line for the report.
    var isWorthALine: Bool {
        switch self {
        case .event, .gap, .connection, .typing, .undecodable, .notice: true
        case .diff(let diff): !diff.batch.isEmptyOfRows
        case .room(let report):
            switch report.change {
            case .joined, .left, .refused, .lost: true
            case .wanted, .joining, .leaving, .found: false
            }
        case .action(let report): report.change.why != nil
        case .emit(let report): report.isAnswer || report.outcome != .sent
        // The result is visible as a change or a notice.
        case .refetch: false
        }
    }

    /// Whether the report needs the user's attention.
    var isProblem: Bool {
        switch self {
        case .gap, .undecodable: true
        case .event(let report): !report.isKnown
        case .connection(.lost): true
        case .connection(.connecting), .connection(.ready), .diff, .refetch, .typing: false
        case .room(let report): report.change == .refused || report.change == .lost
        case .action(let report): report.change.why != nil
        case .emit(let report): report.isProblem
        case .notice(let notice): notice.level != .info
        }
    }
}

extension Batch<Item> {
    fileprivate var isEmptyOfRows: Bool { deletions.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty }
}
