import Glibc
import Network
public import Pipeline
public import SectionedModel
import Recording
import Terminal
import Wire

/// The hand that shows a view, and the status line of a tail: in place on a terminal, below what is printed; elsewhere the view's last
/// state is printed once, at the end, and there is no status line.
///
/// It goes around the outlets that print, so that the lines are gone while they do.
public final class TerminalBoard: Outlet {
    /// What a status line tells besides what the reports say.
    public struct Status: Sendable {
        /// The context, or the server.
        public var name: String
        /// The recording's file.
        public var recording: String?
        /// What is hidden from view, in short; asked each time.
        public var filter: (@Sendable () -> String?)?
        /// A status line.
        public init(name: String, recording: String? = nil, filter: (@Sendable () -> String?)? = nil) {
            self.name = name
            self.recording = recording
            self.filter = filter
        }
    }

    /// Who uses the terminal: one at a time.
    private enum Use { case nobody, somebody }

    struct State {
        var view: (any LiveView)?
        var names = KnownNames()
        var status: TailStatus?
        /// What somebody else says below the view.
        var line: String?
        var facts = TailStatus.Facts()
        /// Session time and wall clock of the last report, and the real time it came.
        var time = Moment.zero
        var wall: Int64 = 0
        var real = Moment.zero
        var drawn = Moment(microseconds: .min / 2)
        var sized = Moment(microseconds: .min / 2)
    }

    /// Nothing is drawn more often, unless something was printed.
    private static let shortest: Duration = .milliseconds(100)
    private static let tick: Int64 = 500_000

    private let inner: [any Outlet]
    let block: TerminalBlock?
    private let descriptor: Int32
    private let theme: TerminalTheme?
    private let settings: LineSettings
    private let recording: String?
    private let filter: (@Sendable () -> String?)?
    private let isLive: Bool
    private let use = Monitor(Use.nobody)
    let state: Monitor<State>
    private let wakeup = Wakeup()
    private let ending = Monitor(false)
    private let patience: WritePatience?

    /// A view on standard output, with `status` below it; `.log` shows none. `isLive` says that time passes while nothing comes.
    public init(
        _ view: ViewKind, status: Status?, isLive: Bool, settings: LineSettings = LineSettings(),
        patience: WritePatience? = nil, around inner: [any Outlet]
    ) {
        let made = view.makeView()
        let (shows, tells) = (TerminalDevice.redraws(1), TerminalDevice.redraws(2) && status != nil)
        self.inner = inner
        self.patience = patience
        descriptor = made == nil ? 2 : 1
        theme = TerminalDevice.theme(of: descriptor)
        self.settings = settings
        recording = status?.recording
        filter = status?.filter
        self.isLive = isLive
        let isDrawn = made == nil ? tells : shows
        block = isDrawn ? TerminalBlock(descriptor: descriptor, isSingle: made == nil, patience: patience) : nil
        var state = State()
        state.view = made
        if tells, made == nil || shows, let status {
            state.status = TailStatus(name: status.name, recording: status.recording)
        }
        self.state = Monitor(state)
        if isDrawn, isLive {
            runOnThread(named: "weir-board") { [weak self, wakeup] in
                while !wakeup.wait(for: [], timeout: Self.tick) {
                    guard let self, !self.ending.change({ $0 }) else { return }
                    self.drawOnTick()
                }
            }
        }
    }

    /// What whoever prints needs.
    public var needsWire: Bool { inner.contains { $0.needsWire } }

    /// Hands on what was on the wire to whoever prints that.
    public func write(units: [WireUnit]) throws(OutletError) {
        take()
        defer { release() }
        block?.erase()
        for outlet in inner where outlet.needsWire { try outlet.write(units: units) }
        draw(isForced: false)
    }

    /// Hands the reports on to whoever prints, and draws.
    public func write(_ reports: [StampedReport]) throws(OutletError) {
        state.change { state in
            for report in reports {
                state.names.learn(from: report.report)
                state.view?.take(report, state.names)
                state.status?.take(report)
            }
            guard let last = reports.last else { return }
            state.facts.queue = reports.count
            (state.time, state.wall) = (max(state.time, last.stamp.time), last.stamp.wall)
            state.real = MachineClock.monotonic
        }
        take()
        defer { release() }
        if prints(reports) { block?.erase() }
        for outlet in inner { try outlet.write(reports) }
        draw(isForced: false)
    }

