import Events
import Pipeline
import Recording
import Wire

/// Counts the events of each room, for room lists. Bounded: at most `mostRooms` rooms are counted.
struct RoomTraffic {
    static let mostRooms = 10_000

    /// The figures of one room.
    struct Figures: Hashable {
        /// The number of events since the start of the tail.
        var events = 0
        /// The wall-clock time of the last event, in microseconds since 1970.
        var last: Int64?
        /// The delay of the last event against the server's time, in milliseconds.
        var lag: Int64?
        /// The number of times the room was lost with its connection.
        var gaps = 0
        /// Whether the room was lost and is not joined again yet.
        var isLost = false
        /// The current minute. `inMinute` and `inMinuteBefore` count the events in it and in the previous one.
        fileprivate var minute: Int64 = 0
        fileprivate var inMinute = 0
        fileprivate var inMinuteBefore = 0

        /// Returns the events per second over roughly the last minute.
        func rate(at now: Moment) -> Double {
            let minute = now.microseconds / 60_000_000
            let part = Double(now.microseconds % 60_000_000) / 60_000_000
            switch minute - self.minute {
            case 0: return (Double(inMinuteBefore) * (1 - part) + Double(inMinute)) / 60
            case 1: return Double(inMinute) * (1 - part) / 60
            default: return 0
            }
        }

        fileprivate mutating func count(at now: Moment) {
            let minute = now.microseconds / 60_000_000
            if minute != self.minute {
                inMinuteBefore = minute == self.minute + 1 ? inMinute : 0
                inMinute = 0
                self.minute = minute
            }
            inMinute += 1
            events += 1
        }
    }

    private var rooms: [String: Figures] = [:]

    /// Returns the figures of a room, all zero for an unknown one.
    subscript(room: String) -> Figures { rooms[room] ?? Figures() }

    /// Counts an event in its room.
    mutating func note(_ stamped: StampedReport) {
        guard case .event(let report) = stamped.report, let room = report.room,
            isKept(room)
        else { return }
        rooms[room, default: Figures()].count(at: stamped.stamp.time)
        rooms[room]?.last = stamped.stamp.wall
        if let lag = stamped.lag { rooms[room]?.lag = lag }
    }

    private func isKept(_ room: String) -> Bool {
        rooms.count < Self.mostRooms && room.utf8.count <= KnownNames.longestKept || rooms[room] != nil
    }

    /// Tracks whether a room is lost.
    mutating func note(_ report: RoomReport) {
        guard isKept(report.room) else { return }
        switch report.change {
        case .lost:
            rooms[report.room, default: Figures()].gaps += 1
            rooms[report.room]?.isLost = true
        case .joined, .refused, .leaving, .left: rooms[report.room]?.isLost = false
        case .wanted, .joining, .found: break
        }
    }
}
