import Testing
import TestSupport
import WeirDemoServer
import WeirJSON
import WeirNetwork
import WeirPipeline
import WeirThreads
import WeirWire

@testable import WeirLive
@testable import WeirViews

/// A tail of the embedded server, controlled through its socket.
enum ControlledTail {
    /// Tails the standup. `during` receives the path of the socket, the tail and the watcher of its reports.
    static func run(
        _ change: (inout TailConfiguration) -> Void = { _ in },
        _ during: (String, Tail, Watcher) async throws -> Void
    ) async throws -> (watcher: Watcher, summary: TailSummary) {
        let loop = try EventLoop(name: "weir-backend")
        defer { runOnThread(named: "weir-end") { loop.shutDown() } }
        let scenario = try Scenario.load(packageFolder + "/samples/scenarios/standup.jsonl", seed: 3)
        let server = try EmbeddedServer(on: loop, scenario: scenario, seed: 3, options: EmbeddedServer.Options())
        let watcher = Watcher()
        let path = try temporaryFolder() + "/t.sock"
        var configuration = TailConfiguration(
            server: try URLParts(parsing: server.url),
            session: Configuration(
                backend: .twake, reconnect: Backoff(base: .milliseconds(20), cap: .milliseconds(100))),
            token: .provider { server.makeToken() }, seed: 5, tool: "weir-test")
        configuration.controlPath = path
        change(&configuration)
        let tail = Tail(configuration, outlets: [watcher])
        async let summary = tail.run()
        await watcher.reports.wait { !$0.rooms(.joined).isEmpty }
        do {
            try await during(path, tail, watcher)
        } catch {
            tail.stop()
            _ = try await summary
            server.close()
            throw error
        }
        tail.stop()
        let end = try await summary
        server.close()
        return (watcher, end)
    }
}

/// Sends one request and returns the whole answer.
func answer(_ path: String, _ request: String) throws -> JSONValue {
    let answer = try LocalSocketClient.ask(path: path, line: Array(request.utf8))
    return try JSONValue(parsing: answer[...])
}

/// Calls a method and returns its result. The test fails if the call is refused.
func call(_ path: String, _ method: String, _ params: String = "{}") throws -> JSONValue {
    let line = #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#
    let answer = try answer(path, line)
    return try #require(answer["result"], "\(method) \(params) is refused: \(answer)")
}

/// Calls a method that must be refused, and returns the code and the message.
func refusal(_ path: String, _ method: String, _ params: String = "{}") throws -> (code: Int64, message: String) {
    let answer = try answer(path, #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#)
    guard case .integer(let code)? = answer["error"]?["code"], case .string(let message)? = answer["error"]?["message"]
    else {
        Issue.record("\(method) \(params) is not refused: \(answer)")
        return (0, "")
    }
    return (code, message)
}
