import Network
import Pipeline
public import Recording
import Synchronization
import Wire

/// Plays recordings through the very same session as live: its inputs are fed to a fresh one, at their recorded times.
///
/// What comes out depends on the files alone: the same at any speed, in any process.
public final class Replay: Sendable {
    /// How fast a recording is played.
    public typealias Speed = ReplayConfiguration.Pace

    private let configuration: ReplayConfiguration
    private let console: ReplayConsole
    private let outlets: [any Outlet]
    private let stopping: Stopping

    /// A replay of the file at `path` (`-` for standard input), of `count` events at most.
    public convenience init(path: String, speed: Speed = .maximum, count: Int? = nil, outlets: [any Outlet]) {
        var configuration = ReplayConfiguration([path])
        configuration.pace = speed
        configuration.count = count
        self.init(configuration, outlets: outlets)
    }

    /// A replay. `console` is who looks on.
    public init(
        _ configuration: ReplayConfiguration, console: ReplayConsole = ReplayConsole(), outlets: [any Outlet]
    ) {
        self.configuration = configuration
        self.console = console
        self.outlets = outlets
        stopping = Stopping()
    }

    /// Ends the replay before the next record. Any thread.
    public func stop(signal: Int32 = 0) { stopping.ask(signal: signal) }

    /// A descriptor: a byte written to it has the status line drawn anew, since the terminal was somebody else's meanwhile. As long as the
    /// replay lives; any thread, also in a signal's handler.
    public var wakeup: Int32 { stopping.wakeup.writeEnd }

    /// Does what a key would have done, as soon as the replay looks. Any thread.
    func perform(_ command: PlayControl.Command) { stopping.ask(command) }

    /// Plays. Blocks: call it on a thread that may.
    ///
    /// Throws when there is no recording to be read. What fails later, reading on or writing, is the summary's outcome.
    public func run() throws(RecordingError) -> TailSummary {
        let isSteered = console.keys != nil || console.watcher != nil
        let timeline = try Timeline(
            opening: configuration,
            keepsWay: isSteered || configuration.controlPath != nil && configuration.pace != .maximum,
            keepsChecksum: outlets.contains { $0.needsChecksums })
        let clients = openControl(canGoBack: timeline.canGoBack)
        let run = ReplayRun(configuration, timeline, console, outlets, stopping, clients)
        var outcome = run.run()
        run.turnAwayClients()
        clients?.close()
        for outlet in outlets {
            do { try outlet.finish() } catch { outcome = .cannotWrite(error) }
        }
        return run.summary(outcome)
    }

    /// Serves the control socket, when one is wanted. Without it the replay goes on, with a notice.
    private func openControl(canGoBack: Bool) -> ReplayControl? {
        guard let path = configuration.controlPath else { return nil }
        do throws(NetworkError) {
            return try ReplayControl(configuration, at: path, stopping, canGoBack: canGoBack)
        } catch {
            let notice = Notice(.warning, "no control socket: \(error)")
            let report = StampedReport(stamp: Stamp(n: 0, time: .zero, wall: 0), report: .notice(notice))
            // Who cannot be told that is told what matters more.
            for outlet in outlets where outlet.replayPart == .shown { try? outlet.write([report]) }
            return nil
        }
    }
}

/// Who looks on while a recording is played, by descriptors that stay the caller's.
public struct ReplayConsole: Sendable {
    /// Where keys are read from; nil when nobody presses any. A terminal must send them one by one.
    public var keys: Int32?
    /// A terminal where a line tells how far the replay is; nil for none.
    public var status: Int32?
    /// The view that is drawn there, which shows the line as its last; nil for none.
    public var board: TerminalBoard?
    /// Somebody on another thread, who is told everything instead of the terminal.
    package var watcher: (any ReplayWatcher)?
    /// Whether anybody looks on, so that what is written may not lag behind what was played.
    var isWatched: Bool { keys != nil || status != nil || board != nil || watcher != nil }
    /// Where the line stands.
    var statusPlace: (any StatusPlace)? {
        if let board { return board }
        return status.map { StatusLine(descriptor: $0) }
    }

    /// Nobody, unless said otherwise.
    public init(keys: Int32? = nil, status: Int32? = nil) {
        self.keys = keys
        self.status = status
    }
}

/// What others wish of a replay: that it ends, or what a key would do.
final class Stopping: Sendable {
    let wakeup = Wakeup()
    private let commands = Monitor<[PlayControl.Command]>([])
    private let calls = Monitor<[ControlCall]?>([])
    private static let none = Int.min
    /// Calls of clients that wait at most.
    private static let mostCalls = 256
    private let asked = Atomic<Int>(none)

    func ask(signal: Int32) {
        asked.store(Int(signal), ordering: .releasing)
        wakeup.wake()
    }

    func ask(_ command: PlayControl.Command) {
        commands.change { $0.append(command) }
        wakeup.wake()
    }

    /// What was asked for since the last call.
    func takeCommands() -> [PlayControl.Command] {
        commands.change { commands in
            defer { commands = [] }
            return commands
        }
    }

    /// A client's call, which the replay answers.
    func ask(_ call: ControlCall) throws(ControlError) {
        try calls.change { (calls) throws(ControlError) in
            guard let count = calls?.count else { throw ControlError(.failed, "it is ending") }
            guard count < Self.mostCalls else { throw ControlError(.limit, "\(count) calls wait already") }
            calls?.append(call)
        }
        wakeup.wake()
    }

    /// The calls since the last one; with `isLast`, no more are taken.
    func takeCalls(isLast: Bool = false) -> [ControlCall] {
        calls.change { calls in
            defer { calls = isLast ? nil : [] }
            return calls ?? []
        }
    }

    /// The signal of it; nil while nobody wishes it.
    var signal: Int32? {
        let value = asked.load(ordering: .acquiring)
        return value == Self.none ? nil : Int32(truncatingIfNeeded: value)
    }
}
