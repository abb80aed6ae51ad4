import Testing
import TestSupport
import WeirLive
@testable import WeirViews
import WeirPipeline
import WeirRecording
import WeirWire

@Suite("Requests of a replay") struct RefetchTests {
    /// Writes a recording of a Twake session that fetches its channels, with the given record of that request.
    private func record(
        in folder: String, request: (Int, String)?, status: Int? = 200, damaged: Bool = false
    ) throws -> String {
        let path = folder + "/twake.weir.jsonl"
        let head = Record.Head(
            recording: String(repeating: "c", count: 32), wallStart: 0, tool: "test", seed: 1,
            session: Configuration(
                backend: .twake, revision: .v4, company: "c0000000-0000-4000-8000-000000000000",
                workspace: "d0000000-0000-4000-8000-000000000000", rooms: [Self.room], resyncInterval: nil
            ).json)
        var records: [Record] = [.connection(.init(connection: 1, state: .open))]
        for text in [
            #"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}"#,
            #"40{"sid":"t"}"#, #"42["authenticated"]"#, #"42["realtime:join:success",{"name":"\#(Self.room)"}]"#,
        ] { records.append(PlayedRecording.frame(text)) }
        if let request {
            let phase = Record.HTTPRecord.Phase.request(
                method: "GET", url: "http://chat.example.com" + request.1, body: [])
            records.append(.http(.init(id: request.0, phase: phase)))
        }
        if let status {
            let phase = Record.HTTPRecord.Phase.response(
                status: status, body: Array(#"{"resources":[]}"#.utf8), retryAfter: nil)
            records.append(.http(.init(id: 1, phase: phase)))
        }
        records += [PlayedRecording.frame("2"), PlayedRecording.frame(#"42["hello",{"number":1}]"#)]
        let script = records.enumerated().map {
            (time: Moment(microseconds: Int64($0.offset) * 10_000), record: $0.element)
        }
        try PlayedRecording.write(path, head, script)
        if damaged {
            var lines = String(decoding: try readFile(path), as: UTF8.self).split(separator: "\n").map(String.init)
            lines[2] = "{" + lines[2]
            try writeFile(path, lines.joined(separator: "\n") + "\n")
        }
        return path
    }

    private static let room =
        "/companies/c0000000-0000-4000-8000-000000000000/workspaces/d0000000-0000-4000-8000-000000000000/channels?type=public"

    private func play(_ path: String, _ policy: RefetchPolicy) throws -> (
        outcome: TailOutcome, reports: [StampedReport]
    ) {
        var configuration = ReplayConfiguration([path])
        configuration.refetch = policy
        let watcher = Watcher()
        let outcome = try Replay(configuration, outlets: [watcher]).play().outcome
        return (outcome, watcher.reports.all)
    }

    /// Returns the target of the session's request, taken from the mismatch message.
    private func target(in folder: String) throws -> String {
        guard case .mismatch(let why) = try play(try record(in: folder, request: nil, status: nil), .recorded).outcome
        else {
            Issue.record("a request without a record is no mismatch")
            return ""
        }
        let words = why.split(separator: " ")
        return words.firstIndex(of: "GET").map { String(words[$0 + 1].dropLast()) } ?? ""
    }

    @Test("A request without a record ends the replay, and the error names it")
    func unknownRequest() throws {
        let outcome = try play(try record(in: try temporaryFolder(), request: nil, status: nil), .recorded).outcome
        guard case .mismatch(let why) = outcome else { throw CannotHappen() }
        #expect(why.hasPrefix("after record "))
        #expect(why.contains("this replay requests GET /"))
    }

    @Test("A recorded request that differs from the replay's ends it, and the error names both")
    func otherRequest() throws {
        let path = try record(in: try temporaryFolder(), request: (1, "/somewhere/else"))
        guard case .mismatch(let why) = try play(path, .recorded).outcome else { throw CannotHappen() }
        #expect(
            why.hasPrefix(
                "record 6 is the request GET http://chat.example.com/somewhere/else, but this replay requests GET /"))
    }

    @Test("Recorded requests and answers match the replay's")
    func recorded() throws {
        let target = try target(in: try temporaryFolder())
        let path = try record(in: try temporaryFolder(), request: (1, target))
        let played = try play(path, .recorded)
        #expect(played.outcome == .limitReached)
        #expect(played.reports.numbers == [1])
    }

    @Test("A request without an answer counts as pending at the recording's end")
    func unanswered() throws {
        let target = try target(in: try temporaryFolder())
        #expect(
            try play(try record(in: try temporaryFolder(), request: (1, target), status: nil), .recorded).outcome
                == .limitReached)
    }

    @Test("Requests without a record can be stubbed or left unanswered")
    func otherPolicies() throws {
        let path = try record(in: try temporaryFolder(), request: nil, status: nil)
        #expect(try play(path, .stub).outcome == .limitReached)
        #expect(try play(path, .off).outcome == .limitReached)
        #expect(try play(path, .stub).reports.numbers == [1])
    }

    @Test("In a damaged recording, mismatched requests are reported and do not end the replay")
    func damage() throws {
        let path = try record(in: try temporaryFolder(), request: nil, status: nil, damaged: true)
        let played = try play(path, .recorded)
        #expect(played.outcome == .limitReached)
        #expect(played.reports.gaps.count > 0)
    }
}

struct CannotHappen: Error {}
