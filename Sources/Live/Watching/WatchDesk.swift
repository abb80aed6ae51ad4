import Glibc
import Network
package import Pipeline
package import SectionedModel
import Terminal
package import Wire

/// The hand between a view, what it watches, and a terminal.
///
/// Reports come on the outlet thread and are taken into the view at once: they never wait for the terminal, and what is held is
/// bounded by the view. The thread that runs `show` draws, at most so often, what the view is then; while the terminal is slow
/// frames are left out.
package final class WatchDesk: Outlet, ReplayWatcher {
    struct State {
        var watch: Watch
        var effects: [Watch.Effect] = []
        /// The change of the filter that the view has taken, what that says, and which of the view's counts is being told of.
        var revision = 0
        var told = ViewFilter.Setting()
        var count = 0
        /// Whether what comes waits, as far as others know.
        var isPaused = false
        /// Whether it looks different from what was drawn.
        var isChanged = true
        /// Whether there is nothing more to show.
        var isOver = false
    }

    private let state: Monitor<State>
    private let waker = Wakeup()
    let filter: ViewFilter
    let controls: ViewControls?

    /// A desk of a view. What it shows, `filter` and `muted` say, and whether what comes waits, `controls`: whoever else changes them
    /// changes the view, and the view changes the first and the last by what is done at the terminal.
    package init(
        _ settings: Watch.Settings, filter: ViewFilter = ViewFilter(), muted: MutedRooms? = nil,
        controls: ViewControls? = nil
    ) {
        self.filter = filter
        self.controls = controls
        let (setting, revision) = filter.begin()
        var settings = settings
        settings.filters = setting
        state = Monitor(State(watch: Watch(settings), revision: revision, told: setting))
        controls?.observeSelection { [weak self] value in self?.tell(.selected(value)) }
        muted?.observe { [weak self] rooms in self?.tell(.mutes(rooms)) }
    }

    /// A byte written here has the terminal looked at again; also in a signal's handler.
    package var wakeup: Int32 { waker.writeEnd }

    // MARK: - What it is told

    /// Everything is told, each time it is played.
    package var replayPart: ReplayPart { .every }

    /// Takes the reports into the view.
    package func write(_ reports: [StampedReport]) throws(OutletError) { tell(.reports(reports)) }

    /// Nothing is kept back, so there is nothing to do.
    package func finish() throws(OutletError) {}

    /// A replay goes somewhere.
    package func moves(to number: Int, at time: Moment) { tell(.moves(to: number, at: time)) }
    /// It is there.
    package func arrives(_ model: SectionedCollection<Item>) { tell(.arrives(model)) }
    /// How far it is.
    package func stands(_ standing: ReplayStanding) { tell(.stands(standing)) }
    /// It goes on from here.
    package func begins(_ model: SectionedCollection<Item>) { tell(.begins(model)) }
    /// Nothing more comes.
    package func ends(_ why: String) { tell(.ended(why)) }
    /// A line for who looks on.
    package func says(_ line: String) { tell(.said(line)) }

    /// Tells the view something. Any thread.
    package func tell(_ input: Watch.Input) {
        let wakes = state.change { state in
            let wasChanged = state.isChanged
            let now = MachineClock.monotonic
            takeFilter(into: &state, at: now)
            takePause(into: &state, at: now)
            state.watch.handle(input, at: now, into: &state.effects)
            giveFilter(of: &state, at: now)
            givePause(of: &state)
            state.isChanged = true
            return !wasChanged
        }
        if wakes { waker.wake() }
    }

    /// The sequence by which a terminal keeps a text of the view's for pasting (OSC 52).
    package static func clipboard(_ text: String) -> [UInt8] {
        let kept = Array(text.utf8.prefix(longestCopy))
        return Array("\u{1B}]52;c;".utf8) + Base64.encode(kept[...]) + Array("\u{1B}\\".utf8)
    }

    /// Terminals take no more.
    private static let longestCopy = 65_536

    /// The view ends. Any thread.
    package func close() {
        state.change { $0.isOver = true }
        waker.wake()
    }

    /// The view as it is now.
    var watched: Watch { state.change { $0.watch } }

    // MARK: - The terminal

    /// Shows the view on a terminal until somebody closes it, or the terminal is gone. Blocks; `perform` is called for each
    /// effect on the calling thread. `wasInterrupted` says whether the terminal may show something else since the last call.
    package func show(
        input: Int32, output: Int32, wasInterrupted: () -> Bool, perform: (Watch.Effect) -> Void
    ) {
        var screen = TerminalScreen()
        var keyboard = Keyboard(descriptor: input)
        var pace = FramePace()
        let writer = DescriptorWriter(descriptor: output, name: "the terminal")
        while true {
            if wasInterrupted() {
                screen.invalidate()
                state.change { $0.isChanged = true }
            }
            look(at: output)
            guard let inputs = keyboard.inputs(at: MachineClock.monotonic) else { return }
            for input in inputs { tell(.terminal(input)) }
            if !inputs.isEmpty { pace.noteInput() }
            let effects = takeEffects()
            for effect in effects { perform(effect) }
            let now = MachineClock.monotonic
            let (isChanged, isOver, deadline) = state.change { ($0.isChanged, $0.isOver, $0.watch.deadline) }
            if isOver { return }
            var timeout = deadline.map { max($0.microseconds - now.microseconds, 0) }
            if isChanged {
                let wait = pace.wait(at: now)
                if wait == 0 {
                    pace.noteFrame(at: now)
                    do { try writer.write(frame(&screen)) } catch { return }
                    continue
                }
                timeout = wait
            } else if timeout == 0 {
                tell(.tick)
                continue
            }
            if let due = keyboard.due { timeout = min(timeout ?? .max, max((due - now).microseconds, 0)) }
            _ = waker.wait(for: [input], timeout: timeout)
        }
    }

    private func frame(_ screen: inout TerminalScreen) -> [UInt8] {
        let grid = state.change { state in
            state.isChanged = false
            controls?.note(waiting: state.watch.waiting)
            return state.watch.grid
        }
        return screen.update(to: grid)
    }

    private func takeEffects() -> [Watch.Effect] {
        state.change { state in
            defer { state.effects = [] }
            return state.effects
        }
    }

    private func look(at output: Int32) {
        var size = winsize()
        guard ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return }
        let (width, height) = (Int(size.ws_col), Int(size.ws_row))
        let isNew = state.change { $0.watch.width != width || $0.watch.height != height }
        if isNew { tell(.resized(width: width, height: height)) }
    }
}

