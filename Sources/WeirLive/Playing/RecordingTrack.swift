import Glibc
import WeirEvents
import WeirModel
import WeirPipeline
import WeirRecording
import WeirWire

/// One recording during a replay: the reader of its file or segments, the session it drives, and the next entry.
///
/// Not thread-safe: use it on the replay's thread only.
final class RecordingTrack {
    /// How far a track has read its recording.
    enum Phase {
        /// More entries may follow. → starved, over
        case reading
        /// Everything available was read; a followed file may grow. → reading
        case starved
        /// Everything was read without an end record. The missing end has yet to be reported. → over
        case unended
        /// The recording has ended, or its end was reported as missing.
        case over
    }

    /// The state that returns a track to an earlier position.
    struct Bookmark {
        fileprivate var player: RecordPlayer
        fileprivate var segment: Int
        fileprivate var place: RecordingReader.Place
        fileprivate var last: Moment
        fileprivate var isOver: Bool
        fileprivate var isEndKnown: Bool
    }

    /// The head of the first segment.
    let head: Record.Head
    /// The transport of the messages at the current position.
    var carrier = MessageCarrier()
    /// Microseconds to add to the recording's times, so that merged tracks share one timeline.
    var shift: Int64 = 0
    /// The next entry; `nil` if it has yet to be read, or there is none.
    private(set) var next: RecordingReader.Entry?
    /// The event of `next`, if it was decoded ahead.
    private var event: EventReport?
    private(set) var phase = Phase.reading
    /// Drives the session and collects its reports.
    var player: RecordPlayer
    /// The time of the last record played, on the recording's own clock.
    private(set) var last = Moment.zero
    /// The paths of the segments, in order.
    private(set) var segments: [String]
    private(set) var segment = 0

    private var reader: RecordingReader
    /// Reads instead of `reader` if the replay never goes back.
    private let ahead: ReadAhead?
    private let follows: Bool
    /// The configuration of a live stream; `nil` for a file.
    private let live: ReplayConfiguration?
    /// The model and the rooms from before the stream restarted, until its initial state is complete.
    private var before: (model: SectionedCollection<Item>, rooms: RoomSubscriptions)?
    private let keepsChecksum: Bool
    /// The position of `next`, taken before its line was read.
    private var placeOfNext: RecordingReader.Place
    /// Whether the last entry completed its line. A bookmark can be set only then.
    private var isAtLine = true
    /// Whether `next` is the first entry of its line.
    private var isNextWhole = true
    /// Whether the last entry determines how the file ends: an end record or a torn tail.
    private var isEndKnown = false
    /// The expected number of the first record of a later segment; `nil` once that record has come.
    private var dueNumber: Int?

    /// Opens the first segment and starts its session. With `keepsWay` bookmarks can be set.
    init(
        _ segments: [String], _ reader: consuming RecordingReader, _ asked: ReplayConfiguration, keepsWay: Bool,
        keepsChecksum: Bool
    ) throws(RecordingError) {
        head = reader.head
        self.segments = segments
        follows = asked.follows
        live = asked.stream == nil ? nil : asked
        self.keepsChecksum = keepsChecksum || asked.verifies
        placeOfNext = reader.place
        var configuration = try Configuration(of: reader.head, in: segments[0])
        if let backend = asked.backend { configuration.backend = backend }
        let readsAhead = !keepsWay && !follows && segments.count == 1
        ahead = readsAhead ? try ReadAhead(segments[0], configuration) : nil
        player = RecordPlayer(
            of: reader.head, configuration, keepsChecksum: keepsChecksum, refetch: asked.refetch,
            verifies: asked.verifies)
        self.reader = reader
        if segments.count > 1 { nameFile() }
        player.start()
    }

    /// Makes complaints name the current file, which is needed when there are several.
    func nameFile() { player.file = segments[segment] }

    /// Returns whether a path can be read only once: standard input, or anything but a regular file.
    static func isStream(_ path: String) -> Bool {
        var facts = stat()
        return path == "-" || stat(path, &facts) == 0 && facts.st_mode & S_IFMT != S_IFREG
    }

    /// A descriptor that is readable when more data may be available; `nil` for a file.
    var growth: Int32? { reader.growth }

    /// How far the current file was read, in bytes of its text.
    var offset: Int { ahead?.offset ?? reader.place.offset }

    /// The time of the next entry on the timeline. An entry other than a record is due at once.
    var nextTime: Moment {
        guard case .record(_, let stamp)? = next else { return onTimeline(last) }
        return onTimeline(max(stamp.time, last))
    }

    /// Returns a time of this recording on the timeline.
    func onTimeline(_ time: Moment) -> Moment {
        let (sum, overflows) = time.microseconds.addingReportingOverflow(shift)
        return overflows ? time : Moment(microseconds: sum)
    }

