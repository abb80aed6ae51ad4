import Glibc
import Testing
import TestSupport
import WeirJSON
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirThreads
import WeirWire

@testable import WeirLive
@testable import WeirViews

/// Tests how clients of the control socket change a tail's view and its recording.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ControlSteeringTests {
    @Test func `a client pauses and resumes the view, and changes its format and its log level`() async throws {
        let view = ViewControls()
        _ = try await ControlledTail.run {
            $0.view = view
        } _: { path, _, _ in
            let paused = try call(path, "pause")
            #expect(paused["paused"] == .bool(true) && view.isPaused)
            #expect(try call(path, "status")["paused"] == .bool(true))
            #expect(try call(path, "resume")["paused"] == .bool(false))
            #expect(!view.isPaused)
            #expect(try call(path, "view.set", #"{"format":"json"}"#) == .bool(true))
            #expect(view.format == .json)
            #expect(try refusal(path, "view.set", #"{"format":"jsno"}"#).message.contains("did you mean 'json'"))
            #expect(view.format == .json)
            #expect(try call(path, "log.level", #"{"level":"error"}"#) == .bool(true))
            #expect(view.level == .error)
        }
    }

    @Test func `an event from a client is sent by the session and recorded`() async throws {
        let file = try temporaryFolder() + "/a.weir.jsonl"
        _ = try await ControlledTail.run {
            $0.recordPath = file
            $0.allowsEmit = true
        } _: { path, _, _ in
            let hello = try call(path, "hello")
            #expect(hello["capabilities"] == .array([.string("emit")]))
            #expect(
                try call(path, "emit", #"{"event":"hello","arguments":[{"a":1}]}"#)
                    == .object([.init("state", .string("sent"))]))
        }
        let lines = String(decoding: try readFile(file), as: UTF8.self).split(separator: "\n")
        let sent = lines.filter { $0.contains(#"42[\"hello\",{\"a\":1}]"#) }
        #expect(sent.count == 1 && sent[0].contains(#""d":"out""#), "\(sent)")
        #expect(lines.contains { $0.contains(#""act":"emit","what":{"id":1,"event":"hello","args":[{"a":1}]}"#) })
    }

    @Test func `a client starts the recording's next segment, and both segments are one recording`() async throws {
        let folder = try temporaryFolder()
        _ = try await ControlledTail.run {
            $0.recordPath = folder + "/a.weir.jsonl"
            $0.recording.rotation = SegmentPlan.Rotation()
        } _: { path, _, watcher in
            let done = try call(path, "record.rotate")
            #expect(done == .bool(true))
            let seen = watcher.reports.all.events.count
            await watcher.reports.wait { $0.events.count > seen }
        }
        let parts = [1, 2].map { folder + "/a.000\($0).weir.jsonl" }
        let heads = try parts.map { try RecordingReader(opening: $0).head }
        #expect(heads[0].recording == heads[1].recording && heads[1].segment == 2)
        #expect(try Replay(ReplayConfiguration(parts), outlets: []).play().outcome == .limitReached)
    }

    @Test func `the refusal to rotate a recording without segments says how to enable them`() async throws {
        let file = try temporaryFolder() + "/a.weir.jsonl"
        _ = try await ControlledTail.run {
            $0.recordPath = file
        } _: { path, _, _ in
            let refused = try refusal(path, "record.rotate")
            #expect(refused.code == -32002 && refused.message.contains("--rotate hup"))
        }
        _ = try await ControlledTail.run { path, _, _ in
            let refused = try refusal(path, "record.rotate")
            #expect(refused.message == "nothing is recorded")
        }
    }
}