    /// Learns what is called how, and passes it on.
    public func begin(with model: SectionedCollection<Item>, of user: String?) {
        state.change { $0.names.learn(from: model, of: user) }
        for outlet in inner { outlet.begin(with: model, of: user) }
    }

    /// The last state stays where it is; where it could not be drawn, it is printed.
    public func finish() throws(OutletError) {
        ending.change { $0 = true }
        wakeup.wake()
        take()
        defer { release() }
        let isView = state.change { state -> Bool in
            (state.status, state.line) = (nil, nil)
            return state.view != nil
        }
        if isView, let block {
            draw(isForced: true)
            block.leave()
        } else {
            block?.erase()
        }
        var failure: OutletError?
        for outlet in inner {
            do { try outlet.finish() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
        guard isView, block == nil else { return }
        let (text, _) = text(rows: .max / 2, columns: nil)
        try DescriptorWriter(descriptor: descriptor, name: "standard output", patience: patience).write(text)
    }

    /// Whether one of the inner outlets is likely to print: a view hides the events.
    private func prints(_ reports: [StampedReport]) -> Bool {
        guard state.change({ $0.view != nil }) else { return !reports.isEmpty }
        return reports.contains { report in
            switch report.report {
            case .event: report.lag.map { $0 > 500 } ?? false
            case .diff, .refetch, .typing: false
            case .gap, .connection, .room, .action, .emit, .undecodable, .notice: true
            }
        }
    }

    func take() {
        use.wait { use -> Void? in
            guard case .nobody = use else { return nil }
            use = .somebody
            return ()
        }
    }

    func release() { use.change { $0 = .nobody } }

    private func drawOnTick() {
        let isFree = use.change { use -> Bool in
            guard case .nobody = use else { return false }
            use = .somebody
            return true
        }
        guard isFree else { return }
        defer { release() }
        draw(isForced: true)
    }

    /// Draws what there is, unless that was just done and still stands there.
    func draw(isForced: Bool) {
        guard let block else { return }
        let now = MachineClock.monotonic
        let isDue = state.change { state -> Bool in
            guard isForced || !block.isDrawn || now - state.drawn >= Self.shortest else { return false }
            state.drawn = now
            return true
        }
        guard isDue else { return }
        measureRecording(now)
        let columns = TerminalDevice.width(of: descriptor) ?? 80
        let (text, lines) = text(rows: (TerminalDevice.height(of: descriptor) ?? 24) - 1, columns: columns - 1)
        block.draw(text, lines: lines)
    }

    /// Once a second.
    private func measureRecording(_ now: Moment) {
        let isDue = state.change { state -> Bool in
            guard state.status != nil, now - state.sized >= .seconds(1) else { return false }
            state.sized = now
            return true
        }
        guard isDue else { return }
        var facts = stat()
        let size = recording.flatMap { stat($0, &facts) == 0 ? Int64(facts.st_size) : nil }
        let hidden = filter?()
        state.change { state in
            state.facts.recorded = size
            state.facts.filter = hidden
        }
    }

    private func text(rows: Int, columns: Int?) -> (text: [UInt8], lines: Int) {
        var buffer = TerminalBuffer(theme)
        buffer.limit = columns
        let now = MachineClock.monotonic
        state.change { state in
            // What passed since the last report passes for the view as well.
            let passed = isLive && state.real != .zero ? max(now - state.real, .zero) : .zero
            let place = ViewPlace(
                now: state.time + passed, wall: state.wall + passed.microseconds,
                rows: max(rows - (state.status == nil ? 0 : 1) - (state.line == nil ? 0 : 1), 1),
                roomWidth: settings.roomWidth(in: columns), names: state.names, showsIDs: settings.showsIDs)
            state.view?.draw(place, to: &buffer)
            if let status = state.status {
                status.draw(state.facts, at: place.now, to: &buffer)
                buffer.endLine()
            }
            if let line = state.line {
                buffer.append(line)
                buffer.endLine()
            }
        }
        return Self.atMost(rows, buffer.bytes)
    }

    /// No more lines than there is room for, whatever a view makes of it.
    private static func atMost(_ rows: Int, _ text: [UInt8]) -> (text: [UInt8], lines: Int) {
        var lines = 0
        for (index, byte) in text.enumerated() where byte == UInt8(ascii: "\n") {
            lines += 1
            if lines == rows { return (Array(text[...index]), lines) }
        }
        return (text, lines)
    }
}