/// The keys and the mouse of a terminal.
private struct Keyboard {
    let descriptor: Int32
    private var decoder = TerminalKeyDecoder()
    /// When an escape that nothing followed is the key of that name.
    private(set) var due: Moment?
    private static let sequencePause: Duration = .milliseconds(25)

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// What somebody did since the last call, without waiting; nil when the terminal is gone.
    mutating func inputs(at now: Moment) -> [TerminalInput]? {
        defer { due = decoder.waitsForMore ? due ?? now + Self.sequencePause : nil }
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&watched, 1, 0) > 0, watched.revents != 0 else {
            guard let due, due <= now else { return [] }
            return decoder.flush()
        }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &bytes, bytes.count)
        if count == 0 || count < 0 && errno != EINTR && errno != EAGAIN { return nil }
        return decoder.inputs(in: bytes[..<max(count, 0)])
    }
}

/// When the next frame may be drawn.
struct FramePace {
    /// The shortest time between two frames, in microseconds.
    private static let frame: Int64 = 33_000
    /// The same after a key or the mouse, so that typing does not wait for what arrives. It still keeps a held key or a moving mouse from
    /// filling a slow line.
    private static let inputFrame: Int64 = 5_000

    private var drawn: Moment?
    private var hasInput = false

    /// Lets the next frame come sooner: the user did something.
    mutating func noteInput() { hasInput = true }

    /// Begins the time between this frame and the next.
    mutating func noteFrame(at now: Moment) { (drawn, hasInput) = (now, false) }

    /// The microseconds until the next frame; 0 when it is due.
    func wait(at now: Moment) -> Int64 {
        guard let drawn else { return 0 }
        return max((hasInput ? Self.inputFrame : Self.frame) - (now - drawn).microseconds, 0)
    }
}