    /// Reads the next entry, unless it is known already. A missing end counts as coming next, although it is not an
    /// entry.
    ///
    /// - Returns: `false` if there is nothing next.
    func look() throws(RecordingError) -> Bool {
        if next != nil || phase == .unended { return true }
        guard case .reading = phase else { return false }
        while true {
            if isAtLine { placeOfNext = reader.place }
            isNextWhole = isAtLine
            guard let entry = try read() else { return phase == .unended }
            if let entry = numbered(entry) {
                next = entry
                return true
            }
        }
    }

    /// Resumes reading a followed file that may have grown.
    func readMore() throws(RecordingError) {
        guard case .starved = phase else { return }
        if let why = reader.whyOver(behind: placeOfNext) {
            let place = placeOfNext
            player.play(
                .damage(line: place.line, offset: place.offset, bytes: 0, message: "\(why); the rest is not shown"))
            phase = .over
            return
        }
        // A reader at the end of its file finds nothing more, so it returns to the position of the next entry.
        try reader.move(to: placeOfNext)
        phase = .reading
    }

    /// Whether the next entry is available without waiting.
    var hasEntryAtHand: Bool {
        if next != nil || ahead != nil || reader.hasEntryAtHand { return true }
        guard let stream = live?.stream else { return false }
        var wait = pollfd(fd: stream, events: Int16(POLLIN), revents: 0)
        return poll(&wait, 1, 0) > 0
    }

    /// Whether every entry was played and no further one can follow, because the recording ended or was fenced off.
    var isFinished: Bool { if case .over = phase { next == nil } else { false } }

    /// Whether the next entry only repeats earlier state.
    var isNextRestated: Bool {
        switch next {
        case .record(.head, _)?: true
        case .record(_, let stamp)?: stamp.isRestated
        case .damage?, .tornTail?, .discontinuity?, .checksumMismatch?, .displacement?, nil: false
        }
    }

    /// Plays the next entry, or reports that the end is missing.
    func play() {
        guard let entry = next else {
            guard phase == .unended else { return }
            phase = .over
            return player.missEnd()
        }
        next = nil
        if live != nil, playLive(entry) { return }
        if case .record(let record, let stamp) = entry {
            last = max(last, stamp.time)
            if case .end(let end) = record, end.why != .rotated { phase = .over }
        }
        player.play(entry, event: event)
    }

    // MARK: - A stream

    /// Handles the entries that only a stream has: losses on the way, and a new head after them. Returns whether the
    /// entry was played.
    private func playLive(_ entry: RecordingReader.Entry) -> Bool {
        switch entry {
        // The gap record that follows contains the count and the cause.
        case .discontinuity: return true
        case .record(.gap(let gap), let stamp) where gap.why == GapReport.Cause.overflow.rawValue:
            let report = GapReport(
                cause: .overflow, from: gap.from ?? stamp.time, to: gap.to ?? stamp.time, lost: gap.lost)
            player.reports.append(StampedReport(stamp: stamp, report: .gap(report)))
            last = max(last, stamp.time)
            return true
        case .record(.head(let head), _):
            beginAnew(head)
            return true
        case .record(_, let stamp):
            guard let old = before else { return false }
            if stamp.isRestated {
                let kept = player.reports
                player.play(entry)
                // The repeated records were reported before the restart.
                player.reports = kept
                return true
            }
            before = nil
            tellDifference(from: old.model, stamp)
            tellRooms(from: old.rooms, stamp)
            return false
        case .damage, .tornTail, .checksumMismatch, .displacement: return false
        }
    }

    /// Starts a new session. After a loss the stream continues with a new head and all the state that a session needs.
    private func beginAnew(_ head: Record.Head) {
        guard let live, let configuration = try? Configuration(of: head, in: segments[0]) else { return }
        let reports = player.reports
        if before == nil { before = (player.session.model, player.session.subscriptions) }
        player = RecordPlayer(of: head, configuration, keepsChecksum: keepsChecksum, refetch: live.refetch)
        player.start()
        player.reports = reports
    }

    /// Reports the changes of the model during the loss as one diff.
    private func tellDifference(from old: SectionedCollection<Item>, _ stamp: Stamp) {
        var model = old
        var elements: [Item] = []
        player.session.model.forEachElement { elements.append($1) }
        do throws(ModelError) {
            try model.stageDifference(from: elements)
        } catch {
            return
        }
        guard let batch = model.commit() else { return }
        tell(.diff(DiffReport(sequence: 0, cause: 0, batch: batch, user: player.session.user)), stamp)
    }

    /// Reports the changes of the rooms during the loss.
    private func tellRooms(from old: RoomSubscriptions, _ stamp: Stamp) {
        let new = player.session.subscriptions
        for gone in old.entries where new[gone.name] == nil {
            tell(.room(RoomReport(change: .left, room: gone.name, source: "")), stamp)
        }
        for entry in new.entries where entry.report.change != old[entry.name]?.report.change {
            tell(.room(entry.report), stamp)
        }
    }

