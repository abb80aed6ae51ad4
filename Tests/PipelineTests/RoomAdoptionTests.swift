import Testing
import WeirEvents
import WeirJSON
import WeirWire

@testable import WeirPipeline

/// Tests for patterns over a backend's rooms: which rooms are adopted when, and which are left.
@Suite struct RoomAdoptionTests {
    typealias F = Frames
    private static let feed = "/companies/C/workspaces/W/channels/"

    private func session(_ rooms: [String], adoption: SubscriptionRules.Adoption? = nil, limit: Int? = nil)
        -> Transcript
    {
        var configuration = Configuration(
            backend: .twake, revision: .v4, company: "C", workspace: "W", rooms: rooms)
        configuration.adoption = adoption
        configuration.maximumRooms = limit
        var transcript = Transcript(configuration)
        transcript.authenticate()
        transcript.quiet(Self.channels("General", "Noise", "Noise two"))
        return transcript
    }

    /// A list of channels with these names; each id is the name without spaces.
    private static func channels(_ names: String...) -> Transcript.Service {
        let rows = names.map { F.listed($0.replacing(" ", with: ""), name: $0) }
        return [("/W/channels?", F.list(rows))]
    }

    private func feeds(_ transcript: Transcript) -> [String] {
        transcript.session.subscriptions.entries.map(\.name).filter { $0.hasSuffix("/feed") }
            .map { String($0.dropFirst(Self.feed.count).dropLast("/feed".count)) }
    }

    @Test func `matching rooms of the backend are joined, and so are those that list rooms`() {
        let transcript = session(["#noise*", "-#noise two"])
        #expect(feeds(transcript) == ["Noise"])
        let book = transcript.session.subscriptions
        #expect(book[F.publicRoom]?.source == .list && book[F.directRoom]?.source == .list)
        #expect(book[Self.feed + "Noise/feed"]?.source == .cli)
        #expect(book[F.badgeRoom] == nil && book.unwanted.contains(F.badgeRoom))
    }

    @Test func `without a pattern all rooms are joined, except for excluded ones`() {
        #expect(feeds(session([])) == ["General", "Noise", "Noisetwo"])
        #expect(feeds(session(["-#noise*"])) == ["General"])
    }

    @Test func `Check 9: a new room that matches a pattern is joined and reported`() {
        var transcript = session(["#dev*"])
        #expect(feeds(transcript) == [])
        transcript.receive(F.resource("created", "channel", room: F.publicRoom, F.channel("N1", name: "Dev ops")))
        transcript.quiet([
            ("/W/channels?", F.list(F.listed(), F.listed("N1", name: "Dev ops"), F.listed("N2", name: "Other")))
        ])
        #expect(feeds(transcript) == ["N1"])
        #expect(transcript.session.subscriptions[Self.feed + "N1/feed"]?.state == .joined(since: transcript.now))
    }

    @Test func `a room that is renamed to match is joined a second later`() {
        var transcript = session(["#dev*"])
        transcript.receive(
            F.resource("updated", "channel", room: F.publicRoom, F.channel("General", name: "Devotion", updated: 900)))
        #expect(feeds(transcript) == [])
        transcript.pass(.seconds(1))
        #expect(transcript.roomChanges.contains("wanted \(Self.feed)General/feed"))
        #expect(feeds(transcript) == ["General"])
        // It stays wanted after a rename.
        transcript.receive(
            F.resource("updated", "channel", room: F.publicRoom, F.channel("General", name: "Mayhem", updated: 950)))
        transcript.pass(.seconds(2))
        #expect(feeds(transcript) == ["General"])
    }

    @Test func `a room that was left stays left until the user joins it again`() {
        var transcript = session([])
        transcript.feed(.unwant(rooms: ["#noise"]))
        #expect(transcript.sent == [#"42["realtime:leave",{"name":"\#(Self.feed)Noise/feed"}]"#])
        transcript.idle(301)
        transcript.quiet(Self.channels("General", "Noise", "Noise two"))
        #expect(feeds(transcript) == ["General", "Noisetwo"])
        transcript.feed(.want(rooms: ["#noise"], source: .ctl))
        #expect(feeds(transcript) == ["General", "Noisetwo", "Noise"])
    }

