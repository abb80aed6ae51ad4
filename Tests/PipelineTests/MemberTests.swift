import Testing
import WeirEvents
import WeirModel

@testable import WeirPipeline

/// Tests for the members of channels.
@Suite struct MemberTests {
    typealias F = Frames
    private let members = Item.Section("members", EntityID("CH"))

    private func count(_ transcript: Transcript) -> Int? {
        transcript.session.model[.channel(EntityID("CH"))]?.channel?.membersCount
    }

    @Test func `followed members are fetched for every channel and counted in its row`() {
        let members = F.list(Transcript.member("U1"), Transcript.member("U2"))
        let transcript = Transcript.discovered(following: [.members], service: [("/channels/CH/members", members)])
        #expect(transcript.ids(in: self.members) == ["U1", "U2"])
        #expect(count(transcript) == 2)
        #expect(transcript.session.subscriptions.isWanted(F.membersRoom))
    }

    @Test func `members that are not followed cost neither a room nor a request`() {
        let transcript = Transcript.discovered(following: [])
        #expect(!transcript.session.subscriptions.isWanted(F.membersRoom))
        #expect(transcript.ids(in: members).isEmpty)
    }

    @Test func `a new member is shown at once, and the members are refetched and counted`() {
        var transcript = Transcript.discovered(following: [.members])
        #expect(count(transcript) == 1)
        transcript.receive(F.resource("saved", "channel_member", room: F.membersRoom, Transcript.member("U2")))
        #expect(transcript.ids(in: members) == ["U1", "U2"])
        #expect(transcript.asked.count == 1)
        transcript.quiet([("/channels/CH/members", F.list(Transcript.member("U1"), Transcript.member("U2")))])
        #expect(transcript.ids(in: members) == ["U1", "U2"])
        #expect(count(transcript) == 2)
        transcript.receive(F.resource("deleted", "channel_member", room: F.membersRoom, Transcript.member("U2")))
        #expect(transcript.ids(in: members) == ["U1"])
        transcript.quiet()
        #expect(count(transcript) == 1)
    }

    @Test func `leaving a channel's members room removes its members, and deleting the channel removes both`() {
        var transcript = Transcript.discovered(following: [.members])
        transcript.feed(.unwant(rooms: [F.membersRoom]))
        #expect(transcript.ids(in: members).isEmpty)
        transcript.feed(.withdraw(rooms: F.membersRoom, source: .ctl))
        transcript.quiet()
        #expect(transcript.ids(in: members) == ["U1"])
        transcript.receive(F.resource("deleted", "channel", room: F.publicRoom, F.channel()))
        #expect(transcript.ids(in: members).isEmpty)
        #expect(!transcript.session.subscriptions.isWanted(F.membersRoom))
    }

    @Test func `selecting another workspace leaves the members rooms of the old one`() {
        var transcript = Transcript.discovered(following: [.members])
        transcript.feed(.select("/companies/C/workspaces/X/channels?type=public"))
        #expect(transcript.ids(in: members).isEmpty)
        #expect(!transcript.session.subscriptions.isWanted(F.membersRoom))
    }
}
