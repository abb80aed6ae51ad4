import Pipeline
import Recording
import Wire

/// The entries of one or several recordings in the order of their times, the sessions they drive, and the ways back.
///
/// Recordings of one id are the segments of one; others are merged by their wall clocks and share nothing: connections, request ids
/// and models are each session's own. Time is counted from the beginning of the earliest.
///
/// Not thread-safe: the replay's thread.
final class Timeline {
    /// What comes next.
    enum Upcoming {
        /// A record; whether it is an event's.
        case record(at: Moment, isEvent: Bool)
        /// Something else, due at once.
        case trouble
        /// Nothing yet: a file that is followed may grow.
        case starved
        /// Nothing.
        case end
    }

    /// Where a seek ends.
    enum Goal {
        /// Before the first record of this time or a later one.
        case time(Moment)
        /// Behind the record with this number.
        case record(Int)
        /// Behind the record that showed so many events.
        case events(Int)
        /// Behind so many entries.
        case entries(Int)
    }

    let tracks: [Track]
    private(set) var position = TimelinePosition()
    /// Marks that were passed, and those that were given; in the order of their times.
    private(set) var marks: [PlacedMark] = []
    /// Those that were given.
    private let keptMarks: [PlacedMark]
    private var waypoints = Waypoints()
    private let keepsWay: Bool
    /// The track of the next entry.
    private var current: Track
    private var reports: [StampedReport] = []
    /// Whether what was on the wire is kept until it is taken.
    var keepsWire = false
    private var units: [WireUnit] = []
    /// Bytes of what was played since anything was taken last.
    private var playedBytes = 0

    /// A timeline at its beginning. With `keepsWay`, it can go back.
    init(_ tracks: [Track], marks: [PlacedMark] = [], keepsWay: Bool) {
        precondition(!tracks.isEmpty, "a timeline of no recording")
        self.tracks = tracks
        self.keepsWay = keepsWay
        keptMarks = marks
        self.marks = marks.sorted { $0.time < $1.time }
        current = tracks[0]
        let earliest = tracks.map(\.head.wallStart).min() ?? 0
        for track in tracks {
            track.shift = track.head.wallStart.subtractingReportingOverflow(earliest).partialValue
            if tracks.count > 1 { track.nameFile() }
        }
        setWaypoint(keepsReports: true)
    }

    /// Looks what comes next.
    func upcoming() throws(RecordingError) -> Upcoming {
        var found: Track?
        var isStarved = false
        for track in tracks {
            if try track.look() {
                if let other = found, other.nextTime <= track.nextTime { continue }
                found = track
            } else if case .starved = track.phase {
                isStarved = true
            }
        }
        // While one may still bring something earlier, the others wait.
        if isStarved { return .starved }
        guard let found else { return .end }
        if current !== found { collect() }
        current = found
        guard case .record(let record, _)? = found.next else { return .trouble }
        return .record(at: found.nextTime, isEvent: record.isEvent)
    }

    /// Whether what comes next, a record, stands at that position or behind it. A mark that is kept beside the recording is behind the
    /// record it was set at.
    func isNext(at place: RecordingPosition) -> Bool {
        guard case .record(let record, let stamp)? = current.next else { return false }
        if case .mark(let label) = place, let mark = keptMarks.first(where: { $0.label == label }) {
            return !record.isAside && stamp.n > mark.number
        }
        return place.isReached(by: record, stamp, at: current.nextTime)
    }

    /// Whether what comes next is at hand already.
    var hasEntryAtHand: Bool { tracks.allSatisfy(\.hasEntryAtHand) }

    /// Whether what comes next only says again what came before.
    var isNextRestated: Bool { current.isNextRestated }

    /// Plays what comes next; gives how many events it showed.
    @discardableResult
    func play() -> Int {
        let before = current.player.events
        if case .record(let record, let stamp)? = current.next {
            playedBytes += record.heldBytes
            position.time = max(position.time, current.nextTime)
            position.number = stamp.n
            position.wall = stamp.wall
            current.carrier.note(record)
            if keepsWire, let unit = current.carrier.unit(of: record, onTimeline(stamp)) { units.append(unit) }
            if case .mark(let mark) = record { add(PlacedMark(mark.label, number: stamp.n, time: position.time)) }
        }
        current.play()
        let shown = current.player.events - before
        position.entries += 1
        position.events += shown
        if keepsWay, waypoints.wants(position) { setWaypoint() }
        return shown
    }

    /// Why the replay cannot go on; of the track that was played last.
    var mismatch: String? { current.player.mismatch }

    /// What was compared of all tracks.
    var verified: VerifiedCounts { tracks.map(\.player.verified).reduce(VerifiedCounts(), +) }

