import Network
import Pipeline
import Recording
import Wire

/// Observes how far a tail gets with its connection and its rooms.
final class CheckOutlet: Outlet {
    /// The observed state of a tail.
    struct Seen {
        var connecting: Moment?
        var ready: Moment?
        var spoken: RealtimeProtocol?
        /// When a room was last wanted, joined, refused or left.
        var changed: Moment?
        var pending: Set<String> = []
        var joined = 0
        var refused: [(room: String, why: String?)] = []
        /// Why the server refuses the token; `nil` if it does not.
        var refusal: String?
        /// The number of room changes, for detecting when the rooms have settled.
        var changes = 0
    }

    private let state = Monitor(Seen())

    var seen: Seen { state.change { $0 } }

    func write(_ reports: [StampedReport]) throws(OutletError) {
        state.change { seen in
            for report in reports { Self.note(report, in: &seen) }
        }
    }

    func finish() throws(OutletError) {}

    private static func note(_ stamped: StampedReport, in seen: inout Seen) {
        let time = stamped.stamp.time
        switch stamped.report {
        case .connection(.connecting): seen.connecting = seen.connecting ?? time
        case .connection(.ready(let spoken)): (seen.ready, seen.spoken) = (time, spoken)
        case .room(let room):
            seen.changed = time
            seen.changes += 1
            switch room.change {
            case .wanted, .joining: seen.pending.insert(room.room)
            case .joined:
                seen.pending.remove(room.room)
                seen.joined += 1
            case .refused, .lost:
                seen.pending.remove(room.room)
                seen.refused.append((room.room, room.why))
            case .leaving, .left: seen.pending.remove(room.room)
            case .found: break
            }
        default: break
        }
    }
}
