import Events
import Glibc
import Pipeline
import Recording
import SectionedModel
import Wire

/// One recording being played: the reader of its file or of its segments, the session it drives, and the entry that comes next.
///
/// Not thread-safe: the replay's thread.
final class Track {
    /// Where a track is with what it reads.
    enum Phase {
        /// More may follow. → starved, over
        case reading
        /// Everything that is there was read; a file that is followed may grow. → reading
        case starved
        /// Everything was read, and no end was there: that is still to be told. → over
        case unended
        /// Nothing follows.
        case over
    }

    /// What a track has to be put back to, to stand at an earlier place.
    struct Bookmark {
        fileprivate var player: Player
        fileprivate var segment: Int
        fileprivate var place: RecordingReader.Place
        fileprivate var last: Moment
        fileprivate var isOver: Bool
        fileprivate var isEndKnown: Bool
    }

    /// The recording's head.
    let head: Record.Head
    /// The transport of the messages at the current position.
    var carrier = MessageCarrier()
    /// Microseconds to add to the recording's times, so that tracks that are merged have one time.
    var shift: Int64 = 0
    /// What is next; nil when it must be read first, or nothing is there.
    private(set) var next: RecordingReader.Entry?
    /// The event that `next` brings, where it was decoded ahead.
    private var event: EventReport?
    private(set) var phase = Phase.reading
    /// Drives the session. Reports gather in it.
    var player: Player
    /// Time of the last record played, on the recording's own clock.
    private(set) var last = Moment.zero
    /// The segments' paths, in order.
    private(set) var segments: [String]
    private(set) var segment = 0

    private var reader: RecordingReader
    /// Reads instead of the reader, where nobody goes back.
    private let ahead: ReadAhead?
    private let follows: Bool
    /// What a live stream is played with; nil of a file.
    private let live: ReplayConfiguration?
    /// The model and the rooms before the stream began anew, until it has said what it begins with.
    private var before: (model: SectionedCollection<Item>, rooms: RoomBook)?
    private let keepsChecksum: Bool
    /// The place of `next`, while nothing of its line was given yet.
    private var placeOfNext: RecordingReader.Place
    /// Whether what was given last of the file is a whole line's: only then a bookmark can be set.
    private var isAtLine = true
    /// Whether `next` is the first that its line gave.
    private var isNextWhole = true
    /// Whether what was read last says itself how the file ends: with its end, or torn.
    private var isEndKnown = false
    /// The number that the first record of a later segment is due to have, while that has not come.
    private var dueNumber: Int?

