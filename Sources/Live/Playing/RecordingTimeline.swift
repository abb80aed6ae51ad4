import Pipeline
import Recording
import SectionedModel
import Wire

/// The entries of one or more recordings in the order of their times, the sessions they drive, and the way back.
///
/// Files with the same recording id are segments of one recording. Different recordings are merged by their wall clocks
/// and share nothing: each session has its own connections, request ids and model. Time is counted from the beginning
/// of the earliest recording.
///
/// Not thread-safe: use it on the replay's thread only.
final class RecordingTimeline {
    /// The kind of the next entry.
    enum Upcoming {
        /// A record with its time, and whether it is an event for a rate.
        case record(at: Moment, isEvent: Bool)
        /// An entry other than a record. It is due at once.
        case trouble
        /// No entry yet: a followed file may grow.
        case starved
        /// The end of all recordings.
        case end
    }

    /// The position at which a seek ends.
    enum Goal {
        /// Before the first record at or after this time.
        case time(Moment)
        /// After the record with this number.
        case record(Int)
        /// After the record that brought the number of shown events to this value.
        case events(Int)
        /// After this number of played entries.
        case entries(Int)
    }

    private(set) var tracks: [RecordingTrack]
    /// The merged model of a group's recordings; `nil` if the recordings are not of one group.
    private var group: GroupModel?
    private(set) var position = TimelinePosition()
    /// The marks passed so far and the stored ones, in the order of their times.
    private(set) var marks: [PlacedMark] = []
    /// The marks from earlier replays.
    private let keptMarks: [PlacedMark]
    private var waypoints = Waypoints()
    private let keepsWay: Bool
    /// The track of the next entry.
    private var current: RecordingTrack
    /// The wall clock at the beginning, in microseconds since 1970 UTC.
    private let start: Int64
    private var reports: [StampedReport] = []
    /// Whether units of the wire are kept until they are taken.
    var keepsWire = false
    private var units: [WireUnit] = []
    /// The bytes of the records played since the last call of `takeReports`.
    private var playedBytes = 0

    /// Creates a timeline at its beginning. With `keepsWay` it can go back.
    init(_ tracks: [RecordingTrack], marks: [PlacedMark] = [], group: GroupModel? = nil, keepsWay: Bool) {
        precondition(!tracks.isEmpty, "a timeline of no recording")
        self.tracks = tracks
        self.keepsWay = keepsWay
        self.group = group
        keptMarks = marks
        self.marks = marks.sorted { $0.time < $1.time }
        current = tracks[0]
        start = tracks.map(\.head.wallStart).min() ?? 0
        for track in tracks { place(track) }
        setWaypoint(keepsReports: true)
    }

    private func place(_ track: RecordingTrack) {
        track.shift = track.head.wallStart.subtractingReportingOverflow(start).partialValue
        if tracks.count > 1 || group != nil { track.nameFile() }
    }

    /// Adds a member of the group that has just begun. The replay cannot seek to a time before that, since the waypoints lack the member.
    func add(_ track: RecordingTrack) {
        tracks.append(track)
        place(track)
        waypoints = Waypoints()
    }

    /// The current model: the merged one of a group, otherwise that of the first recording.
    var model: SectionedCollection<Item> { group?.model ?? tracks[0].player.session.model }

    /// Whether the recordings are those of one group.
    var isGroup: Bool { group != nil }

    /// The sections of all models, each with the number of its elements.
    var sections: [(section: Item.Section, count: Int)] {
        guard let model = group?.model else { return tracks.flatMap(\.player.sections) }
        return model.sectionKeys.map { ($0, model.elementCount(in: $0)) }
    }

    /// Returns the kind of the next entry, and selects its track.
    func upcoming() throws(RecordingError) -> Upcoming {
        if group != nil { retire() }
        var found: RecordingTrack?
        var isStarved = false
        for track in tracks {
            if try track.look() {
                if let other = found, other.nextTime <= track.nextTime { continue }
                found = track
            } else if case .starved = track.phase {
                isStarved = true
            }
        }
        // A recording that is still written may bring an earlier entry, so the others wait for it. A group does not wait for a silent
        // member.
        if isStarved, found == nil || group == nil { return .starved }
        guard let found else { return .end }
        if current !== found { collect() }
        current = found
        guard case .record(let record, _)? = found.next else { return .trouble }
        return .record(at: found.nextTime, isEvent: record.isEvent)
    }

    /// Returns whether the next entry is a record at or after a position. A stored mark is after the record at which it
    /// was set.
    func isNext(at place: RecordingPosition) -> Bool {
        guard case .record(let record, let stamp)? = current.next else { return false }
        if case .mark(let label) = place, let mark = keptMarks.first(where: { $0.label == label }) {
            return !record.isUnnumbered && stamp.n > mark.number
        }
        return place.isReached(by: record, stamp, at: current.nextTime)
    }

    /// Whether the next entry is available without waiting.
    var hasEntryAtHand: Bool { tracks.allSatisfy(\.hasEntryAtHand) }

    /// Whether the next entry only repeats earlier state.
    var isNextRestated: Bool { current.isNextRestated }

