import Testing
import WeirWire

@testable import WeirPipeline

/// Tests for the sync phases that an observer sees.
@Suite struct SyncStateTests {
    typealias F = Frames

    @Test func `the sync phase is initial, then in progress, failed while all the rest fails, then success`() {
        var transcript = Transcript(
            Configuration(backend: .twake, revision: .v4, company: "C", workspace: "W", rooms: [F.feedRoom]))
        #expect(transcript.session.sync.phase == .initial)
        transcript.authenticate()
        transcript.receive(F.joined(F.feedRoom))
        #expect(transcript.session.sync.phase == .inProgress && transcript.session.sync.open > 0)
        transcript.answer("/feed", status: 500, "{}")
        #expect(transcript.session.sync.phase == .failure && transcript.session.sync.failing == 1)
        for _ in 0..<20 where transcript.requests.isEmpty { transcript.pass(.milliseconds(500)) }
        #expect(transcript.session.sync.phase == .inProgress)
        transcript.answer("/feed", F.list())
        #expect(transcript.session.sync == SyncState(phase: .success, open: 0, failing: 0))
        transcript.cut()
        #expect(transcript.session.sync.phase == .inProgress)
    }
}
