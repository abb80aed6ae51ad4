import Network
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
        let pattern: LineMatcher?
        do throws(LinePattern.Malformed) {
            pattern = try configuration.pattern.map { text throws(LinePattern.Malformed) in
                LineMatcher(try LinePattern(text))
            }
        } catch {
            throw .notARecording(path: "the expression", message: error.message)
        }
        let timeline = try Timeline(
            opening: configuration, keepsWay: console.keys != nil || console.watcher != nil,
            keepsChecksum: outlets.contains { $0.needsChecksums })
        let run = ReplayRun(configuration, timeline, pattern: pattern, console, outlets, stopping)
        var outcome = run.run()
        for outlet in outlets {
            do { try outlet.finish() } catch { outcome = .cannotWrite(error) }
        }
        return run.summary(outcome)
    }
}

/// Who looks on while a recording is played, by descriptors that stay the caller's.
public struct ReplayConsole: Sendable {
    /// Where keys are read from; nil when nobody presses any. A terminal must send them one by one.
    public var keys: Int32?
    /// A terminal where a line tells how far the replay is; nil for none.
    public var status: Int32?
    /// Somebody on another thread, who is told everything instead of the terminal.
    package var watcher: (any ReplayWatcher)?
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
    private static let none = Int.min
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

    /// The signal of it; nil while nobody wishes it.
    var signal: Int32? {
        let value = asked.load(ordering: .acquiring)
        return value == Self.none ? nil : Int32(truncatingIfNeeded: value)
    }
}