    /// Plays the next entry, and returns the number of events it showed.
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
        if keepsWay, waypoints.wants(position) {
            if group != nil { collect() }
            setWaypoint()
        }
        return shown
    }

    /// Removes the rows of each member that ended, once the others have taken over. The rows of the last member stay.
    private func retire() {
        for (index, track) in tracks.enumerated() where track.isFinished && group?.gone.contains(index) == false {
            let member = track.player.session.share?.member ?? ""
            let others = tracks.filter { !$0.isFinished }.map(\.player.session)
            guard !others.isEmpty, others.allSatisfy({ $0.hasTakenOver(from: member) }) else { continue }
            collect()
            let stamp = Stamp(n: position.number, time: position.time, wall: position.wall ?? 0)
            let (session, rest) = (track.player.session, models(but: index))
            if let report = group?.retire(index, session.model, of: session.user, rest, stamp) {
                reports.append(report)
            }
        }
    }

    private func models(but index: Int?) -> [SectionedCollection<Item>] {
        tracks.indices.filter { $0 != index && group?.gone.contains($0) == false }.map {
            tracks[$0].player.session.model
        }
    }

    /// Why the replay cannot go on: the mismatch of the current track; `nil` if there is none.
    var mismatch: String? { current.player.mismatch }

    /// The verified counts of all tracks together.
    var verified: VerifiedCounts { tracks.map(\.player.verified).reduce(VerifiedCounts(), +) }

    /// Returns the reports since the last call, in order, and removes them.
    func takeReports() -> [StampedReport] {
        collect()
        playedBytes = 0
        let taken = reports
        reports.removeAll(keepingCapacity: true)
        return taken
    }

    /// Returns the units of the wire since the last call, in order, and removes them.
    func takeUnits() -> [WireUnit] {
        defer { units.removeAll(keepingCapacity: true) }
        return units
    }

    /// The approximate number of reports or units waiting to be taken.
    var waitingReports: Int { max(reports.count + current.player.reports.count, units.count) }

    /// Whether a batch is full and must be taken, even if no caller waits for it.
    var isFull: Bool { waitingReports >= ReplayLoop.batch || playedBytes >= ReplayLoop.batchBytes }

    /// Returns the stamp of the current record with its time on the timeline.
    private func onTimeline(_ stamp: Stamp) -> Stamp {
        var stamp = stamp
        stamp.time = position.time
        return stamp
    }

    /// Checks whether followed files have grown.
    func readMore() throws(RecordingError) {
        for track in tracks { try track.readMore() }
    }

    private func collect() {
        if group != nil {
            let others = models(but: tracks.firstIndex { $0 === current })
            reports += group?.merge(current.player.reports, others) ?? []
        } else if reports.isEmpty {
            swap(&reports, &current.player.reports)
        } else {
            reports.append(contentsOf: current.player.reports)
        }
        current.player.reports.removeAll(keepingCapacity: true)
    }

    // MARK: - Going back

    /// Goes to the last waypoint before the goal, unless the current position is closer. The caller then plays the
    /// entries up to the goal.
    ///
    /// - Returns: `false` if the goal precedes the current position and no waypoint precedes it.
    func approach(_ goal: Goal) throws(RecordingError) -> Bool {
        guard let waypoint = waypoints.last(where: { goal.isAhead(of: $0) }) else { return goal.isAhead(of: position) }
        if goal.isAhead(of: position), position.entries >= waypoint.position.entries { return true }
        try go(to: waypoint)
        for track in tracks { track.player.reports.removeAll(keepingCapacity: true) }
        return true
    }

    /// Whether the timeline can go back at all.
    var canGoBack: Bool { keepsWay && !waypoints.all.isEmpty }

    /// Goes back to the beginning. Returns `false` if that is not possible.
    func rewind() throws(RecordingError) -> Bool {
        guard let first = waypoints.all.first else { return false }
        try go(to: first)
        return true
    }

    /// Returns whether the goal is reached, so that the next entry is after it.
    func hasReached(_ goal: Goal) -> Bool {
        switch goal {
        case .time(let time):
            guard case .record? = current.next else { return false }
            return current.nextTime >= time
        case .record(let number):
            guard case .record(let record, let stamp)? = current.next else { return false }
            return position.number >= number && !record.isUnnumbered || stamp.n > number
        case .events(let events): return position.events >= events
        case .entries(let entries): return position.entries >= entries
        }
    }

    private func go(to waypoint: Waypoints.Waypoint) throws(RecordingError) {
        for (track, bookmark) in zip(tracks, waypoint.tracks) { try track.go(to: bookmark) }
        position = waypoint.position
        group = waypoint.group
        reports.removeAll(keepingCapacity: true)
    }

    private func setWaypoint(keepsReports: Bool = false) {
        var bookmarks: [RecordingTrack.Bookmark] = []
        for track in tracks {
            guard let bookmark = track.bookmark(keepsReports: keepsReports) else { return }
            bookmarks.append(bookmark)
        }
        waypoints.add(Waypoints.Waypoint(position: position, tracks: bookmarks, group: group))
    }

    // MARK: - Marks

    /// Adds a mark, unless an equal one exists.
    func add(_ mark: PlacedMark) {
        let place = marks.firstIndex { $0.time > mark.time } ?? marks.endIndex
        if !marks[..<place].reversed().prefix(while: { $0.time == mark.time }).contains(mark) {
            marks.insert(mark, at: place)
        }
    }
}

/// A mark with its position on the timeline.
struct PlacedMark: Hashable, Sendable {
    var label: String
    /// The number of the record at or after which the mark is placed.
    var number: Int
    /// The mark's time on the timeline.
    var time: Moment

    init(_ label: String, number: Int, time: Moment) {
        self.label = label
        self.number = number
        self.time = time
    }
}

extension RecordingTimeline.Goal {
    /// Returns whether a timeline at `position` has yet to pass the goal.
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
    /// Whether the record counts as an event for a rate: a received message.
    fileprivate var isEvent: Bool {
        if case .frame(let frame) = self { frame.wasReceived } else { false }
    }
}
