import WeirEvents
package import WeirJSON
package import WeirModel
package import WeirPipeline
package import WeirTerminal
package import WeirWire

/// The state machine of the full-screen view. Reports, keys and times go in; effects come out. The screen contents are
/// a function of its state and of the screen size. It uses no clock, no terminal and no tail.
///
/// It keeps a bounded part of the reports (`WatchLog`), the model as built from the diffs, and the rooms.
package struct Watch {
    /// The configuration that a view starts with.
    package struct Settings: Sendable {
        /// The watched object: a URL, a file or the name of a tail. Untrusted text.
        package var title: String
        /// The name of the context in brackets, such as `[prod, guarded]`; `nil` without a context.
        package var badge: String?
        /// Whether the context is guarded, so that the user should think before acting.
        package var isGuarded = false
        /// Whether the view shows a recording, which the user can seek in. Otherwise it shows a live session.
        package var isReplay = false
        /// The path of the recording; `nil` when nothing is recorded.
        package var file: String?
        /// The reason why the view cannot send to the server; `nil` when it can.
        package var silence: String?
        /// Whether the view can join and leave rooms.
        package var steersRooms = false
        /// The layout of log lines.
        package var lines = LineSettings()
        /// The colours of the screen.
        package var theme = TerminalTheme(.auto)
        /// The filter at the start.
        package var filters = FilterSetting()
        /// Creates default settings with a title.
        package init(title: String) { self.title = title }
    }

    /// The inputs of the view.
    package enum Input: Sendable {
        /// Reports from the session, in order.
        case reports([StampedReport])
        /// A key press, a mouse action or a paste.
        case terminal(TerminalInput)
        /// The new size of the terminal, in columns and rows.
        case resized(width: Int, height: Int)
        /// Advances the view's time, with no other input.
        case tick
        /// A notice to show for a few seconds.
        case said(String)
        /// The end of the session, with the reason.
        case ended(String)
        /// The start of a seek in a replay. The view forgets what came after this record number and time. The replay
        /// reports everything from there to its goal again, at once.
        case moves(to: Int, at: Moment)
        /// The end of a seek, with the model at that position.
        case arrives(SectionedCollection<Item>)
        /// The current position of the replay.
        case stands(ReplayProgress)
        /// The length of the recording, as the time of its last record.
        case length(Moment)
        /// The end of the preamble. Earlier reports only set up the state. The log starts here, with this model.
        case begins(SectionedCollection<Item>)
        /// A filter setting that was changed outside the view.
        case filters(FilterSetting)
        /// The names of the muted rooms, as set outside the view.
        case mutes(Set<String>)
        /// A request from outside to pause or resume the view.
        case held(Bool)
        /// The user's new selection, in the format of `weir ctl globals`.
        case selected(JSONValue)
        /// A saved draft for a destination.
        case draft(WritingPlace, String)
    }

    /// The requests that the view makes to its host.
    package enum Effect: Hashable, Sendable {
        /// Subscribe to a room or unsubscribe from it.
        case join(String), leave(String)
        /// Hide a room or show it again; `true` hides it. The view has already applied the change.
        case mute(String, Bool)
        /// Send the typed event, or the typed answer to the event with this acknowledgement id.
        case emit(String), answer(Int, namespace: String, String)
        /// Perform an operation at the backend.
        case act(Action.Operation)
        /// Save a draft, or delete it when the text is `nil`; or load the saved draft of a destination.
        case keepDraft(WritingPlace, String?), findDraft(WritingPlace)
        /// Add a mark with this label to the recording.
        case mark(String)
        /// Copy text to the clipboard. The text is already escaped.
        case copy(String)
        /// Pass a command to the player of the recording.
        case play(ReplayKeys.Command)
        /// Close the view. A tail in this process ends, too; an attached tail goes on.
        case quit
    }

    /// The pane that receives keys.
    enum Focus: Hashable {
        case log, sections, rooms, detail
    }

    /// The kinds of typed input.
    enum Question: Hashable {
        case search, filter, highlight, mark, join, place, emit, rows, group
        case answer(Int, namespace: String)
        case write(Writing)
    }

    /// The current meaning of keys.
    enum Mode: Hashable {
        /// Keys are commands. → asking, help
        case browsing
        /// Keys edit an input line. → browsing
        case asking(Question, TerminalEditor)
        /// Any key closes the help. → browsing
        case help
    }

    var settings: Settings
    package var width = 80
    package var height = 24
    package var log = WatchLog()
    var rooms = WatchRooms()
    var rate = WatchRate()
    /// Rate and lag of the last minute, and whether they are shown.
    var load = LoadHistory()
    var showsChart = false
    var modelPane = ModelPane()
    /// The formatter for reports, without times. It also keeps the known names.
    var printer: EventLines
    var clock: ZoneClock
    var counters = Counters()
    var place = Place()
    /// The reason why the session ended; `nil` while it runs.
    var ending: String?

    var mode = Mode.browsing
    var cursor = Cursor()
    var showsRooms = false
    var detail: WatchDetail?
    var wraps = false
    package var filtering = Filtering()
    /// The user's current selection, in the format of `weir ctl globals`; `nil` while it is not known.
    var selected: JSONValue?
    var drafting = Drafting()
    /// The notice on display and the time it disappears.
    var passing: (text: String, until: Moment)?
    /// The monotonic time of the latest input.
    var now = Moment.zero

    /// The model and how its pane shows it.
    struct ModelPane {
        /// The model; `nil` when it is not known, as during a seek.
        var model: WatchModel? = WatchModel()
        /// The grouping, order and row filter. It survives a replacement of the model.
        var look = WatchModel.Look() { didSet { model?.look = look } }
        var flashes = WatchFlashes()
    }

    /// The state of the connection, and what the session reported so far.
    struct Counters {
        var connection = "connecting"
        var isConnected = false
        var events = 0
        var gaps = 0
        var problems = 0
        /// The last event's record number and room. Changes with that cause belong to the same room.
        var cause: (number: Int, room: String?) = (0, nil)
    }

    /// The place in a recording.
    struct Place {
        /// The highest record number so far.
        var furthest = 0
        /// The highest record number at the time of the last seek. Records up to it are already in the counters, and a
        /// replay may repeat them.
        var counted = 0
        var progress: ReplayProgress?
        var length: Moment?
    }

    /// The pane that receives keys, and the selected row of each pane.
    struct Cursor {
        var focus = Focus.log
        /// The serial number of the selected entry; `nil` for the newest one.
        var entry: Int?
        /// The serial number of the newest entry in view; `nil` while the view follows new entries.
        var anchor: Int?
        /// The index of the selected group in the model pane.
        var section = 0
        /// The index of the selected room in the list.
        var room = 0
        /// The number of rooms and the revision of the names when the rooms were last sorted.
        var arranged = (0, 0)
    }

    /// The filters of the log, and the texts that it marks.
    package struct Filtering {
        /// The setting in force. A filter being typed is not part of it until the user confirms it.
        package var setting = FilterSetting()
        /// The error in the typed filter; `nil` when it is valid.
        var error: FilterError?
        /// The completion candidates after Tab.
        var choices: [String] = []
        var search = ""
        var highlight = ""
    }

    /// The texts that were typed in this view and not sent.
    package struct Drafting {
        var texts: [WritingPlace: String] = [:]
        /// The time to save the text being typed; `nil` when it is already saved.
        var due: Moment?
    }

    /// Creates a view with an empty log.
    package init(_ settings: Settings) {
        self.settings = settings
        filtering.setting = settings.filters
        log.show(settings.filters, chatOnly: false, knowing: KnownNames())
        var lines = settings.lines
        // The view puts a time before every line, not only before events.
        lines.time = .none
        lines.spacer = nil
        printer = EventLines(isCompact: true, width: nil, lines)
        clock = ZoneClock(settings.lines.zone)
    }

    /// The display time of a notice.
    static let passingTime: Duration = .seconds(4)
    /// The minimum length of a silence, in microseconds of session time.
    static let silence: Int64 = 5_000_000

    /// Handles one input. Appends the resulting effects.
    ///
    /// - Parameter now: The monotonic time. A time before the latest one is ignored.
    package mutating func handle(_ input: Input, at now: Moment, into effects: inout [Effect]) {
        self.now = max(self.now, now)
        switch input {
        case .reports(let reports): for report in reports { take(report) }
        case .terminal(let input): take(input, into: &effects)
        case .resized(let width, let height):
            (self.width, self.height) = (width, height)
            keepSelectionInView()
        case .tick: break
        case .said(let text): say(text)
        case .ended(let why):
            ending = why
            counters.isConnected = false
        case .moves(let number, let time):
            place.counted = place.furthest
            log.removeAll(behind: number, time, knowing: printer.names)
            modelPane.model = nil
            modelPane.flashes = WatchFlashes()
        case .arrives(let model):
            modelPane.model = WatchModel(model, modelPane.look)
            printer.names.learn(from: model)
            log.show(log.setting, chatOnly: log.isChat, knowing: printer.names)
            keepSelectionInView()
        case .stands(let progress): place.progress = progress
        case .length(let length): place.length = length
        case .begins(let model): begin(with: model)
        case .filters(let setting): take(setting)
        case .mutes(let rooms): take(muted: rooms)
        case .held(let isHeld): if isHeld != self.isHeld { togglePause() }
        case .selected(let value): selected = value
        case .draft(let place, let text): take(draft: text, for: place)
        }
        keepDraft(ifDueAt: self.now, into: &effects)
        if let passing, passing.until <= self.now { self.passing = nil }
        modelPane.flashes.forget(before: self.now)
        rate.advance(to: self.now)
    }

    /// The next time at which the screen changes without input; `nil` when it stays as it is.
    package var deadline: Moment? {
        var times = [passing?.until, modelPane.flashes.deadline, drafting.due].compactMap { $0 }
        if rate.isMoving { times.append(rate.nextSecond) }
        return times.min()
    }

    /// Shows a notice for `passingTime`.
    mutating func say(_ text: String) { passing = (text, now + Self.passingTime) }
}

