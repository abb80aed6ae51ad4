import WeirModel
import WeirPipeline
import WeirRecording
import WeirWire

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

// Opening recordings and keeping marks.
extension RecordingTimeline {
    /// Opens the recordings of a configuration. Files of one recording become its segments, in order.
    convenience init(opening configuration: ReplayConfiguration, keepsWay: Bool, keepsChecksum: Bool)
        throws(RecordingError)
    {
        if let stream = configuration.stream {
            let reader = try RecordingReader(reading: stream, name: configuration.paths.first ?? "the stream")
            // A stream can be read only once, like standard input.
            let track = try RecordingTrack(["-"], reader, configuration, keepsWay: false, keepsChecksum: keepsChecksum)
            self.init([track], keepsWay: false)
            return
        }
        if configuration.paths.count == 1, let members = try RemoteRecordings.members(configuration.paths[0]) {
            let tracks = try members.map { path throws(RecordingError) in
                try Self.member(path, configuration)
            }
            self.init(tracks, group: GroupModel(keepsChecksum: keepsChecksum), keepsWay: keepsWay)
            return
        }
        var recordings: [(id: String, files: [(segment: Int, path: String)])] = []
        for path in try Self.segments(of: configuration) {
            // A stream can be read only once, so its head is not read here and it cannot be a segment.
            let head = RecordingTrack.isStream(path) ? nil : try RecordingReader(opening: path).head
            let id = head?.recording ?? path
            let file = (segment: head?.segment ?? 1, path: path)
            if let index = recordings.firstIndex(where: { $0.id == id }) {
                recordings[index].files.append(file)
            } else {
                recordings.append((id, [file]))
            }
        }
        var tracks: [RecordingTrack] = []
        for recording in recordings {
            let paths = recording.files.sorted { $0.segment < $1.segment }.map(\.path)
            tracks.append(
                try RecordingTrack(
                    paths, try RecordingReader(opening: paths[0]), configuration,
                    keepsWay: keepsWay || configuration.loops != 1, keepsChecksum: keepsChecksum))
        }
        self.init(
            tracks, marks: try Self.keptMarks(of: recordings.flatMap { $0.files.map(\.path) }, tracks),
            keepsWay: keepsWay)
    }

    /// Returns the paths to play. For a recording in a stream they are its segments, beginning with the last one that
    /// starts before the start position: nothing earlier has to be read.
    private static func segments(of configuration: ReplayConfiguration) throws(RecordingError) -> [String] {
        var paths: [String] = []
        for path in configuration.paths { paths += try RemoteRecordings.segments(of: path) }
        guard configuration.paths.count == 1, paths.count > 1, let start = configuration.start else { return paths }
        for index in paths.indices.dropFirst().reversed() {
            var reader = try RecordingReader(opening: paths[index])
            guard case .record(_, let stamp)? = try reader.next() else { continue }
            if start.isAfter(stamp) { return Array(paths[index...]) }
        }
        return paths
    }

    /// Opens one recording of a group, without reading ahead.
    private static func member(
        _ path: String, _ configuration: ReplayConfiguration
    ) throws(RecordingError) -> RecordingTrack {
        try RecordingTrack(
            [path], try RecordingReader(opening: path), configuration, keepsWay: true, keepsChecksum: false)
    }

    /// Adds the members that have begun since the last call, if the group is followed.
    func lookForMembers(_ configuration: ReplayConfiguration) throws(RecordingError) {
        guard isGroup, let members = try RemoteRecordings.members(configuration.paths[0]) else { return }
        let known = Set(tracks.flatMap(\.segments))
        for path in members where !known.contains(path) {
            add(try Self.member(path, configuration))
        }
    }

    /// Returns the marks that earlier replays stored next to the files.
    private static func keptMarks(of paths: [String], _ tracks: [RecordingTrack]) throws(RecordingError) -> [PlacedMark]
    {
        guard tracks.count == 1 else { return [] }
        var marks: [PlacedMark] = []
        for path in paths where !RecordingTrack.isStream(path) {
            marks += try MarkFile(beside: path).marks().map { PlacedMark($0.label, number: $0.number, time: $0.time) }
        }
        return marks
    }

    /// Adds a mark, and stores it in the mark file next to the recording.
    func keep(_ mark: PlacedMark) throws(RecordingError) {
        add(mark)
        guard tracks.count == 1, let path = tracks.first.map({ $0.segments[$0.segment] }),
            !RecordingTrack.isStream(path)
        else {
            return
        }
        try MarkFile(beside: path).append(
            MarkFile.Mark(label: mark.label, number: mark.number, time: mark.time, wall: position.wall ?? 0))
    }

