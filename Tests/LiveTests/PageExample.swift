import WeirLive
import WeirModel
import WeirNetwork
import WeirPipeline
import WeirThreads

/// Counts the rows in the model.
final class RowCounter: Outlet {
    private let rows = Monitor(0)

    /// The current number of rows.
    var count: Int { rows.change { $0 } }

    func write(_ reports: [StampedReport]) throws(OutletError) {
        for stamped in reports {
            guard case .diff(let diff) = stamped.report else { continue }
            rows.change { $0 += diff.batch.insertions.count - diff.batch.deletions.count }
        }
    }

    func finish() throws(OutletError) {}
}

/// Tails a server for a minute, prints its events as JSON lines, and records them.
func record(_ address: String, to path: String, counter: RowCounter) async throws -> TailSummary {
    var configuration = TailConfiguration(
        server: try URLParts(parsing: address), session: Configuration(backend: .twake),
        token: .environment("TWAKE_TOKEN"), seed: .random(in: .min ... .max))
    configuration.recordPath = path
    configuration.duration = .seconds(60)
    let printer = EventPrinter(format: .json, colour: false, width: nil)
    return await (try Tail(configuration, outlets: [printer, counter])).run()
}

/// Plays a recording at maximum speed, and writes its changes of the model to a diff log. Blocks the calling thread.
func replay(_ path: String, into log: String, counter: RowCounter) throws -> TailSummary {
    try Replay(path: path, outlets: [try DiffLogFile(creating: log), counter]).run()
}