// Handling of reports.
extension Watch {
    mutating func take(_ stamped: StampedReport) {
        var room: String?
        place.furthest = max(place.furthest, stamped.stamp.n)
        load.take(stamped, at: now)
        let isCounted = stamped.stamp.n > place.counted || !settings.isReplay
        switch stamped.report {
        case .event(let event):
            room = event.room
            counters.cause = (stamped.stamp.n, room)
            rate.add(at: now)
            if isCounted {
                counters.events += 1
                if let room { count(room, stamped.stamp.wall) }
            }
        case .diff(let diff):
            if diff.cause > 0, diff.cause == counters.cause.number { room = counters.cause.room }
            follow(diff)
        case .gap(let gap): if isCounted, gap.isLoss { counters.gaps += 1 }
        case .connection(let change): take(change)
        case .room(let report):
            room = report.room
            rooms.take(report)
        case .emit(let report): if report.isAnswer, report.outcome == .sent { log.noteAnswer(report) }
        case .typing, .action, .refetch, .undecodable, .notice: break
        }
        arrangeRooms()
        guard stamped.report.isWorthALine else { return }
        if stamped.report.isProblem, isCounted { counters.problems += 1 }
        log.append(stamped, room: room, isMuted: room.map { rooms.isMuted($0) } ?? false)
    }

