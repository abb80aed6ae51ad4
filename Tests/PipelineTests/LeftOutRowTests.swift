import Testing
import WeirEvents

@testable import WeirPipeline

@Suite struct `A row that cannot be read` {
    private typealias F = Frames
    private let hazards = HazardTests()

    @Test func `an unreadable row affects only itself, and is reported once with its path and id`() {
        var transcript = Transcript.ready(
            rooms: [F.publicRoom, F.feedRoom], company: "C", workspace: "W")
        let page = F.list("null", F.listed(), #"{"id":"BAD","name":{}}"#)
        transcript.answer("/W/channels?", page)
        #expect(transcript.ids(in: hazards.channels) == ["CH"])
        let told = transcript.undecodable.map(\.message)
        #expect(told.count == 2)
        #expect(
            told.first?.hasPrefix("resources[0]: expected an object, found null") == true, "\(told)")
        #expect(told.first?.hasSuffix("; the row is left out") == true, "\(told)")
        #expect(
            told.last?.hasPrefix("resources[2].name: expected a string, found an object") == true,
            "\(told)")
        #expect(told.last?.hasSuffix("; row BAD is left out") == true, "\(told)")
        hazards.reconnect(&transcript, [F.publicRoom, F.feedRoom])
        transcript.answer("/W/channels?", page)
        #expect(transcript.undecodable.isEmpty)
        #expect(transcript.ids(in: hazards.channels) == ["CH"])
    }

    @Test func `an unreadable row removes no known row, and a null row is ignored`() {
        var transcript = hazards.ready()
        hazards.reconnect(&transcript, [F.publicRoom, F.feedRoom])
        transcript.answer("/W/channels?", F.list(#"{"id":"CH","name":7}"#))
        #expect(transcript.ids(in: hazards.channels) == ["CH"])
        hazards.reconnect(&transcript, [F.publicRoom, F.feedRoom])
        transcript.answer("/W/channels?", F.list("null"))
        #expect(transcript.ids(in: hazards.channels).isEmpty)
    }

    @Test func `an unreadable message affects neither other messages nor the other replies of its head`() {
        let bad = #"{"id":"R2","thread_id":"M1","text":"x","user_id":{}}"#
        let head = F.head("M1", "one", at: 1000, last: ["null", bad])
        let transcript = hazards.ready(feed: [
            "null", head, #"{"id":[]}"#, F.head("M2", "two", at: 2000),
        ])
        #expect(transcript.texts(in: hazards.messages) == ["one", "two"])
    }

    @Test func `a number that no integer can hold does not spoil a row when its field is unused`() {
        var transcript = Transcript.acting()
        let message = Transcript.message("M1", "hello", at: 9, more: #","x_big":100000000000000000000"#)
        transcript.tell("created", message)
        #expect(transcript.shown == ["first", "hello"])
        #expect(transcript.undecodable.isEmpty)
    }

    @Test func `a 403 for one resource is no statement about the token while others succeed`() {
        var transcript = Transcript.ready(
            rooms: [F.publicRoom, F.badgeRoom, F.feedRoom], company: "C", workspace: "W")
        transcript.answer("/W/channels?", F.list(F.listed()))
        transcript.refuse("/feed", status: 403)
        #expect(!transcript.effects.contains { if case .renewToken = $0 { true } else { false } })
        #expect(transcript.notices.count == 1)
        #expect(transcript.notices.first?.contains("the service forbids it") == true)
    }
}
