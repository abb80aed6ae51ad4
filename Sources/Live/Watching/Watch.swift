import Recording
import Events
package import JSONText
package import Pipeline
package import SectionedModel
package import Terminal
package import Wire

/// The full-screen view, as far as it decides: reports, keys and time in, effects out, and what is on the screen as a function of
/// what it holds and of the screen's size. Pure: it knows no clock, no terminal and no tail.
///
/// It holds a bounded part of what it was told (`WatchLog`), the model as the diffs made it, and the rooms.
package struct Watch {
    /// What it is told once.
    package struct Settings: Sendable {
        /// What is watched: a URL, a file, a tail's name. Untrusted text.
        package var title: String
        /// The context it is watched in, and whether that is guarded; nil for none.
        package var badge: String?
        /// Whether somebody should think before doing something there.
        package var isGuarded = false
        /// Whether it is a recording, which can be gone through; else it goes on by itself.
        package var isReplay = false
        /// Where everything is kept; nil when nothing keeps it.
        package var file: String?
        /// Why nothing can be said to the server; nil when it can.
        package var silence: String?
        /// Whether rooms can be joined and left.
        package var steersRooms = false
        /// How lines are laid out.
        package var lines = LineSettings()
        /// How everything looks.
        package var theme = TerminalTheme(.auto)
        /// What is shown to begin with.
        package var filters = ViewFilter.Setting()
        /// Settings of something with that title.
        package init(title: String) { self.title = title }
    }

    /// What happens to it.
    package enum Input: Sendable {
        /// Something was reported.
        case reports([StampedReport])
        /// Somebody did something at the terminal.
        case terminal(TerminalInput)
        /// The terminal has another size.
        case resized(width: Int, height: Int)
        /// Time passed.
        case tick
        /// Something is to be told in passing.
        case said(String)
        /// Nothing more will come, since.
        case ended(String)
        /// A replay goes somewhere: what stands behind that record and that time comes anew.
        case moves(to: Int, at: Moment)
        /// It is there, and the model is this.
        case arrives(SectionedCollection<Item>)
        /// How far it is.
        case stands(ReplayStanding)
        /// How long the recording is.
        case length(Moment)
        /// What was told so far is so, and was told for that alone: the view begins here, with this model.
        case begins(SectionedCollection<Item>)
        /// Somebody else changed what is shown.
        case filters(ViewFilter.Setting)
        /// These rooms are hidden, by whoever said so.
        case mutes(Set<String>)
        /// Somebody else wants what comes to wait, or to be shown again.
        case held(Bool)
        /// The user selected something else: what `weir ctl globals` gives.
        case selected(JSONValue)
        /// The text that waits for a place.
        case draft(WritingPlace, String)
    }

    /// What it wants done.
    package enum Effect: Hashable, Sendable {
        /// A room is wanted, or not any more.
        case join(String), leave(String)
        /// A room is to be hidden, or not any more; here it is.
        case mute(String, Bool)
        /// What was typed is to be sent: an event, or the answer to the event that asks for that acknowledgement.
        case emit(String), answer(Int, namespace: String, String)
        /// This is to be done at the backend.
        case act(Action.Operation)
        /// A text waits for a place, or no more; or the view asks for the one that waits.
        case keepDraft(WritingPlace, String?), findDraft(WritingPlace)
        /// A place is to be remembered in the recording.
        case mark(String)
        /// Text for the clipboard, escaped.
        case copy(String)
        /// What a player is to do.
        case play(PlayControl.Command)
        /// The view is to end.
        case quit
    }

    /// What keys go to.
    enum Focus: Hashable {
        case log, sections, rooms, detail
    }

    /// What is typed, and what for.
    enum Question: Hashable {
        case search, filter, highlight, mark, join, place, emit, rows, group
        case answer(Int, namespace: String)
        case write(Writing)
    }

    /// What the keys are.
    enum Mode: Hashable {
        /// Commands. → asking, help
        case browsing
        /// Letters of a line. → browsing
        case asking(Question, TerminalEditor)
        /// Any ends the help. → browsing
        case help
    }

    var settings: Settings
    var width = 80
    var height = 24
    var log = WatchLog()
    var rooms = WatchRooms()
    var rate = WatchRate()
    /// The model; nil when it is not known.
    var model: WatchModel? = WatchModel()
    /// What is shown of the model, and how; it stays when another model comes.
    var modelLook = WatchModel.Look() { didSet { model?.look = modelLook } }
    var flashes = WatchFlashes()
    /// Prints reports, without their times; it knows who is called how.
    var printer: EventLines
    var clock: ZoneClock
    var connection = "connecting"
    var isConnected = false
    var events = 0
    var gaps = 0
    var problems = 0
    /// The event that was told last, whose changes belong to its room.
    var cause: (number: Int, room: String?) = (0, nil)
    /// Number of the last record told of; and of the last one that is not counted again, since a replay went back.
    var furthest = 0
    var counted = 0
    /// Why nothing more comes.
    var ending: String?
    var standing: ReplayStanding?
    var length: Moment?

    var mode = Mode.browsing
    var focus = Focus.log
    var showsRooms = false
    var detail: WatchDetail?
    var wraps = false
    /// What is shown, but for a filter that is being typed; and what is wrong with that.
    var filters: ViewFilter.Setting
    var filterError: FilterError?
    /// What may come next in it, since Tab was pressed.
    var filterChoices: [String] = []
    var search = ""
    var highlight = ""
    /// The entry that keys act on; nil for the newest there is.
    var selection: Int?
    /// The newest entry in view; nil when it goes on with what comes.
    var anchor: Int?
    /// The selected section's and room's place in their lists.
    var sectionIndex = 0
    var roomIndex = 0
    /// What the user looks at; nil while it is not known.
    var selected: JSONValue?
    /// Texts that were typed here and not sent.
    var drafts: [WritingPlace: String] = [:]
    /// When the text that is being typed is to be kept.
    var draftDue: Moment?
    /// How many rooms and names there were when the rooms were put in order.
    var arranged = (0, 0)
    /// A line told in passing, and until when.
    var passing: (text: String, until: Moment)?
    /// The real time of what was told last.
    var now = Moment.zero

    /// A view of something.
    package init(_ settings: Settings) {
        self.settings = settings
        filters = settings.filters
        log.show(settings.filters, chatOnly: false, knowing: KnownNames())
        var lines = settings.lines
        // Times are put in front of everything, not of events alone.
        lines.time = .none
        lines.spacer = nil
        printer = EventLines(isCompact: true, width: nil, lines)
        clock = ZoneClock(settings.lines.zone)
    }

    /// A line told in passing stays so long.
    static let passingTime: Duration = .seconds(4)
    /// So long nothing came: a silence, in microseconds of the recording.
    static let silence: Int64 = 5_000_000

    /// Takes an input.
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
            isConnected = false
        case .moves(let number, let time):
            counted = furthest
            log.removeAll(behind: number, time, knowing: printer.names)
            model = nil
            flashes = WatchFlashes()
        case .arrives(let model):
            self.model = WatchModel(model, modelLook)
            printer.names.learn(from: model)
            log.show(log.setting, chatOnly: log.isChat, knowing: printer.names)
            keepSelectionInView()
        case .stands(let standing): self.standing = standing
        case .length(let length): self.length = length
        case .begins(let model): begin(with: model)
        case .filters(let setting): take(setting)
        case .mutes(let rooms): take(muted: rooms)
        case .held(let isHeld): if isHeld != self.isHeld { togglePause() }
        case .selected(let value): selected = value
        case .draft(let place, let text): take(draft: text, for: place)
        }
        keepDraft(ifDueAt: self.now, into: &effects)
        if let passing, passing.until <= self.now { self.passing = nil }
        flashes.forget(before: self.now)
        rate.advance(to: self.now)
    }

    /// When it looks different though nothing happens; nil when it does not.
    package var deadline: Moment? {
        var times = [passing?.until, flashes.deadline, draftDue].compactMap { $0 }
        if rate.isMoving { times.append(rate.nextSecond) }
        return times.min()
    }

    /// Tells something in passing.
    mutating func say(_ text: String) { passing = (text, now + Self.passingTime) }
}
