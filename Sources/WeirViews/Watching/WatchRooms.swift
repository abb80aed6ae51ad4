import WeirPipeline
import WeirWire

/// The reported rooms: wanted and actual state side by side, and the number of events of each. Pure and bounded.
package struct WatchRooms: Sendable {
    /// A room with its state and its traffic.
    struct Room: Sendable {
        var name: String
        /// The source of the subscription: `cli`, `list`, `ctl`, `pin`; empty when the room is not wanted.
        var source = ""
        var isWanted = false
        /// The last reported change; `nil` when only events mentioned the room.
        var state: RoomReport.Change?
        /// The server's reason for a refusal. Untrusted text.
        var why: String?
        var isMuted = false
        var events = 0
        /// The wall clock of the last event, in microseconds since 1970; `nil` before the first.
        var lastWall: Int64?
        var rate = WatchRate()
    }

    /// The maximum number of listed rooms.
    static let most = 2000

    /// The rooms in the order of their first report, until `putFirst` sorts them.
    private(set) var list: [Room] = []
    private var places: [String: Int] = [:]
    /// The muted rooms, as last set outside the view.
    private var muted: Set<String> = []

    func isMuted(_ name: String) -> Bool { places[name].map { list[$0].isMuted } ?? muted.contains(name) }

    /// The numbers of joined, wanted and refused rooms.
    var counts: (joined: Int, wanted: Int, refused: Int) {
        list.reduce(into: (0, 0, 0)) { counts, room in
            if room.state == .joined { counts.0 += 1 }
            if room.isWanted { counts.1 += 1 }
            if room.state == .refused { counts.2 += 1 }
        }
    }

    mutating func take(_ report: RoomReport) {
        guard let place = place(of: report.room) else { return }
        list[place].state = report.change
        list[place].why = report.why
        switch report.change {
        case .wanted, .joining, .joined, .refused, .lost:
            list[place].isWanted = true
            if !report.source.isEmpty { list[place].source = report.source }
        case .leaving, .left, .found:
            list[place].isWanted = false
            list[place].source = ""
        }
    }

    mutating func count(_ name: String, at now: Moment, wall: Int64) {
        guard let place = place(of: name) else { return }
        list[place].events += 1
        list[place].lastWall = wall
        list[place].rate.advance(to: now)
        list[place].rate.add(at: now)
    }

    /// Moves the rooms that satisfy `isFirst` to the front. The sort is stable.
    mutating func putFirst(_ isFirst: (String) -> Bool) {
        let first = list.filter { isFirst($0.name) }
        list = first + list.filter { !isFirst($0.name) }
        for (place, room) in list.enumerated() { places[room.name] = place }
    }

    /// Hides a room, or shows it again. Returns whether it is hidden now.
    mutating func toggleMute(_ name: String) -> Bool {
        guard let place = place(of: name) else { return false }
        list[place].isMuted.toggle()
        return list[place].isMuted
    }

    /// Applies a muted set from outside. Only rooms whose membership changed are updated. Rooms hidden in this view
    /// only stay hidden.
    mutating func take(muted rooms: Set<String>) {
        for index in list.indices {
            let isMuted = rooms.contains(list[index].name)
            if isMuted != muted.contains(list[index].name) { list[index].isMuted = isMuted }
        }
        muted = rooms
    }

    private mutating func place(of name: String) -> Int? {
        if let place = places[name] { return place }
        guard list.count < Self.most else { return nil }
        places[name] = list.count
        list.append(Room(name: name, isMuted: muted.contains(name)))
        return list.count - 1
    }
}
