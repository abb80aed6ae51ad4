import Pipeline
import Wire

/// The rooms as they were told of: wanted and actual side by side, and how much came from each. Pure and bounded.
struct WatchRooms: Sendable {
    /// A room.
    struct Room: Sendable {
        var name: String
        /// Who wanted it; empty when nobody does.
        var source = ""
        var isWanted = false
        /// What became of it.
        var state: RoomReport.Change?
        /// The server's reason for a refusal. Untrusted text.
        var why: String?
        var isMuted = false
        var events = 0
        /// Wall clock of its last event.
        var lastWall: Int64?
        var rate = WatchRate()
    }

    /// More are not listed.
    static let most = 2000

    /// In the order they were told of.
    private(set) var list: [Room] = []
    private var places: [String: Int] = [:]
    /// Those that are hidden, as others said it last.
    private var muted: Set<String> = []

    func isMuted(_ name: String) -> Bool { places[name].map { list[$0].isMuted } ?? muted.contains(name) }

    subscript(name: String) -> Room? { places[name].map { list[$0] } }

    /// How many are joined, wanted, and refused.
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

    /// Puts the rooms first of which something holds; otherwise they keep their order.
    mutating func putFirst(_ isFirst: (String) -> Bool) {
        let first = list.filter { isFirst($0.name) }
        list = first + list.filter { !isFirst($0.name) }
        for (place, room) in list.enumerated() { places[room.name] = place }
    }

    /// Hides a room, or shows it again; gives whether it is hidden now.
    mutating func toggleMute(_ name: String) -> Bool {
        guard let place = place(of: name) else { return false }
        list[place].isMuted.toggle()
        return list[place].isMuted
    }

    /// Others say which rooms are hidden: what they changed is so here. What only this view hides stays as it is.
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