    /// Opens the first segment and begins its session. With `keepsWay`, bookmarks can be set.
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
        player = Player(
            of: reader.head, configuration, keepsChecksum: keepsChecksum, refetch: asked.refetch,
            verifies: asked.verifies)
        self.reader = reader
        if segments.count > 1 { nameFile() }
        player.start()
    }

    /// Has what is complained of name the file it is in, from here on: there are several.
    func nameFile() { player.file = segments[segment] }

    /// Whether a file can be read only once.
    static func isStream(_ path: String) -> Bool {
        var facts = stat()
        return path == "-" || stat(path, &facts) == 0 && facts.st_mode & S_IFMT != S_IFREG
    }

    /// A descriptor that can be read when more may be there; nil of a file.
    var growth: Int32? { reader.growth }

    /// How far the file at hand was read, in bytes of its text.
    var offset: Int { ahead?.offset ?? reader.place.offset }

    /// Time of the next entry, on the timeline. What is no record is due at once.
    var nextTime: Moment {
        guard case .record(_, let stamp)? = next else { return onTimeline(last) }
        return onTimeline(max(stamp.time, last))
    }

    /// A time of this recording, on the timeline.
    func onTimeline(_ time: Moment) -> Moment {
        let (sum, overflows) = time.microseconds.addingReportingOverflow(shift)
        return overflows ? time : Moment(microseconds: sum)
    }

    /// Reads what comes next, unless it is known. False when nothing is there. That there is no end comes next, too, and is no entry.
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

    /// The file may have grown.
    func lookAgain() throws(RecordingError) {
        guard case .starved = phase else { return }
        if let why = reader.whyOver(behind: placeOfNext) {
            let place = placeOfNext
            player.play(
                .damage(line: place.line, offset: place.offset, bytes: 0, message: "\(why); what follows is not shown"))
            phase = .over
            return
        }
        // Behind its end a reader finds nothing more: it comes back to the place it had.
        try reader.move(to: placeOfNext)
        phase = .reading
    }

    /// Whether what comes next is at hand already, so that nobody has to wait for it.
    var hasEntryAtHand: Bool {
        if next != nil || ahead != nil || reader.hasEntryAtHand { return true }
        guard let stream = live?.stream else { return false }
        var wait = pollfd(fd: stream, events: Int16(POLLIN), revents: 0)
        return poll(&wait, 1, 0) > 0
    }

    /// Whether what comes next only says again what came before.
    var isNextRestated: Bool {
        switch next {
        case .record(.head, _)?: true
        case .record(_, let stamp)?: stamp.isRestated
        case .damage?, .tornTail?, .discontinuity?, .checksumMismatch?, .displacement?, nil: false
        }
    }

    /// Plays what comes next.
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

    /// Plays what only a stream has: what was lost on the way, and a new beginning behind it.
    private func playLive(_ entry: RecordingReader.Entry) -> Bool {
        switch entry {
        // The gap that follows says how much is missing, and why.
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
                // What is said again was told.
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

    /// The stream goes on behind a loss, with all that must be known.
    private func beginAnew(_ head: Record.Head) {
        guard let live, let configuration = try? Configuration(of: head, in: segments[0]) else { return }
        let reports = player.reports
        if before == nil { before = (player.session.model, player.session.roomBook) }
        player = Player(of: head, configuration, keepsChecksum: keepsChecksum, refetch: live.refetch)
        player.start()
        player.reports = reports
    }

    /// What became different meanwhile, at once.
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

    /// What became of rooms meanwhile.
    private func tellRooms(from old: RoomBook, _ stamp: Stamp) {
        let new = player.session.roomBook
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

    /// Where the track stands; nil where it cannot be put back to: a stream and what is read ahead cannot, and no track can inside a
    /// line.
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

    /// Goes back to a place, or on to one that was passed before.
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

    /// The next entry of the file or of the next segment; nil when nothing is there.
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
                if follows { phase = .starved } else { readAll() }
                return nil
            }
            isEndKnown = entry.saysEnd
            switch entry {
            case .tornTail where follows && segment == segments.count - 1:
                phase = .starved
                return nil
            case .discontinuity, .checksumMismatch, .displacement: isAtLine = false
            case .record, .damage, .tornTail: isAtLine = true
            }
            return entry
        }
    }

    /// Nothing more is there. A live stream has no end, and its viewer is told that it is over.
    private func readAll() { phase = isEndKnown || live != nil ? .over : .unended }

    private func openNextSegment() throws(RecordingError) -> Bool {
        let due = reader.place.number
        if segment + 1 < segments.count {
            reader = try RecordingReader(opening: segments[segment + 1])
        } else {
            // The writer may have begun another segment; until its head is written, it cannot be opened.
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

    /// A later segment begins with what came before it, for who has it alone: that is passed over.
    private func numbered(_ entry: RecordingReader.Entry) -> RecordingReader.Entry? {
        guard let due = dueNumber else { return entry }
        switch entry {
        case .discontinuity: return nil
        case .record(let record, let stamp):
            guard !record.isAside, stamp.n >= due else { return nil }
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
    /// Whether whoever comes to it knows how the file ends.
    fileprivate var saysEnd: Bool {
        switch self {
        case .record(.end, _), .tornTail: true
        case .record, .damage, .discontinuity, .checksumMismatch, .displacement: false
        }
    }
}

extension RoomBook.Entry {
    /// How it stands, as it is told of.
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
