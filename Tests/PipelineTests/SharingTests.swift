import Testing
import WeirEvents
import WeirJSON
import WeirWire

@testable import WeirPipeline

/// Tests a session that divides the rooms with other members of its group.
@Suite struct SharingTests {
    typealias F = Frames
    private static let feed = "/companies/C/workspaces/W/channels/"
    private static let names = (0..<12).map { "c\($0)" }
    private static let members = ["ann", "bea", "cyd"]

    private func session(_ member: String, against rivals: [String]? = nil, missing: Duration? = nil) -> Transcript {
        var configuration = Configuration(backend: .twake, revision: .v4, company: "C", workspace: "W")
        configuration.isShared = true
        var transcript = Transcript(configuration)
        if let rivals { transcript.feed(.share(RoomShare(of: member, against: rivals), missing: missing)) }
        transcript.authenticate()
        transcript.quiet([("/W/channels?", F.list(Self.names.map { F.listed($0, name: $0) }))])
        return transcript
    }

    private func feeds(_ transcript: Transcript) -> Set<String> {
        Set(
            transcript.session.subscriptions.entries.map(\.name).filter { $0.hasSuffix("/feed") }
                .map { String($0.dropFirst(Self.feed.count).dropLast("/feed".count)) })
    }

    @Test func `the rooms are divided without a rest, and lists of rooms are joined by all`() {
        var all: [String] = []
        for member in Self.members {
            let transcript = session(member, against: Self.members.filter { $0 != member })
            #expect(transcript.session.subscriptions[F.publicRoom] != nil)
            all += feeds(transcript)
        }
        #expect(all.sorted() == Self.names.sorted())
    }

    @Test func `before a share is said no room is held but those that tell of rooms`() {
        let transcript = session("ann")
        #expect(feeds(transcript) == [])
        #expect(transcript.session.subscriptions[F.publicRoom] != nil)
    }

    @Test func `a member that is gone leaves its rooms to the others, and no other room moves`() {
        let rooms = (0..<3000).map { "room \($0)" }
        let before = rooms.map { RoomShare.holder(of: $0, among: Self.members) }
        let after = rooms.map { RoomShare.holder(of: $0, among: ["ann", "cyd"]) }
        for (old, new) in zip(before, after) where old != "bea" { #expect(old == new) }
        for member in Self.members {
            let held = rooms.filter { RoomShare(of: member, against: Self.members).holds($0) }
            #expect((900...1100).contains(held.count), "\(member) holds \(held.count)")
            #expect(held == zip(rooms, before).filter { $0.1 == member }.map(\.0))
        }
        // The share against one set of rivals and against another equals the share against both.
        let (one, two) = (RoomShare(of: "ann", against: ["bea"]), RoomShare(of: "ann", against: ["cyd"]))
        let both = RoomShare(of: "ann", against: ["bea", "cyd"])
        for room in rooms { #expect(both.holds(room) == (one.holds(room) && two.holds(room))) }
    }

    @Test func `what is given away is left and its rows go, and what comes is fetched and told as a gap once it has`() {
        var transcript = session("ann", against: ["bea"])
        let kept = feeds(transcript)
        transcript.feed(.share(RoomShare(of: "ann", against: ["bea", "cyd"])))
        #expect(feeds(transcript).isSubset(of: kept) && feeds(transcript) != kept)
        let few = feeds(transcript)
        transcript.pass(.seconds(1))
        transcript.feed(.share(RoomShare(of: "ann", against: []), missing: .seconds(3)))
        #expect(feeds(transcript) == Set(Self.names) && few.isSubset(of: feeds(transcript)))
        #expect(transcript.handovers.isEmpty)
        let asked = transcript.now
        transcript.quiet([])
        let gaps = transcript.handovers
        #expect(gaps.count == 1)
        #expect(gaps.first?.from == asked + .seconds(-3))
        #expect(gaps.first?.refetching == ["\(Self.names.count - few.count) rooms"])
    }

    @Test func `an event in a room of another is not told, and one in its own is`() {
        var transcript = session("ann", against: ["bea"])
        let mine = feeds(transcript)
        for name in Self.names {
            transcript.receive(
                F.resource(
                    "created", "message", room: Self.feed + name + "/feed", F.message("M" + name, "hello", at: 900)))
            let isTold = transcript.effects.contains { if case .report(.event) = $0 { true } else { false } }
            #expect(isTold == mine.contains(name), "\(name)")
        }
    }
}