    /// The reports since the last call, in order.
    func takeReports() -> [StampedReport] {
        collect()
        playedBytes = 0
        let taken = reports
        reports.removeAll(keepingCapacity: true)
        return taken
    }

    /// What was on the wire since the last call, in order.
    func takeUnits() -> [WireUnit] {
        defer { units.removeAll(keepingCapacity: true) }
        return units
    }

    /// How much waits to be taken, about.
    var waitingReports: Int { max(reports.count + current.player.reports.count, units.count) }

    /// Whether so much waits that it is to be taken, even if nobody asks for it.
    var isFull: Bool { waitingReports >= ReplayRun.batch || playedBytes >= ReplayRun.batchBytes }

    /// The stamp of what is played now, at the time it has here.
    private func onTimeline(_ stamp: Stamp) -> Stamp {
        var stamp = stamp
        stamp.time = position.time
        return stamp
    }

    /// Files that are followed may have grown.
    func lookAgain() throws(RecordingError) {
        for track in tracks { try track.lookAgain() }
    }

    private func collect() {
        if reports.isEmpty {
            swap(&reports, &current.player.reports)
        } else {
            reports.append(contentsOf: current.player.reports)
        }
        current.player.reports.removeAll(keepingCapacity: true)
    }

    // MARK: - Going back

    /// Goes to the waypoint from which the goal is nearest, unless it is nearer from here. False when there is none: then the goal is
    /// behind, and cannot be gone to. What follows up to the goal is the caller's to play.
    func approach(_ goal: Goal) throws(RecordingError) -> Bool {
        guard let waypoint = waypoints.last(where: { goal.isAhead(of: $0) }) else { return goal.isAhead(of: position) }
        if goal.isAhead(of: position), position.entries >= waypoint.position.entries { return true }
        try go(to: waypoint)
        for track in tracks { track.player.reports.removeAll(keepingCapacity: true) }
        return true
    }

    /// Whether it can go back at all.
    var canGoBack: Bool { keepsWay && !waypoints.all.isEmpty }

    /// Goes back to the beginning; false when that is not possible.
    func rewind() throws(RecordingError) -> Bool {
        guard let first = waypoints.all.first else { return false }
        try go(to: first)
        return true
    }

    /// Whether the goal is reached: what comes next stands behind it.
    func hasReached(_ goal: Goal) -> Bool {
        switch goal {
        case .time(let time):
            guard case .record? = current.next else { return false }
            return current.nextTime >= time
        case .record(let number):
            guard case .record(let record, let stamp)? = current.next else { return false }
            return position.number >= number && !record.isAside || stamp.n > number
        case .events(let events): return position.events >= events
        case .entries(let entries): return position.entries >= entries
        }
    }

    private func go(to waypoint: Waypoints.Waypoint) throws(RecordingError) {
        for (track, bookmark) in zip(tracks, waypoint.tracks) { try track.go(to: bookmark) }
        position = waypoint.position
        reports.removeAll(keepingCapacity: true)
    }

    private func setWaypoint(keepsReports: Bool = false) {
        var bookmarks: [Track.Bookmark] = []
        for track in tracks {
            guard let bookmark = track.bookmark(keepsReports: keepsReports) else { return }
            bookmarks.append(bookmark)
        }
        waypoints.add(Waypoints.Waypoint(position: position, tracks: bookmarks))
    }

    // MARK: - Marks

    /// Notes a mark, unless it is known.
    func add(_ mark: PlacedMark) {
        let place = marks.firstIndex { $0.time > mark.time } ?? marks.endIndex
        if !marks[..<place].reversed().prefix(while: { $0.time == mark.time }).contains(mark) {
            marks.insert(mark, at: place)
        }
    }
}

/// A mark, and where it stands.
struct PlacedMark: Hashable, Sendable {
    var label: String
    /// Number of the record it stands at or behind.
    var number: Int
    /// Its time on the timeline.
    var time: Moment

    init(_ label: String, number: Int, time: Moment) {
        self.label = label
        self.number = number
        self.time = time
    }
}

extension Timeline.Goal {
    /// Whether the goal is not yet passed there.
    fileprivate func isAhead(of position: TimelinePosition) -> Bool {
        switch self {
        case .time(let time): position.entries == 0 || position.time < time
        case .record(let number): position.number <= number
        case .events(let events): position.entries == 0 || position.events < events
        case .entries(let entries): position.entries <= entries
        }
    }
}

extension Record {
    /// Whether a rate counts it: a message that came.
    fileprivate var isEvent: Bool {
        if case .frame(let frame) = self { frame.wasReceived } else { false }
    }
}
