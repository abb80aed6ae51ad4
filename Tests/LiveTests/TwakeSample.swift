import Testing
import TestSupport
import WeirDemoServer
import WeirLive
@testable import WeirViews
import WeirNetwork
import WeirPipeline
import WeirThreads
import WeirWire

/// Makes a recording of a tail of the embedded backend.
enum TwakeSample {
    /// Records the standup at a hundred times the normal speed, until the model has changed `changes` times.
    static func record(to path: String, changes: Int = 12) async throws {
        let loop = try EventLoop(name: "weir-backend")
        defer { runOnThread(named: "weir-end") { loop.shutDown() } }
        let scenario = try Scenario.load(packageFolder + "/samples/scenarios/standup.jsonl", seed: 3)
        let server = try EmbeddedServer(
            on: loop, scenario: scenario, seed: 3, options: EmbeddedServer.Options(pace: 100))
        let watcher = Watcher()
        var configuration = TailConfiguration(
            server: try URLParts(parsing: server.url), session: Configuration(backend: .twake),
            token: .provider { server.makeToken() }, seed: 5)
        configuration.recordPath = path
        let tail = Tail(configuration, outlets: [watcher])
        async let summary = tail.run()
        await watcher.reports.wait { $0.diffs.count >= changes }
        tail.stop()
        _ = try await summary
        await withCheckedContinuation { continuation in
            runOnThread(named: "weir-server") {
                server.close()
                continuation.resume()
            }
        }
    }
}
