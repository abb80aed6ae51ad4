import Synchronization
import WeirNetwork
public import WeirPipeline
public import WeirRecording
import WeirThreads
import WeirWire

/// Plays recordings through the same session as a live tail: a new session receives the recorded inputs at their
/// recorded times.
///
/// ```swift
/// let replay = Replay(path: "incident.weir.jsonl")
/// let events = replay.events
/// async let summary = replay.run()
/// for await event in events { print(event.event.summary) }
/// print(try await summary.model.sectionKeys)
/// ```
///
/// The output depends only on the files. It is the same at any speed and in any process. Create sequences before
/// `run()`. All methods may be called on any thread.
public final class Replay: ReportSource {
    /// The speed at which a recording is played.
    public typealias Speed = ReplayConfiguration.Pace

    private let configuration: ReplayConfiguration
    private let console: ReplayConsole
    private let outlets: [any Outlet]
    private let stopping: Stopping
    private let readers = ReportReaders()
    private let isRun = Monitor(false)

    /// Creates a replay of the file at `path` (`-` for standard input), which ends after `count` events.
    public convenience init(path: String, speed: Speed = .maximum, count: Int? = nil, outlets: [any Outlet] = []) {
        var configuration = ReplayConfiguration([path])
        configuration.pace = speed
        configuration.count = count
        self.init(configuration, outlets: outlets)
    }

    /// Creates a replay. `console` connects it to a user.
    package init(
        _ configuration: ReplayConfiguration, console: ReplayConsole = ReplayConsole(), outlets: [any Outlet] = []
    ) {
        self.configuration = configuration
        self.console = console
        self.outlets = outlets
        stopping = Stopping()
    }

    deinit { readers.finish() }

    /// Ends the replay before the next record, with the outcome ``TailOutcome/interrupted(signal:)`` and the signal 0.
    public func stop() { stop(signal: 0) }

    package func stop(signal: Int32) {
        stopping.ask(signal: signal)
        readers.release()
    }

    /// Returns a sequence of chosen reports; see `ReportSource`. It has only the reports that the replay shows.
    public func sequence<Value: Sendable>(
        _ policy: ReaderPolicy, _ choose: @escaping @Sendable (StampedReport) -> Value?
    ) -> ReportSequence<Value> {
        readers.sequence(policy, choose)
    }

    /// A descriptor for redrawing the status line: write a byte after another program has used the terminal. Valid as
    /// long as the replay exists. Any thread, also in a signal handler.
    package var wakeup: Int32 { stopping.wakeup.writeEnd }

    /// Performs the command of a key as soon as the replay checks for one. Any thread.
    func perform(_ command: ReplayKeys.Command) { stopping.ask(command) }

    /// Plays the recordings to their end, on a thread of its own. Cancelling the task ends the replay, as `stop()` does:
    /// the summary is returned, with the outcome ``TailOutcome/interrupted(signal:)``.
    ///
    /// - Throws: `RecordingError` if a recording cannot be opened, `TailError.alreadyRun` the second time. A later error of
    ///   reading or writing is the outcome in the summary.
    public func run() async throws -> TailSummary {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                runOnThread(named: "weir-replay") { continuation.resume(with: Result { try self.play() }) }
            }
        } onCancel: {
            stop()
        }
    }

    /// Plays the recordings, on the calling thread; see `run()`.
    package func play() throws -> TailSummary {
        let isFirst = isRun.change { isRun in
            defer { isRun = true }
            return !isRun
        }
        guard isFirst else { throw TailError.alreadyRun }
        defer { readers.finish() }
        let outlets = readers.isRead ? outlets + [readers] : outlets
        let isSteered = console.keys != nil || console.watcher != nil
        let timeline = try RecordingTimeline(
            opening: configuration,
            keepsWay: isSteered || configuration.controlPath != nil && configuration.pace != .maximum,
            keepsChecksum: outlets.contains { $0.needsChecksums })
        let clients = openControl(canGoBack: timeline.canGoBack, outlets)
        let run = ReplayLoop(configuration, timeline, console, outlets, stopping, clients)
        var outcome = run.run()
        run.turnAwayClients()
        clients?.close()
        for outlet in outlets {
            do { try outlet.finish() } catch { outcome = .cannotWrite(error) }
        }
        return run.summary(outcome)
    }

    /// Opens the control socket if the configuration has one. If that fails, the replay goes on with a notice.
    private func openControl(canGoBack: Bool, _ outlets: [any Outlet]) -> ReplayControl? {
        guard let path = configuration.controlPath else { return nil }
        do throws(NetworkError) {
            return try ReplayControl(configuration, at: path, stopping, canGoBack: canGoBack)
        } catch {
            let notice = Notice(.warning, "no control socket: \(error)")
            let report = StampedReport(stamp: Stamp(n: 0, time: .zero, wall: 0), report: .notice(notice))
            // Errors are ignored: an outlet that cannot write the notice reports its own error later.
            for outlet in outlets where outlet.replayPart == .shown { try? outlet.write([report]) }
            return nil
        }
    }
}

