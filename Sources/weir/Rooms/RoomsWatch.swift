import Glibc
import WeirLive
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirTerminal
import WeirThreads
import WeirWire

/// The command `weir rooms watch`: the changes of a running tail's rooms, line by line. It attaches like `weir attach`.
enum RoomsWatch {
    static func run(_ options: RoomsOptions) async -> ExitCode {
        do {
            let process = try RunningProcess.find(options.name)
            let descriptor = try process.attach()
            defer { close(descriptor) }
            let replay = Replay(
                ReplayConfiguration(stream: descriptor, name: process.name),
                outlets: [RoomChanges(try expression(options), asJSON: options.json)])
            Signals.onFirst { signal in
                replay.stop(signal: signal)
                // Wake up the replay, which waits for the next line.
                shutdown(descriptor, Int32(SHUT_RDWR))
            }
            let ending = Ending(try await replay.run())
            if let words = ending.words { Console.note("weir: " + words) }
            // A loss of the tail is printed as it happens. It is not a failure of this viewer.
            return ending.code == .loss ? .done : ending.code
        } catch {
            return Console.fail(error)
        }
    }

    private static func expression(_ options: RoomsOptions) throws(CommandError) -> RoomExpression {
        do throws(RoomPatternError) {
            return try RoomExpression(words: options.words)
        } catch {
            throw CommandError(error.sentence, .usage)
        }
    }
}

/// Prints the changes of rooms.
final class RoomChanges: Outlet {
    private let wanted: RoomExpression
    private let printer: EventPrinter?

    /// Creates an outlet for the rooms that match `wanted`, or for all rooms if it is empty.
    init(_ wanted: RoomExpression, asJSON: Bool) {
        self.wanted = wanted
        printer = asJSON ? EventPrinter(format: .json, descriptor: 1, colour: false, width: nil) : nil
    }

    func write(_ reports: [StampedReport]) throws(OutletError) {
        let changes = reports.filter { report in
            guard case .room(let room) = report.report else { return false }
            return wanted.terms.isEmpty || wanted.matches(RoomFacts(name: room.room))
        }
        guard !changes.isEmpty else { return }
        if let printer { return try printer.write(changes) }
        let lines = changes.map(line).joined()
        try DescriptorWriter(descriptor: 1, name: "standard output").write(Array(lines.utf8))
    }

    func finish() throws(OutletError) { try printer?.finish() }

    /// Returns a line such as `14:03:22 + ROOM`: `+` joined, `!` refused, `-` left or lost, `~` in progress.
    private func line(_ stamped: StampedReport) -> String {
        guard case .room(let room) = stamped.report else { return "" }
        let sign =
            switch room.change {
            case .joined: "+"
            case .refused: "!"
            case .left, .lost: "-"
            case .wanted, .joining, .leaving, .found: "~"
            }
        let why = room.why.map { ": " + TerminalText.truncated($0, to: 200) } ?? ""
        let name = TerminalText.truncated(room.room, to: 200)
        return "\(TimeOfDay.text(wall: stamped.stamp.wall)) \(sign) \(name) \(room.change.rawValue)\(why)\n"
    }
}
