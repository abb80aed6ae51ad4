import Testing
import WeirWire

@testable import WeirPipeline

/// Tests for the request reports that an observer receives.
@Suite struct RefetchReportTests {
    private func refetches(_ transcript: Transcript) -> [RefetchReport] {
        transcript.effects.compactMap { if case .report(.refetch(let report)) = $0 { report } else { nil } }
    }

    @Test func `each request is reported when it ends, with its subject, result and duration`() throws {
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

    private static let rooms = (1...5).map { "/companies/c/workspaces/w/channels/ch\($0)/feed" }

    @Test
    func `a service that accepts requests without answering is reported at once, for three requests`()
        throws
    {
        var transcript = Transcript.ready(rooms: Self.rooms)
        var told: [String] = []
        func fail(_ channel: Int, _ answer: Answer) throws {
            let request = try #require(transcript.requests.first { $0.target.contains("ch\(channel)") })
            transcript.requests.removeAll { $0.id == request.id }
            transcript.feed(.answered(request: request.id, answer))
            told += transcript.notices
        }
        let late = Answer.failure(kind: "timeout", message: "chat.example.com: no answer within 30 s")
        try fail(1, late)
        #expect(told.count == 1)
        #expect(
            told[0].contains("ch1")
                && told[0].hasSuffix("could not be fetched: chat.example.com: no answer within 30 s; it is tried again"),
            "\(told)")
        try fail(2, .response(status: 302, body: [], retryAfter: nil))
        #expect(told.last?.contains("HTTP 302, and redirects are not followed") == true, "\(told)")
        try fail(3, late)
        #expect(told.last?.hasSuffix("; the summary counts the others") == true, "\(told)")
        for channel in 4...5 { try fail(channel, late) }
        #expect(told.count == 3)
        // The same failure again is not reported.
        transcript.pass(.seconds(2))
        try fail(1, late)
        #expect(told.count == 3)
        transcript.pass(.seconds(4))
        transcript.answer("ch1", #"{"resources":[]}"#)
        try fail(4, late)
        #expect(told.count == 4, "\(told) \(transcript.requests.map(\.target))")
    }

    @Test func `a broken connection and a busy service are retried silently`() throws {
        var transcript = Transcript.ready(rooms: [Self.rooms[0]])
        let answers: [Answer] = [
            .failure(kind: "connect", message: "refused"), .failure(kind: "lost", message: "reset"),
            .response(status: 503, body: [], retryAfter: nil), .response(status: 429, body: [], retryAfter: 1),
        ]
        for answer in answers {
            let request = try #require(transcript.requests.first { $0.target.contains("ch1") })
            transcript.requests.removeAll { $0.id == request.id }
            transcript.feed(.answered(request: request.id, answer))
            #expect(transcript.notices.isEmpty)
            transcript.pass(.seconds(20))
        }
    }

    @Test func `an answer to an unknown request is not reported`() {
        var transcript = Transcript.ready(rooms: ["/companies/c/workspaces/w/channels/ch/feed"])
        transcript.feed(.answered(request: 999, .response(status: 200, body: [], retryAfter: nil)))
        #expect(refetches(transcript).isEmpty)
    }

    @Test func `a service that asks for a long wait is obeyed up to a limit, and the wait is reported`() throws {
        for (asked, heeded) in [(120, 120), (999_999_999, 300)] {
            var transcript = Transcript.ready(rooms: [Self.rooms[0]])
            let request = try #require(transcript.requests.first { $0.target.contains("ch1") })
            transcript.feed(.answered(request: request.id, .response(status: 429, body: [], retryAfter: asked)))
            let notice = try #require(transcript.notices.first { $0.contains("waits \(heeded) s") })
            #expect(notice.contains("the server requests \(asked) s (Retry-After)"))
            #expect(transcript.waits == [.seconds(heeded)])
            transcript.pass(.seconds(heeded - 1))
            #expect(!transcript.requests.contains { $0.id > request.id && $0.target == request.target })
            transcript.pass(.seconds(1))
            #expect(transcript.requests.contains { $0.id > request.id && $0.target == request.target })
        }
    }
}