/// The terminal or viewer of a user who watches a replay. The caller keeps ownership of the descriptors.
package struct ReplayConsole: Sendable {
    /// The descriptor to read keys from; `nil` for none. A terminal must send them one by one.
    package var keys: Int32?
    /// The descriptor of a terminal for the status line; `nil` for none.
    package var status: Int32?
    /// The full-screen view on that terminal, which shows the status as its last line; `nil` for none.
    package var board: TerminalBoard?
    /// A user interface on another thread, which receives everything instead of the terminal.
    package var watcher: (any ReplayWatcher)?
    /// Whether a user watches. The output must then not lag behind the replay.
    var isWatched: Bool { keys != nil || status != nil || board != nil || watcher != nil }
    /// The place of the status line; `nil` for none.
    var statusPlace: (any StatusPlace)? {
        if let board { return board }
        return status.map { StatusLine(descriptor: $0) }
    }

    /// Creates a console, by default without a user.
    package init(keys: Int32? = nil, status: Int32? = nil) {
        self.keys = keys
        self.status = status
    }
}

/// Requests from other threads to a replay: to stop, to perform commands, and calls of clients.
final class Stopping: Sendable {
    let wakeup = Wakeup()
    private let commands = Monitor<[ReplayKeys.Command]>([])
    private let calls = Monitor<[ControlCall]?>([])
    private static let none = Int.min
    /// The maximum number of waiting calls from clients.
    private static let mostCalls = 256
    private let asked = Atomic<Int>(none)

    func ask(signal: Int32) {
        asked.store(Int(signal), ordering: .releasing)
        wakeup.wake()
    }

    func ask(_ command: ReplayKeys.Command) {
        commands.change { $0.append(command) }
        wakeup.wake()
    }

    /// Returns the commands since the last call, and removes them.
    func takeCommands() -> [ReplayKeys.Command] {
        commands.change { commands in
            defer { commands = [] }
            return commands
        }
    }

    /// Queues a client's call, which the replay answers.
    func ask(_ call: ControlCall) throws(ControlError) {
        try calls.change { (calls) throws(ControlError) in
            guard let count = calls?.count else { throw ControlError(.failed, "the replay is ending") }
            guard count < Self.mostCalls else { throw ControlError(.limit, "\(count) calls are already waiting") }
            calls?.append(call)
        }
        wakeup.wake()
    }

    /// Returns the calls since the last one, and removes them. With `isLast`, later calls are refused.
    func takeCalls(isLast: Bool = false) -> [ControlCall] {
        calls.change { calls in
            defer { calls = isLast ? nil : [] }
            return calls ?? []
        }
    }

    /// The signal of a stop request; `nil` without one.
    var signal: Int32? {
        let value = asked.load(ordering: .acquiring)
        return value == Self.none ? nil : Int32(truncatingIfNeeded: value)
    }
}

/// The settings of a replay, fixed when it starts.
public struct ReplayConfiguration: Sendable {
    /// The speed at which a recording is played.
    public enum Pace: Hashable, Sendable {
        /// As fast as the machine can.
        case maximum
        /// A multiple of the original speed, greater than 0.
        case factor(Double)
        /// This many events per second, whatever their times; greater than 0.
        case rate(Double)
    }

    /// The paths of the recordings; `-` is standard input. Segments of one recording are played one after the other.
    /// Different recordings are merged by their wall clocks, and each has its own session.
    public var paths: [String]
    /// The speed of the replay.
    public var pace = Pace.maximum
    /// The longest pause between two records as they are played; `nil` for the limit in the recording's head, if it has
    /// one.
    public var idleLimit: Duration?
    /// The position at which output starts; earlier records are applied but not shown. `nil` for the beginning.
    public var start: RecordingPosition?
    /// Whether the start position may still be missing. A replay of a followed file then waits for new records.
    package var startMayComeLater = false
    /// The position before which the replay ends; `nil` for the end of the recording.
    public var end: RecordingPosition?
    /// The longest span of the recording to play, measured from the start; `nil` for no limit.
    public var span: Duration?
    /// How often the recording is played; `nil` to repeat until stopped.
    public var loops: Int? = 1
    /// Whether to wait for a file without an end record to grow.
    public var follows = false
    /// Whether the replay starts paused.
    public var isStepping = false
    /// A filter that ends the replay at the first record with a matching report, shown or not; `nil` for none.
    public var untilMatch: Filter?
    /// The number of shown events after which the replay ends; `nil` for no limit.
    public var count: Int?
    /// The filter for what is shown; `nil` to show everything.
    package var filter: ViewFilter?

    /// The server's protocol, overriding the one in the recording; `nil` to use the recorded one.
    public var backend: Configuration.BackendKind?
    /// How requests of the sessions are answered.
    public var refetch = RefetchPolicy.recorded
    /// Whether to compare the model with the recorded states, and every chunk with its checksum. A difference ends the
    /// replay, and so does a damaged, missing or torn line.
    public var verifies = false

    /// The path of the control socket to serve; `nil` for none. Its folder must belong to the user and have mode 0700.
    /// A replay at maximum speed reads ahead, so its clients cannot move back.
    public var controlPath: String?
    /// The tool's name and version, reported to clients of the control socket.
    package var tool = "weir"

    /// An open descriptor to read the recording from, instead of a file; the caller keeps ownership. Records are shown
    /// as they arrive, except the state that the stream begins with. The writer may restart the stream with a new head.
    package var stream: Int32?

    /// Creates a replay of the stream that a running tail sends to a viewer. Messages refer to it as `name`.
    package init(stream: Int32, name: String) {
        paths = [name]
        self.stream = stream
    }

    /// Creates a replay of these recordings at maximum speed.
    public init(_ paths: [String]) { self.paths = paths }
}
