import Glibc
import JSONText
import Network
import Pipeline
public import Recording
import Wire

/// Plays a recording through the very same session as live: its inputs are fed to a fresh one, at their recorded times.
///
/// What comes out depends on the file alone: the same at any speed, in any process.
public final class Replay: Sendable {
    /// How fast a recording is played.
    public enum Speed: Hashable, Sendable {
        /// As fast as it goes.
        case maximum
        /// Times the original; more than 0.
        case factor(Double)
    }

    private let path: String
    private let speed: Speed
    private let count: Int?
    private let outlets: [any Outlet]
    private let stopSignal = Monitor<Int32?>(nil)

    /// A replay of the file at `path` (`-` for standard input), of `count` events at most.
    public init(path: String, speed: Speed = .maximum, count: Int? = nil, outlets: [any Outlet]) {
        self.path = path
        self.speed = speed
        self.count = count
        self.outlets = outlets
    }

    /// Ends the replay before the next record. Any thread.
    public func stop(signal: Int32 = 0) { stopSignal.change { $0 = signal } }

    /// Plays the file. Blocks: call it on a thread that may.
    ///
    /// Throws when there is no recording to be read. What fails later, reading on or writing, is the summary's outcome.
    public func run() throws(RecordingError) -> TailSummary {
        let reader = try RecordingReader(opening: path)
        let head = reader.head
        let configuration: Configuration
        do {
            configuration = try Configuration(json: head.session)
        } catch {
            throw .notARecording(path: path, message: "the head's session: \(error.description)")
        }
        let session = Session(
            configuration, seed: head.seed, keepsChecksum: outlets.contains { $0.needsChecksums })
        var player = Player(session: session, wallStart: head.wallStart, count: count)
        var outcome = play(reader, with: &player)
        for outlet in outlets {
            do { try outlet.finish() } catch { outcome = .cannotWrite(error) }
        }
        return player.summary(outcome)
    }

    private func play(_ reader: consuming RecordingReader, with player: inout Player) -> TailOutcome {
        let began = Pace.now
        player.start()
        do {
            while true {
                if let signal = stopSignal.change({ $0 }) { return .interrupted(signal: signal) }
                let entry: RecordingReader.Entry?
                do { entry = try reader.next() } catch { return .cannotWrite(OutletError(error, path: path)) }
                guard let entry else { break }
                if case .factor(let factor) = speed, case .record(_, let stamp) = entry {
                    // Half a century, however slow the replay and whatever the file says.
                    let due = min(max(Double(stamp.time.microseconds) / factor, 0), 1e15)
                    Pace.sleep(until: began + Int64(due))
                }
                player.play(entry)
                if player.reports.count >= 512 || speed != .maximum { try flush(&player) }
                if player.isOver { break }
            }
            try flush(&player)
            return .limitReached
        } catch {
            return error == .closedByReader ? .outputClosed : .cannotWrite(error)
        }
    }

    private func flush(_ player: inout Player) throws(OutletError) {
        guard !player.reports.isEmpty else { return }
        for outlet in outlets { try outlet.write(player.reports) }
        player.reports.removeAll(keepingCapacity: true)
    }
}

/// The real time that paces a replay; nothing that is printed depends on it.
private enum Pace {
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    static func sleep(until microseconds: Int64) {
        let remaining = microseconds - now
        guard remaining > 0 else { return }
        var span = timespec(tv_sec: Int(remaining / 1_000_000), tv_nsec: Int(remaining % 1_000_000) * 1000)
        nanosleep(&span, nil)
    }
}
