import Glibc
package import WeirModel
import WeirNetwork
package import WeirPipeline
import WeirTerminal
import WeirThreads
package import WeirWire

/// Connects a view to its data source and to a terminal.
///
/// Reports arrive on the outlet thread and go into the view at once. They never wait for the terminal, and the view
/// bounds the memory. The thread that runs `show` draws the current state at a limited rate. A slow terminal skips
/// frames.
package final class WatchDriver: Outlet, ReplayWatcher {
    struct State {
        var watch: Watch
        var effects: [Watch.Effect] = []
        /// The revision of the filter that the view has applied.
        var revision = 0
        /// The setting of that revision.
        var told = ViewFilter.Setting()
        /// The value of the view's `log.counts` at the last report to the filter.
        var count = 0
        /// The pause state that the controls know.
        var isPaused = false
        /// Whether the view has changed since the last frame.
        var isChanged = true
        /// Whether the view is closed.
        var isOver = false
    }

    private let state: Monitor<State>
    private let waker = Wakeup()
    let filter: ViewFilter
    let controls: ViewControls?

    /// Creates a desk with a new view.
    ///
    /// - Parameters:
    ///   - filter: The shared filter. A change from outside applies to the view, and a filter typed in the view applies
    ///     to all.
    ///   - muted: The muted rooms. Changes from outside apply to the view.
    ///   - controls: The shared pause state and selection. A pause works in both directions.
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

    /// The write end of a pipe. A byte written to it makes `show` check the terminal again. Safe in a signal handler.
    package var wakeup: Int32 { waker.writeEnd }

    // MARK: - What it is told

    /// The desk receives every report, each time it is played.
    package var replayPart: ReplayPart { .every }

    /// Passes the reports to the view.
    package func write(_ reports: [StampedReport]) throws(OutletError) { tell(.reports(reports)) }

    /// Does nothing, because the desk buffers nothing.
    package func finish() throws(OutletError) {}

    /// Tells the view that a seek starts. See `Watch.Input.moves`.
    package func moves(to number: Int, at time: Moment) { tell(.moves(to: number, at: time)) }
    /// Tells the view that a seek ended. See `Watch.Input.arrives`.
    package func arrives(_ model: SectionedCollection<Item>) { tell(.arrives(model)) }
    /// Tells the view the current position of the replay.
    package func stands(_ progress: ReplayProgress) { tell(.stands(progress)) }
    /// Tells the view that the preamble is over. See `Watch.Input.begins`.
    package func begins(_ model: SectionedCollection<Item>) { tell(.begins(model)) }
    /// Tells the view that the stream ended, with the reason.
    package func ends(_ why: String) { tell(.ended(why)) }
    /// Shows a line as a notice in the view.
    package func says(_ line: String) { tell(.said(line)) }

    /// Passes an input to the view and wakes the drawing thread. May be called from any thread.
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

    /// Returns the terminal sequence that copies a text to the clipboard (OSC 52). The text is cut at 65,536 bytes.
    package static func clipboard(_ text: String) -> [UInt8] {
        let kept = Array(text.utf8.prefix(longestCopy))
        return Array("\u{1B}]52;c;".utf8) + Base64.encode(kept[...]) + Array("\u{1B}\\".utf8)
    }

    /// The maximum number of bytes in one copy. Terminals accept no more.
    private static let longestCopy = 65_536

    /// Closes the view, so that `show` returns. May be called from any thread.
    package func close() {
        state.change { $0.isOver = true }
        waker.wake()
    }

    /// A copy of the current view.
    var watched: Watch { state.change { $0.watch } }

    // MARK: - The terminal

    /// Shows the view on a terminal. Blocks until `close()` is called or the terminal is gone.
    ///
    /// - Parameters:
    ///   - wasInterrupted: Returns whether the terminal may show something else since the last call.
    ///   - perform: Performs an effect. Called on the calling thread.
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

/// Reads keys and mouse input from a terminal.
private struct Keyboard {
    let descriptor: Int32
    private var decoder = TerminalKeyDecoder()
    /// The time at which a lone escape byte counts as the Escape key; `nil` when none is pending.
    private(set) var due: Moment?
    private static let sequencePause: Duration = .milliseconds(25)

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Returns the input since the last call, without waiting; `nil` when the terminal is gone.
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

/// A limit on the frame rate, so that a busy session does not flood the terminal.
struct FramePace {
    /// The shortest time between two frames, in microseconds.
    private static let frame: Int64 = 33_000
    /// The shortest time between two frames after user input, in microseconds. It is short, so that typing does not lag
    /// behind arriving reports. It still keeps a held key or a moving mouse from filling a slow line.
    private static let inputFrame: Int64 = 5_000

    private var drawn: Moment?
    private var hasInput = false

    /// Lets the next frame come sooner, because the user did something.
    mutating func noteInput() { hasInput = true }

    /// Restarts the wait for the next frame.
    mutating func noteFrame(at now: Moment) { (drawn, hasInput) = (now, false) }

    /// Returns the microseconds until the next frame; 0 when it is due.
    func wait(at now: Moment) -> Int64 {
        guard let drawn else { return 0 }
        return max((hasInput ? Self.inputFrame : Self.frame) - (now - drawn).microseconds, 0)
    }
}

// State that the view shares with the filter and the controls. Changes go both ways.
extension WatchDriver {
    /// Applies a filter setting that was changed outside the view.
    func takeFilter(into state: inout State, at now: Moment) {
        guard filter.revision != state.revision else { return }
        let (setting, revision) = filter.begin()
        (state.revision, state.told) = (revision, setting)
        state.watch.handle(.filters(setting), at: now, into: &state.effects)
        state.watch.log.countAnew()
        state.count = state.watch.log.counts
    }

    /// Publishes the filter that the user typed, once the edit is done, and the view's filter counts.
    func giveFilter(of state: inout State, at now: Moment) {
        let setting = state.watch.filtering.setting
        if setting != state.told {
            filter.change { $0 = setting }
            takeFilter(into: &state, at: now)
        }
        // Reports judged while the user edits the filter are not counted.
        guard !state.watch.editsFilter else { return }
        if state.watch.log.counts != state.count {
            // The view restarted its count. `begin()` keeps the counts so far.
            state.count = state.watch.log.counts
            _ = filter.begin()
        }
        filter.note(state.watch.log.tally, of: state.revision)
    }

    /// Applies a pause or a resume that was requested outside the view.
    func takePause(into state: inout State, at now: Moment) {
        guard let isPaused = controls?.isPaused, isPaused != state.isPaused else { return }
        state.isPaused = isPaused
        state.watch.handle(.held(isPaused), at: now, into: &state.effects)
    }

    /// Publishes a pause or a resume from the terminal.
    func givePause(of state: inout State) {
        guard let controls, state.watch.isHeld != state.isPaused else { return }
        state.isPaused = state.watch.isHeld
        controls.pause(state.isPaused)
    }
}

// Performing the effects of a view.
extension TailEngine {
    /// Performs an effect of the view, if it concerns the tail. May be called from any thread.
    ///
    /// - Parameter tell: Called with inputs for the view: the reason for a failure, or the draft that was loaded.
    package nonisolated func perform(_ effect: Watch.Effect, _ tell: @escaping @Sendable (Watch.Input) -> Void) {
        let say: @Sendable (String) -> Void = { tell(.said($0)) }
        loop.run { [self] in
            assumeIsolated { tail in
                switch effect {
                case .join(let room): tail.call(.join, room, say)
                case .leave(let room): tail.call(.leave, room, say)
                case .mute(let room, let isMuted): tail.call(isMuted ? .mute : .unmute, room, say)
                case .quit: tail.conclude(.limitReached)
                case .mark(let label): tail.mark(label, author: "key")
                case .emit, .answer: tail.emit(effect, say)
                case .act(let operation): tail.act(operation)
                case .keepDraft(let place, let text): tail.keepDraft(text, for: place) { if let why = $0 { say(why) } }
                case .findDraft(let place):
                    tail.findDraft(for: place) { if let text = $0 { tell(.draft(place, text)) } }
                case .copy, .play: break
                }
            }
        }
    }

    private func emit(_ effect: Watch.Effect, _ say: @escaping @Sendable (String) -> Void) {
        do throws(EmitText.Problem) {
            guard let emit = try effect.emit(patience: configuration.emitPatience) else { return }
            self.say(emit) { say($0.sentence) }
        } catch {
            say(error.message)
        }
    }

    private func call(_ method: RoomCall.Method, _ room: String, _ say: @escaping @Sendable (String) -> Void) {
        perform(RoomCall(method: method, rooms: [room])) { result in
            if case .failure(let error) = result { say(error.message) }
        }
    }
}

extension Replay {
    /// Performs an effect of the view, if it concerns the replay. May be called from any thread.
    package func perform(_ effect: Watch.Effect) {
        switch effect {
        case .play(let command): perform(command)
        case .quit: perform(ReplayKeys.Command.quit)
        case .join, .leave, .mute, .mark, .copy, .emit, .answer, .act, .keepDraft, .findDraft: break
        }
    }
}

extension Watch.Effect {
    /// Returns the emit for the effect; `nil` for other effects.
    package func emit(patience: Duration?) throws(EmitText.Problem) -> Emit? {
        switch self {
        case .emit(let line): return try Emit(line: line, patience: patience)
        case .answer(let id, let namespace, let text):
            var text = EmitText(text)
            return Emit(answering: id, try text.arguments(), namespace: namespace)
        case .join, .leave, .mute, .mark, .copy, .play, .quit, .act, .keepDraft, .findDraft: return nil
        }
    }
}
