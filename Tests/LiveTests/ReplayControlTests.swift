import Glibc
import Testing
import TestSupport
import WeirJSON
import WeirNetwork
import WeirPipeline
import WeirThreads
import WeirWire

@testable import WeirLive
@testable import WeirViews

/// Tests replays controlled through their socket.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ReplayControlTests {
    /// Plays nine events, initially paused. `during` receives the path of the socket and the watcher of the reports.
    private func replay(
        _ change: (inout ReplayConfiguration) -> Void = { _ in },
        _ during: (String, Watcher) async throws -> Void
    ) async throws -> (numbers: [Int], outcome: TailOutcome) {
        let folder = try temporaryFolder()
        let recording = try PlayedRecording(in: folder, events: 9, mark: 4)
        var configuration = ReplayConfiguration([recording.path])
        configuration.controlPath = folder + "/r.sock"
        configuration.tool = "weir-test"
        configuration.pace = .factor(1)
        configuration.isStepping = true
        change(&configuration)
        let path = folder + "/r.sock"
        let watcher = Watcher()
        let status = try Ends()
        let replay = Replay(
            configuration, console: ReplayConsole(status: status.write), outlets: [watcher])
        let summaries = Mailbox<TailSummary>()
        runOnThread(named: "weir-replay") {
            if let summary = try? replay.play() { summaries.put(summary) }
        }
        await status.isWritten()
        do {
            try await during(path, watcher)
        } catch {
            replay.stop()
            throw error
        }
        let outcome = try await summaries.first().outcome
        return (watcher.reports.all.numbers, outcome)
    }

    private func record(_ value: JSONValue) -> Int64 {
        if case .integer(let number)? = value["record"] { number } else { -1 }
    }

    @Test func `a client steps, seeks, marks and ends a replay, and receives its position`() async throws {
        let (numbers, outcome) = try await replay { path, watcher in
            let first = try call(path, "step")
            #expect(
                record(first) == 4 && first["state"] == .string("paused") && first["time_us"] == .integer(1_000_000))
            #expect(record(try call(path, "step", #"{"count":3}"#)) == 7)
            #expect(record(try call(path, "step", #"{"back":true,"count":2}"#)) == 5)
            #expect(record(try call(path, "seek", #"{"to":"n:11"}"#)) >= 11)
            #expect(record(try call(path, "seek", #"{"to":"mark:here"}"#)) >= 7)
            let place = try call(path, "seek", #"{"to":"+2s"}"#)
            #expect(try call(path, "position") == place)
            #expect(try refusal(path, "seek", #"{"to":"elsewhere"}"#).code == -32002)
            #expect(try refusal(path, "seek", #"{"to":"mark:nowhere"}"#).message == "no mark has this name")
            #expect(try call(path, "position") == place, "what is not found is not gone to")
            #expect(try call(path, "mark", #"{"label":"mine"}"#)["marks"] == .integer(2))
            #expect(try call(path, "quit") == .bool(true))
        }
        #expect(numbers.starts(with: [1, 2, 3, 4, 2]))
        #expect(outcome == .limitReached)
    }

    @Test func `a client sets a replay's speed and rounds, and the replay ends by itself`() async throws {
        let (numbers, outcome) = try await replay { path, watcher in
            #expect(try refusal(path, "speed", #"{"to":"fast"}"#).code == -32602)
            #expect(try call(path, "speed", #"{"to":"20/s"}"#)["speed"] == .string("20/s"))
            #expect(try call(path, "speed", #"{"to":"max"}"#)["speed"] == .string("max"))
            #expect(try call(path, "loop", #"{"rounds":3}"#)["rounds"] == .integer(3))
            #expect(try call(path, "status")["paused"] == .bool(true))
            _ = try call(path, "resume")
            await watcher.reports.wait { $0.numbers.count == 27 }
        }
        #expect(numbers == Array(1...9) + Array(1...9) + Array(1...9))
        #expect(outcome == .limitReached)
    }

    @Test func `a replay identifies itself, lists its methods and refuses methods of a tail`() async throws {
        _ = try await replay { path, _ in
            let hello = try call(path, "hello")
            #expect(hello["kind"] == .string("replay") && hello["name"] == .string("r"))
            #expect(hello["capabilities"] == .array([.string("back")]))
            #expect(hello["methods"] == .array(ControlMethod.of(.replay).map { .string($0.rawValue) }))
            for method in ["rooms.list", "emit", "filter.get", "record.start", "model.get", "reconnect"] {
                let refused = try refusal(path, method)
                #expect(refused.code == -32601 && refused.message == "a replay has no method '\(method)'")
            }
            let status = try call(path, "status")
            #expect(status["state"] == .string("paused") && status["position"]?["round"] == .integer(1))
            #expect(try call(path, "stats")["events"] == .integer(0))
            _ = try call(path, "quit")
        }
    }

    @Test func `a replay at maximum speed refuses to go back`() async throws {
        let (numbers, _) = try await replay {
            $0.pace = .maximum
        } _: { path, _ in
            #expect(try call(path, "hello")["capabilities"] == .array([]))
            _ = try call(path, "step", #"{"count":4}"#)
            let back = try refusal(path, "step", #"{"back":true}"#)
            #expect(back.code == -32002 && back.message == "this recording cannot be rewound")
            #expect(try refusal(path, "loop").code == -32002)
            #expect(record(try call(path, "seek", #"{"to":"n:11"}"#)) >= 11)
            _ = try call(path, "quit")
        }
        #expect(numbers.starts(with: [1, 2, 3, 4]))
    }

    @Test func `steps past the end stop there and are answered, and the replay can still go back`() async throws {
        let (numbers, _) = try await replay { path, _ in
            let end = try call(path, "step", #"{"count":50}"#)
            #expect(end["events"] == .integer(9) && end["state"] == .string("paused"))
            #expect(try call(path, "step", #"{"back":true}"#)["events"] == .integer(8))
            _ = try call(path, "resume")
        }
        #expect(numbers == Array(1...9) + [8, 9])
    }

    @Test func `events skipped by a failed search are still counted once shown`() async throws {
        _ = try await replay { path, _ in
            _ = try call(path, "step")
            #expect(try refusal(path, "seek", #"{"to":"mark:nowhere"}"#).code == -32002)
            _ = try call(path, "step", #"{"count":50}"#)
            #expect(try call(path, "stats")["events"] == .integer(9))
            _ = try call(path, "quit")
        }
    }

    @Test func `a client observes a replay's position`() async throws {
        _ = try await replay { path, _ in
            let client = try UnixClient(path)
            client.send(line: #"{"method":"observe","id":1,"params":{"properties":["position","state"]}}"#)
            let began = try #require(client.readLine())
            #expect(began.contains(#""values":{"position":{"record":"#) && began.contains(#""state":"paused""#))
            _ = try call(path, "step")
            let changed = try #require(client.readLine())
            #expect(changed.contains(#""number":1,"property":"position","value":{"record":4,"time_us":1000000}"#))
            _ = try call(path, "quit")
        }
    }

    @Test func `a second replay with the same name runs without a socket and reports it`() async throws {
        _ = try await replay { path, _ in
            let other = try PlayedRecording(in: try temporaryFolder(), events: 3)
            var configuration = ReplayConfiguration([other.path])
            configuration.controlPath = path
            let watcher = Watcher()
            let summary = try Replay(configuration, outlets: [watcher]).play()
            #expect(summary.events == 3)
            #expect(watcher.reports.all.notices.first?.text.contains("no control socket") == true)
            _ = try call(path, "quit")
        }
    }
}

/// The two ends of a pipe.
private final class Ends: Sendable {
    let read: Int32
    let write: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        (read, write) = (ends[0], ends[1])
    }

    deinit {
        close(read)
        close(write)
    }

    /// Waits for the first output. A replay that waits for its clients has then drawn its status line.
    func isWritten() async {
        let written = Mailbox<Int>()
        let end = read
        runOnThread(named: "weir-wait") {
            var byte: UInt8 = 0
            written.put(Glibc.read(end, &byte, 1))
        }
        #expect(await written.wait { !$0.isEmpty } == [1])
    }
}
