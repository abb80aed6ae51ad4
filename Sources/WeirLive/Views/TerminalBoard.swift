import Glibc
package import WeirModel
import WeirNetwork
package import WeirPipeline
import WeirRecording
import WeirTerminal
import WeirThreads
import WeirWire

/// Shows a live view and a tail's status line.
///
/// On a terminal they are redrawn in place, below the printed text. Elsewhere the final state of the view is printed
/// once, at the end, and there is no status line. The board wraps the outlets that print, so that it can erase its
/// lines while they print.
package final class TerminalBoard: Outlet {
    /// The values of a status line that the reports do not contain.
    package struct Status: Sendable {
        /// The name of the context or of the server.
        package var name: String
        /// The path of the recording; `nil` without one.
        package var recording: String?
        /// Returns the filter as text; `nil` when nothing is hidden. Called about once a second.
        package var filter: (@Sendable () -> String?)?
        /// Creates the values of a status line.
        package init(name: String, recording: String? = nil, filter: (@Sendable () -> String?)? = nil) {
            self.name = name
            self.recording = recording
            self.filter = filter
        }
    }

    /// The lock on the terminal. One thread uses it at a time.
    private enum Use { case nobody, somebody }

    struct State {
        var view: (any LiveView)?
        var names = KnownNames()
        var status: TailStatus?
        /// The line that another component draws below the view.
        var line: String?
        var facts = TailStatus.Facts()
        /// The session time of the last report.
        var time = Moment.zero
        /// The wall clock of the last report, in microseconds since 1970.
        var wall: Int64 = 0
        /// The monotonic time at which the last report arrived.
        var real = Moment.zero
        var drawn = Moment(microseconds: .min / 2)
        var sized = Moment(microseconds: .min / 2)
    }

    /// The shortest time between two frames, unless something was printed in between.
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

    /// Creates a board that draws `view` on standard output, with `status` below it. The kinds `.log` and `.raw` draw
    /// no view; their status line goes to standard error.
    ///
    /// - Parameters:
    ///   - isLive: Whether time passes while no reports arrive.
    ///   - inner: The outlets that print. They receive everything that the board receives.
    package init(
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

    /// Whether one of the inner outlets needs wire units.
    package var needsWire: Bool { inner.contains { $0.needsWire } }

    /// Passes the wire units to the inner outlets that need them.
    package func write(units: [WireUnit]) throws(OutletError) {
        take()
        defer { release() }
        block?.erase()
        for outlet in inner where outlet.needsWire { try outlet.write(units: units) }
        draw(isForced: false)
    }

    /// Passes the reports to the inner outlets and redraws the view.
    package func write(_ reports: [StampedReport]) throws(OutletError) {
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

    /// Learns the names in the model and passes the call on.
    package func begin(with model: SectionedCollection<Item>, of user: String?) {
        state.change { $0.names.learn(from: model, of: user) }
        for outlet in inner { outlet.begin(with: model, of: user) }
    }

    /// Draws the final state and leaves it on the screen. If it cannot be drawn in place, it is printed.
    package func finish() throws(OutletError) {
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

    /// Returns whether an inner outlet is likely to print something. With a view, events are not printed.
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

    /// Redraws the view. Does nothing when the last frame is recent and still on the screen, unless `isForced` is true.
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

    /// Updates the size of the recording and the filter text, at most once a second.
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
            // The view's clock goes on while no reports arrive.
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

    /// Cuts a text at `rows` lines, in case a view draws more than fit.
    private static func atMost(_ rows: Int, _ text: [UInt8]) -> (text: [UInt8], lines: Int) {
        var lines = 0
        for (index, byte) in text.enumerated() where byte == UInt8(ascii: "\n") {
            lines += 1
            if lines == rows { return (Array(text[...index]), lines) }
        }
        return (text, lines)
    }
}

// A line below the view for another component: the progress of a replay.
extension TerminalBoard: StatusPlace {
    /// Does nothing, because the line is erased together with the view.
    func erase() {}

    func draw(_ text: String) {
        let isNew = state.change { state -> Bool in
            defer { state.line = text }
            return state.line != text
        }
        guard isNew, block != nil else { return }
        take()
        defer { release() }
        draw(isForced: true)
    }

    func print(_ lines: [String]) {
        take()
        defer { release() }
        block?.erase()
        let text = lines.map { TerminalText.escaped($0) + "\n" }.joined()
        // Errors are ignored: a terminal that is gone does not end the run.
        try? DescriptorWriter(descriptor: 2, name: "the terminal").write(Array(text.utf8))
        draw(isForced: true)
    }
}

/// A block of lines below the printed text that is redrawn in place, without the alternate screen. Printed text goes
/// above it and scrolls as usual.
final class TerminalBlock: Sendable {
    private struct State {
        /// The number of lines on the screen. The cursor is below the last line, or at the end of a single one.
        var lines = 0
        var text: [UInt8] = []
    }

    private let writer: DescriptorWriter
    /// Whether the block is a single status line. The cursor stays on that line, so that the terminal does not scroll
    /// for it.
    private let isSingle: Bool
    private let state = Monitor(State())

    init(descriptor: Int32, isSingle: Bool, patience: WritePatience? = nil) {
        writer = DescriptorWriter(descriptor: descriptor, name: "the terminal", patience: patience)
        self.isSingle = isSingle
    }

    /// Whether the block is on the screen.
    var isDrawn: Bool { state.change { $0.lines > 0 } }

    /// Erases the block, so that something can be printed. Errors are ignored: a terminal that is gone does not end the
    /// run.
    func erase() {
        let bytes = state.change { state -> [UInt8] in
            guard state.lines > 0 else { return [] }
            defer { state = State() }
            return Array((Self.begin(over: isSingle ? 0 : state.lines) + "\u{1B}[J").utf8)
        }
        if !bytes.isEmpty { try? writer.write(bytes) }
    }

    /// Draws the lines of `text`, each ended by a line feed. Does nothing when they are already on the screen.
    func draw(_ text: [UInt8], lines: Int) {
        let bytes = state.change { state -> [UInt8] in
            guard state.text != text else { return [] }
            // Each line overwrites the old one and erases the rest of it, so that nothing flickers.
            var bytes = Array(Self.begin(over: isSingle ? 0 : state.lines).utf8)
            for byte in text {
                if byte == UInt8(ascii: "\n") { bytes.append(contentsOf: "\u{1B}[K".utf8) }
                if byte != UInt8(ascii: "\n") || !isSingle { bytes.append(byte) }
            }
            if lines < state.lines { bytes.append(contentsOf: "\u{1B}[J".utf8) }
            state = State(lines: lines, text: text)
            return bytes
        }
        if !bytes.isEmpty { try? writer.write(bytes) }
    }

    /// Leaves the lines on the screen and forgets them.
    func leave() { state.change { $0 = State() } }

    private static func begin(over lines: Int) -> String { lines > 0 ? "\r\u{1B}[\(lines)A" : "\r" }
}