    mutating func begin(with model: SectionedCollection<Item>) {
        modelPane.model = WatchModel(model, modelPane.look)
        printer.names.learn(from: model)
        log.removeAll(behind: 0, .zero, knowing: printer.names)
        modelPane.flashes = WatchFlashes()
        rate = WatchRate()
        load = LoadHistory()
        (counters.events, counters.gaps, counters.problems) = (0, 0, 0)
    }

    /// Sorts the rooms so that channels come before lists and the user's own rooms. The selected room stays selected.
    private mutating func arrangeRooms() {
        let now = (rooms.list.count, printer.names.revision)
        guard now != cursor.arranged else { return }
        cursor.arranged = now
        let selected = rooms.list.indices.contains(cursor.room) && cursor.room > 0 ? rooms.list[cursor.room].name : nil
        let names = printer.names
        rooms.putFirst { names.look(at: $0).channel != nil }
        if let selected { cursor.room = rooms.list.firstIndex { $0.name == selected } ?? cursor.room }
    }

    private mutating func count(_ room: String, _ wall: Int64) {
        rooms.count(room, at: now, wall: wall)
    }

    private mutating func take(_ change: ConnectionReport) {
        switch change {
        case .connecting(let attempt, _):
            counters.connection = attempt > 1 ? "connecting, attempt \(attempt)" : "connecting"
            counters.isConnected = false
        case .ready:
            counters.connection = "connected"
            counters.isConnected = true
        case .lost(let why, _):
            counters.connection = "disconnected: " + why
            counters.isConnected = false
        }
    }

    private mutating func follow(_ diff: DiffReport) {
        let rows = DiffRow.rows(of: diff.batch)
        printer.names.learn(from: diff)
        guard modelPane.model != nil else { return }
        do {
            try modelPane.model?.apply(diff.batch)
        } catch {
            // The batch fits unless there are several sessions at once, or a session that did not start empty.
            modelPane.model = nil
            return
        }
        modelPane.flashes.note(rows, at: now)
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