    private func tell(_ report: Report, _ stamp: Stamp) {
        player.reports.append(
            StampedReport(stamp: Stamp(n: 0, time: stamp.time, wall: stamp.wall), report: report))
    }

    // MARK: - Going back

    /// Returns the current state, or `nil` if the track cannot return to it: streams and files that are read ahead
    /// cannot be moved back, and no track can start within a line.
    func bookmark(keepsReports: Bool) -> Bookmark? {
        guard ahead == nil, next == nil ? isAtLine : isNextWhole, !Self.isStream(segments[segment]) else {
            return nil
        }
        var isOver = false
        if next == nil, case .over = phase { isOver = true }
        var resting = player
        if !keepsReports { resting.reports = [] }
        return Bookmark(
            player: resting, segment: segment, place: next == nil ? reader.place : placeOfNext, last: last,
            isOver: isOver, isEndKnown: isEndKnown)
    }

    /// Moves to a bookmark, back or forward.
    func go(to bookmark: Bookmark) throws(RecordingError) {
        if bookmark.segment != segment {
            reader = try RecordingReader(opening: segments[bookmark.segment])
            segment = bookmark.segment
        }
        try reader.move(to: bookmark.place)
        player = bookmark.player
        last = bookmark.last
        next = nil
        isAtLine = true
        dueNumber = nil
        phase = bookmark.isOver ? .over : .reading
        isEndKnown = bookmark.isEndKnown
    }

    // MARK: - Reading

    /// Returns the next entry of the file or of the next segment, or `nil` if there is none.
    private func read() throws(RecordingError) -> RecordingReader.Entry? {
        if let ahead {
            guard let item = try ahead.next() else {
                readAll()
                return nil
            }
            let entry = item.entry
            isEndKnown = entry.saysEnd
            event = item.event
            return entry
        }
        while true {
            guard let entry = try reader.next() else {
                if try openNextSegment() { continue }
                if reader.isFenced { phase = .over } else if follows { phase = .starved } else { readAll() }
                return nil
            }
            isEndKnown = entry.saysEnd
            switch entry {
            case .tornTail where follows && segment == segments.count - 1 && !reader.isFenced:
                phase = .starved
                return nil
            case .discontinuity, .checksumMismatch, .displacement: isAtLine = false
            case .record, .damage, .tornTail: isAtLine = true
            }
            return entry
        }
    }

    /// Ends the track. A live stream has no end record, and its viewer is informed that it is over.
    private func readAll() { phase = isEndKnown || live != nil ? .over : .unended }

    private func openNextSegment() throws(RecordingError) -> Bool {
        let due = reader.place.number
        if segment + 1 < segments.count {
            reader = try RecordingReader(opening: segments[segment + 1])
        } else {
            // The writer may have started another segment. It cannot be opened until its head is written.
            guard follows, isEndKnown, let next = SegmentPlan.successor(of: segments[segment]),
                let begun = try? RecordingReader(opening: next), begun.head.recording == head.recording
            else { return false }
            reader = begun
            segments.append(next)
        }
        segment += 1
        if player.file != nil { nameFile() }
        dueNumber = due
        isAtLine = true
        isEndKnown = false
        placeOfNext = reader.place
        return true
    }

    /// Skips what a later segment repeats for readers without the earlier ones. Reports a jump in the record numbers
    /// between the segments.
    private func numbered(_ entry: RecordingReader.Entry) -> RecordingReader.Entry? {
        guard let due = dueNumber else { return entry }
        switch entry {
        case .discontinuity: return nil
        case .record(let record, let stamp):
            guard !record.isUnnumbered, stamp.n >= due else { return nil }
            dueNumber = nil
            if stamp.n > due {
                let place = reader.place
                player.play(.discontinuity(expected: due, found: stamp.n, line: place.line - 1))
            }
            return entry
        case .damage, .tornTail, .checksumMismatch, .displacement: return entry
        }
    }
}

extension RecordingReader.Entry {
    /// Whether the entry determines how the file ends.
    fileprivate var saysEnd: Bool {
        switch self {
        case .record(.end, _), .tornTail: true
        case .record, .damage, .discontinuity, .checksumMismatch, .displacement: false
        }
    }
}

extension RoomSubscriptions.Entry {
    /// The state of the room as a report.
    fileprivate var report: RoomReport {
        let (change, why): (RoomReport.Change, String?) =
            switch state {
            case .wanted: (.wanted, nil)
            case .joining: (.joining, nil)
            case .joined: (.joined, nil)
            case .refused(let why): (.refused, why)
            }
        return RoomReport(change: change, room: name, source: source.rawValue, why: why)
    }
}
