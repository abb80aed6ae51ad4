import Testing
import WeirEvents
import WeirModel

@testable import WeirPipeline

private typealias F = Frames

@Suite struct UnreadTests {
    private static let companyRoom = "/companies/C/workspaces"
    private let directs = "/companies/C/workspaces/direct/channels?type=direct&user=U1"

    /// A tail of one channel last read at 700, without unread messages.
    private func ready(era: TwakeEra = .b, badges: String = F.list()) -> Transcript {
        var transcript = Transcript.ready(
            rooms: [F.publicRoom, F.privateRoom, F.directRoom, F.badgeRoom, era == .a ? F.updatesRoom : F.feedRoom],
            company: "C", workspace: "W")
        transcript.settle(
            era == .a
                ? [
                    ("/internal/mobile/channels?", "[\(F.listed(access: 700))]"), ("/direct", "[]"),
                    ("/badges", badges), ("/messages", "[]"),
                ]
                : [
                    ("/W/channels?", F.list(F.listed(access: 700))), ("/direct/channels", F.list()),
                    ("/badges", badges), ("/feed", F.list(F.head("M0", "seen", at: 600))), ("/threads/", F.list()),
                ])
        return transcript
    }

    private func unread(_ room: String, _ transcript: Transcript) -> Int? {
        transcript.session.roomFacts(of: room).unread
    }

    @Test func `in era B messages and replies after the last access are unread, until the channel is read`() {
        var transcript = ready()
        #expect(unread(F.feedRoom, transcript) == 0 && unread(F.publicRoom, transcript) == 0)
        transcript.receive(F.activity(at: 800, text: "one"))
        #expect(unread(F.feedRoom, transcript) == 1, "the activity alone says that something is unread")
        transcript.receive(F.feed("created", F.message("M1", "one", at: 800)))
        transcript.receive(F.feed("created", F.message("M2", "two", at: 900)))
        #expect(unread(F.feedRoom, transcript) == 2)
        transcript.receive(F.feed("created", F.message("R1", thread: "M0", "a reply", at: 950)))
        transcript.receive(F.badge("saved", thread: "M1"))
        #expect(unread(F.feedRoom, transcript) == 3, "a badge of a thread whose messages are counted adds nothing")
        for room in [F.publicRoom, F.badgeRoom, Self.companyRoom] { #expect(unread(room, transcript) == 3) }
        #expect(unread(directs, transcript) == 0 && unread(F.privateRoom, transcript) == nil)
        transcript.receive(
            F.feed("updated", F.message("M2", "Deleted message", at: 900, updated: 960, subtype: "deleted")))
        #expect(unread(F.feedRoom, transcript) == 2)
        transcript.receive(F.badge("deleted", thread: "M1"))
        transcript.receive(F.membership(access: 1000))
        for room in [F.feedRoom, F.publicRoom, F.badgeRoom] { #expect(unread(room, transcript) == 0) }
    }

    @Test func `in era B the server's badges are counted when the model lacks the channel's messages`() {
        let others = ["A", "B"].map { F.badgeBody(thread: $0).replacing(#""CH""#, with: #""OTHER""#) }
        let transcript = ready(badges: F.list(others + [F.badgeBody(thread: "M7")]))
        #expect(unread(F.feedRoom, transcript) == 1)
        #expect(unread(F.publicRoom, transcript) == 3 && unread(F.badgeRoom, transcript) == 3)
    }

    @Test func `era A keeps its counters`() {
        let transcript = ready(
            era: .a,
            badges:
                #"[{"type":"company","id":"C","count":6},{"type":"workspace","id":"W","count":5},{"type":"channel","id":"CH","count":4}]"#
        )
        #expect(unread(F.updatesRoom, transcript) == 4)
        #expect(unread(F.publicRoom, transcript) == 5 && unread(F.badgeRoom, transcript) == 6)
    }

    @Test func `a message by the user marks the earlier ones as read`() {
        var transcript = Transcript.acting()
        func said(_ id: String, by user: String, at: Int) {
            transcript.tell("created", Transcript.message(id, id, at: at, user: user))
        }
        said("M1", by: "U2", at: 800)
        said("M2", by: "U2", at: 810)
        #expect(unread(Transcript.feedRoom, transcript) == 2)
        said("M3", by: "U1", at: 820)
        said("M4", by: "U2", at: 830)
        #expect(unread(Transcript.feedRoom, transcript) == 1)
    }
}
