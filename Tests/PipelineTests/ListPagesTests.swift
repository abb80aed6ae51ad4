import Testing
import WeirEvents
import WeirModel
import WeirWire

@testable import WeirPipeline

/// Tests for lists that a server sends page by page (Twake TW-61, `next_page_token`).
@Suite struct ListPagesTests {
    typealias F = Frames
    private let channels = Item.Section("channels", EntityID("W"))

    private func page(_ names: String..., next: String? = nil) -> String {
        let token = next.map { #","next_page_token":"\#($0)""# } ?? ""
        return #"{"resources":[\#(names.map { F.channel($0, name: $0) }.joined(separator: ","))]\#(token)}"#
    }

    /// A session that shows the channels A and B and fetches the list again.
    private func shown() -> Transcript {
        var transcript = Transcript.ready(rooms: [F.publicRoom], company: "C", workspace: "W")
        transcript.answer("/channels?mine=1", page("A", "B"))
        transcript.receive(F.resource("saved", "channel", room: F.publicRoom, F.channel("NEW", name: "NEW")))
        transcript.pass(.seconds(1))
        return transcript
    }

    private func notices(_ transcript: Transcript) -> [String] {
        transcript.effects.compactMap { if case .report(.notice(let notice)) = $0 { notice.text } else { nil } }
    }

    @Test func `a list is read to its last page, and only then unlisted rows are removed`() {
        var transcript = shown()
        transcript.answer("/channels?mine=1", page("B", next: "2&x"))
        #expect(Set(transcript.ids(in: channels)) == ["A", "B"])
        #expect(transcript.requests.map { $0.target.hasSuffix("?mine=1&limit=1000&page_token=2%26x") } == [true])
        transcript.answer("page_token=2%26x", page("C", next: "3"))
        transcript.answer("page_token=3", page("NEW"))
        #expect(Set(transcript.ids(in: channels)) == ["B", "C", "NEW"])
        #expect(transcript.session.isSettled)
    }

    @Test func `a list that changed between two pages is read again, and nothing is removed meanwhile`() {
        var transcript = shown()
        transcript.answer("/channels?mine=1", page("B", next: "2"))
        transcript.receive(F.resource("saved", "channel", room: F.publicRoom, F.channel("LATE", name: "LATE")))
        transcript.answer("page_token=2", page("NEW"))
        #expect(Set(transcript.ids(in: channels)) == ["A", "B", "NEW"])
        transcript.pass(.seconds(1))
        #expect(transcript.requests.count == 1)
        #expect(!transcript.requests.contains { $0.target.contains("page_token") })
        transcript.answer("/channels?mine=1", page("B", "LATE", "NEW"))
        #expect(Set(transcript.ids(in: channels)) == ["B", "LATE", "NEW"])
        #expect(transcript.session.isSettled)
    }

    @Test func `a page that fails temporarily is retried, and the earlier pages are kept`() {
        var transcript = shown()
        transcript.answer("/channels?mine=1", page("B", next: "2"))
        transcript.refuse("page_token=2", status: 503)
        transcript.pass(.seconds(30))
        transcript.answer("page_token=2", page("NEW"))
        #expect(Set(transcript.ids(in: channels)) == ["B", "NEW"])
    }

    @Test func `an endless list is read no further, which is reported, and nothing is removed`() {
        var transcript = shown()
        transcript.answer("/channels?mine=1", page("B", next: "2"))
        transcript.answer("page_token=2", page("C", next: "2"))
        let words = "channels: the list does not end after 2 rows in 2 pages"
        #expect(notices(transcript).contains { $0.hasPrefix(words) })
        #expect(Set(transcript.ids(in: channels)) == ["A", "B", "C"])
        #expect(transcript.session.isSettled)
    }

    @Test func `the pages of a list together are limited to the size of one answer`() {
        var configuration = Configuration(
            backend: .twake, revision: .v4, company: "C", workspace: "W", rooms: [F.publicRoom])
        configuration.limits.body = 4096
        var transcript = Transcript(configuration)
        transcript.authenticate()
        transcript.receive(F.joined(F.publicRoom))
        transcript.answer("/channels?mine=1", page("A", next: "1"))
        for number in 1..<20 {
            transcript.pass(.milliseconds(200))
            guard !transcript.requests.isEmpty else { break }
            transcript.answer("page_token=\(number)", page("C\(number)", next: "\(number + 1)"))
        }
        #expect(transcript.requests.isEmpty)
        #expect((2...15).contains(transcript.ids(in: channels).count))
        #expect(transcript.session.isSettled)
    }

    @Test func `members are counted after their last page`() {
        func members(_ users: ClosedRange<Int>, next: String? = nil) -> String {
            let rows = users.map { Transcript.member("U\($0)") }.joined(separator: ",")
            return #"{"resources":[\#(rows)],"next_page_token":"\#(next ?? "")"}"#
        }
        var configuration = Configuration(
            backend: .twake, revision: .v4, company: "C", workspace: "W", rooms: [F.publicRoom, F.membersRoom],
            following: [.members])
        configuration.resyncInterval = nil
        var transcript = Transcript(configuration)
        transcript.authenticate()
        for room in [F.publicRoom, F.membersRoom] { transcript.receive(F.joined(room)) }
        transcript.answer("/channels?mine=1", #"{"resources":[\#(F.channel("CH"))]}"#)
        transcript.answer("/members", members(1...3, next: "x"))
        #expect(transcript.session.model[.channel(EntityID("CH"))]?.channel?.membersCount == 0)
        transcript.answer("page_token=x", members(4...5))
        #expect(transcript.session.model[.channel(EntityID("CH"))]?.channel?.membersCount == 5)
        #expect(transcript.ids(in: .members(EntityID("CH"))).count == 5)
    }
}