    /// Returns the time on the timeline that corresponds to a wall-clock time, in microseconds since 1970.
    func time(ofWall wall: Int64) -> Moment {
        let earliest = tracks.map(\.head.wallStart).min() ?? 0
        let (time, overflows) = wall.subtractingReportingOverflow(earliest)
        return overflows ? .zero : max(Moment(microseconds: time), .zero)
    }
}

// Comparing positions with records during a replay.
extension RecordingPosition {
    /// Returns whether a record is at or after this position. `time` is the record's time on the timeline.
    func isReached(by record: Record, _ stamp: Stamp, at time: Moment) -> Bool {
        switch self {
        case .offset(let microseconds): time.microseconds >= microseconds
        case .wall(let wall): stamp.wall >= wall
        case .record(let number): stamp.n >= number
        case .mark(let label): if case .mark(let mark) = record { mark.label == label } else { false }
        }
    }

    /// Returns whether this position is after a record with this stamp, as far as the stamp alone determines it. A mark
    /// never is.
    func isAfter(_ stamp: Stamp) -> Bool {
        switch self {
        case .offset(let microseconds): stamp.time.microseconds < microseconds
        case .wall(let wall): stamp.wall < wall
        case .record(let number): stamp.n < number
        case .mark: false
        }
    }

    /// The position in the syntax that `RecordingPosition` parses.
    var text: String {
        switch self {
        case .offset(let microseconds): "+" + TimeText.span(milliseconds: microseconds / 1000)
        case .wall(let wall): TimeText.rfc3339(wall: wall)
        case .record(let number): "n:\(number)"
        case .mark(let label): "mark:\(label)"
        }
    }
}

/// The merged model of a group's recordings. It contains the rows of all members' models.
///
/// A member drops the rows of a room that it gives away, and the member that takes the room fetches them. So the rows of a room come from
/// its holder. Several members may have the same row, such as a channel or a person; the latest change wins. The rows of a member that
/// ended or was fenced off stay until all other members have taken over. Then the rows that no other member has are removed.
struct GroupModel {
    private(set) var model: SectionedCollection<Item>
    private var diffs = 0
    /// The indices of the members whose rows no longer count.
    private(set) var gone: Set<Int> = []

    init(keepsChecksum: Bool) { model = SectionedCollection(keepsChecksum: keepsChecksum) }

    /// Converts the changes in the members' reports into changes of this model. `others` contains the models of the other members.
    mutating func merge(_ reports: [StampedReport], _ others: [SectionedCollection<Item>]) -> [StampedReport] {
        reports.compactMap { stamped in
            guard case .diff(let diff) = stamped.report else { return stamped }
            for deletion in diff.batch.deletions { drop(deletion.element.id, others) }
            for insertion in diff.batch.insertions { take(insertion.element) }
            for change in diff.batch.updates + diff.batch.moves { take(change.new) }
            guard let batch = commit() else { return nil }
            var stamped = stamped
            stamped.report = .diff(
                DiffReport(
                    sequence: diffs, cause: diff.cause, batch: batch, refetched: diff.refetched, user: diff.user,
                    isRecalled: diff.isRecalled))
            return stamped
        }
    }

    /// Removes the rows of a member that ended. `rows` is the member's last model.
    mutating func retire(
        _ member: Int, _ rows: SectionedCollection<Item>, of user: String?, _ others: [SectionedCollection<Item>],
        _ stamp: Stamp
    ) -> StampedReport? {
        gone.insert(member)
        rows.forEachElement { drop($1.id, others) }
        return commit().map { batch in
            StampedReport(
                stamp: stamp, report: .diff(DiffReport(sequence: diffs, cause: stamp.n, batch: batch, user: user)))
        }
    }

    private mutating func drop(_ id: Item.ID, _ others: [SectionedCollection<Item>]) {
        if let row = others.lazy.compactMap({ $0[id] }).first { take(row) } else { model.remove(id) }
    }

    private mutating func take(_ row: Item) {
        // The model refuses a row without a sort key.
        do throws(ModelError) { try model.upsert(row) } catch { return }
    }

    private mutating func commit() -> Batch<Item>? {
        let batch = model.commit()
        if batch != nil { diffs += 1 }
        return batch
    }
}