    @Test func `an only command joins exactly its rooms, and a reset restores the initial and pinned ones`() {
        var transcript = session([])
        let all = transcript.session.subscriptions.entries.count
        transcript.feed(.want(rooms: ["/pinned"], source: .pin))
        transcript.feed(.only(rooms: "#general + #nothing"))
        #expect(feeds(transcript) == ["General"])
        #expect(transcript.session.subscriptions["/pinned"] == nil)
        #expect(transcript.roomChanges.contains("leaving \(F.badgeRoom)"))
        transcript.feed(.resetRooms)
        #expect(feeds(transcript) == ["General", "Noise", "Noisetwo"])
        // `only` removed the pin.
        #expect(transcript.session.subscriptions.entries.count == all)
    }

    @Test func `a temporary wish ends by itself`() {
        var transcript = session(["#general"])
        transcript.feed(.want(rooms: ["#noise"], source: .ctl, lasting: .seconds(600)))
        transcript.feed(.unwant(rooms: ["#general"], lasting: .seconds(60)))
        #expect(feeds(transcript) == ["Noise"])
        transcript.pass(.seconds(60))
        #expect(feeds(transcript) == ["Noise", "General"])
        transcript.pass(.seconds(540))
        #expect(feeds(transcript) == ["General"])
        #expect(transcript.roomChanges.contains("leaving \(Self.feed)Noise/feed"))
    }

    @Test func `a temporary wish is followed by the wish it hid`() {
        var transcript = session([])
        transcript.feed(.unwant(rooms: ["#noise"]))
        transcript.feed(.want(rooms: ["#noise"], source: .ctl, lasting: .seconds(2)))
        #expect(feeds(transcript) == ["General", "Noisetwo", "Noise"])
        transcript.pass(.seconds(2))
        #expect(feeds(transcript) == ["General", "Noisetwo"], "it was left for good")
        transcript = session(["#general"])
        transcript.feed(.want(rooms: ["#noise"], source: .ctl))
        transcript.feed(.unwant(rooms: ["#noise"], lasting: .seconds(2)))
        #expect(feeds(transcript) == ["General"])
        transcript.pass(.seconds(2))
        #expect(feeds(transcript) == ["General", "Noise"], "it was joined for good")
    }

    @Test func `rooms beyond the limit are reported once, together`() {
        var transcript = session([], limit: 3)
        var notices: [String] = []
        for _ in 0..<3 {
            transcript.pass(.seconds(1))
            notices += transcript.effects.compactMap {
                if case .report(.notice(let notice)) = $0, notice.text.contains("--max-rooms") {
                    notice.text
                } else {
                    nil
                }
            }
        }
        #expect(notices.count == 1, "\(notices)")
        #expect(notices.first?.contains("more rooms match and are not joined, since --max-rooms is 3: ") == true)
    }

    @Test func `removing a pin leaves the rooms that nothing else wants`() {
        var transcript = session(["#general"])
        transcript.feed(.want(rooms: ["#*"], source: .pin))
        #expect(feeds(transcript) == ["General", "Noise", "Noisetwo"])
        transcript.feed(.withdraw(rooms: "#*", source: .pin))
        #expect(feeds(transcript) == ["General"])
    }

    @Test func `rooms beyond the limit are listed but not joined, except for named ones`() {
        var transcript = session(["#*"], limit: 5)
        #expect(feeds(transcript).count == 2)
        #expect(transcript.session.subscriptions.passedOver == [Self.feed + "Noisetwo/feed"])
        transcript.feed(.want(rooms: [Self.feed + "Noisetwo/feed"], source: .ctl))
        #expect(feeds(transcript) == ["General", "Noise", "Noisetwo"])
        #expect(transcript.session.subscriptions.passedOver == [])
    }

