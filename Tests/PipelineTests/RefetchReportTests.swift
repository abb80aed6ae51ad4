import Testing
import Wire

@testable import Pipeline

/// What a watcher is told of requests.
@Suite struct RefetchReportTests {
    private func refetches(_ transcript: Transcript) -> [RefetchReport] {
        transcript.effects.compactMap { if case .report(.refetch(let report)) = $0 { report } else { nil } }
    }

    @Test func `each request is told of when it ends: what it asked for, what came of it, and how long it took`() throws
    {
        var transcript = Transcript.ready(rooms: ["/companies/c/workspaces/w/channels/ch/feed"])
        let request = try #require(
            transcript.requests.first { $0.target.contains("/feed") || $0.target.contains("ch") })
        let part = String(request.target.prefix { $0 != "?" })
        func ends(_ outcome: RefetchReport.Outcome, _ status: Int?, after time: Duration? = nil) {
            let reports = refetches(transcript)
            #expect(reports.map(\.outcome) == [outcome])
            #expect(reports.map(\.status) == [status])
            if let time { #expect(reports.map(\.duration) == [time]) }
            #expect(reports.allSatisfy { $0.cause == request.cause && !$0.resource.isEmpty })
        }
        transcript.pass(.milliseconds(30))
        transcript.refuse(part, status: 500)
        ends(.delayed, 500, after: .milliseconds(30))
        transcript.pass(.seconds(2))
        transcript.answer(part, "nope")
        ends(.unreadable, 200)
        transcript.pass(.seconds(4))
        transcript.refuse(part, status: 401)
        ends(.refused, 401)
        transcript.feed(.tokenRenewed(changed: true))
        transcript.pass(.milliseconds(5))
        transcript.answer(part, #"{"resources":[]}"#)
        ends(.fetched, 200, after: .milliseconds(5))
    }

    @Test func `an answer that nobody waits for is not told of`() {
        var transcript = Transcript.ready(rooms: ["/companies/c/workspaces/w/channels/ch/feed"])
        transcript.feed(.answered(request: 999, .response(status: 200, body: [], retryAfter: nil)))
        #expect(refetches(transcript).isEmpty)
    }
}
