import Events
import SectionedModel
import Testing

@testable import Pipeline

/// Who is in a channel.
@Suite struct MemberTests {
    typealias F = Frames
    private let members = Item.Section("members", EntityID("CH"))

    private func count(_ transcript: Transcript) -> Int? {
        transcript.session.model[.channel(EntityID("CH"))]?.channel?.membersCount
    }

    @Test func `members that are followed are fetched for every channel, and counted in its row`() {
        let members = F.list(Transcript.member("U1"), Transcript.member("U2"))
        let transcript = Transcript.discovered(following: [.members], service: [("/channels/CH/members", members)])
        #expect(transcript.ids(in: self.members) == ["U1", "U2"])
        #expect(count(transcript) == 2)
        #expect(transcript.session.roomBook.isWanted(F.membersRoom))
    }

    @Test func `members that are not followed cost no room and no request`() {
        let transcript = Transcript.discovered(following: [])
        #expect(!transcript.session.roomBook.isWanted(F.membersRoom))
        #expect(transcript.ids(in: members).isEmpty)
    }

    @Test func `a member who joins is shown at once, and the members are fetched and counted anew`() {
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

    @Test func `the members of a channel go with its room, and both with the channel`() {
        var transcript = Transcript.discovered(following: [.members])
        transcript.feed(.unwant(rooms: [F.membersRoom]))
        #expect(transcript.ids(in: members).isEmpty)
        transcript.feed(.withdraw(rooms: F.membersRoom, source: .ctl))
        transcript.quiet()
        #expect(transcript.ids(in: members) == ["U1"])
        transcript.receive(F.resource("deleted", "channel", room: F.publicRoom, F.channel()))
        #expect(transcript.ids(in: members).isEmpty)
        #expect(!transcript.session.roomBook.isWanted(F.membersRoom))
    }

    @Test func `another workspace leaves the rooms of the old one's members`() {
        var transcript = Transcript.discovered(following: [.members])
        transcript.feed(.select("/companies/C/workspaces/X/channels?type=public"))
        #expect(transcript.ids(in: members).isEmpty)
        #expect(!transcript.session.roomBook.isWanted(F.membersRoom))
    }
}