    @Test func `with adoption off, new rooms are listed but not joined`() {
        var transcript = session([], adoption: .off)
        #expect(feeds(transcript) == ["General", "Noise", "Noisetwo"])
        transcript.idle(301)
        transcript.quiet(Self.channels("General", "Noise", "Later"))
        #expect(feeds(transcript) == ["General", "Noise"])
        #expect(transcript.session.subscriptions.unwanted == [Self.feed + "Later/feed"])
    }

    @Test func `a refusal is kept until the credentials change or the user joins again`() throws {
        var transcript = Transcript(Configuration(backend: .twake, revision: .v4, rooms: ["/r"]))
        transcript.authenticate()
        transcript.receive(#"42["realtime:join:error",{"name":"/r","message":"no"}]"#)
        #expect(transcript.roomChanges == ["refused /r"])
        transcript.cut()
        transcript.pass(try #require(transcript.retryIn))
        transcript.authenticate()
        #expect(transcript.sent == [])
        #expect(transcript.session.subscriptions["/r"]?.state == .refused(why: "no"))
        transcript.feed(.want(rooms: ["/r"], source: .ctl))
        #expect(transcript.sent == [#"42["realtime:join",{"name":"/r","token":"twake"}]"#])
        transcript.receive(#"42["realtime:join:error",{"name":"/r","message":"no"}]"#)
        transcript.feed(.tokenRenewed(changed: true))
        #expect(transcript.sent == [#"42["realtime:join",{"name":"/r","token":"twake"}]"#])
    }

    @Test func `a limited number of joins is in progress, and each answer allows the next`() {
        var transcript = Transcript(
            Configuration(backend: .twake, revision: .v4, rooms: (1...100).map { "/r\($0)" }))
        transcript.authenticate()
        #expect(transcript.sent.count == RoomSubscriptions.mostJoining)
        transcript.receive(F.joined("/r1"))
        #expect(transcript.sent == [#"42["realtime:join",{"name":"/r65","token":"twake"}]"#])
        transcript.receive(#"42["realtime:join:error",{"name":"/r2","message":"no"}]"#)
        #expect(transcript.sent == [#"42["realtime:join",{"name":"/r66","token":"twake"}]"#])
        transcript.feed(.unwant(rooms: ["/r3"]))
        #expect(transcript.sent.last == #"42["realtime:join",{"name":"/r67","token":"twake"}]"#)
        for room in 4...100 { transcript.receive(F.joined("/r\(room)")) }
        let joined = transcript.session.subscriptions.entries.filter {
            if case .joined = $0.state { true } else { false }
        }
        #expect(joined.count == 98)
    }

    @Test func `room wishes round-trip through a recording's header`() throws {
        var configuration = Configuration(backend: .twake, rooms: ["#a - #b"])
        configuration.adoption = .off
        configuration.maximumRooms = 7
        #expect(try Configuration(json: configuration.json) == configuration)
    }

    @Test
    func
        `Check 2: after 100 forced disconnects no room is missing, none is joined twice, and delays are within the cap`()
        throws
    {
        let rooms = (1...20).map { "/r\($0)" }
        var configuration = Configuration(backend: .twake, revision: .v4, rooms: rooms)
        configuration.reconnect = Backoff(base: .milliseconds(500), cap: .seconds(10))
        var transcript = Transcript(configuration)
        for _ in 1...100 {
            transcript.authenticate()
            let joins = transcript.sent.filter { $0.contains("realtime:join") }
            #expect(joins == rooms.map { #"42["realtime:join",{"name":"\#($0)","token":"twake"}]"# })
            for room in rooms { transcript.receive(F.joined(room)) }
            #expect(
                transcript.session.subscriptions.entries.allSatisfy {
                    if case .joined = $0.state { true } else { false }
                })
            #expect(transcript.session.subscriptions.entries.map(\.name) == rooms)
            transcript.cut()
            #expect(transcript.roomChanges == rooms.map { "lost \($0)" })
            let delay = try #require(transcript.retryIn)
            #expect(delay > .zero && delay <= .seconds(10))
            transcript.pass(delay)
        }
        #expect(transcript.connection == 101)
    }
}
