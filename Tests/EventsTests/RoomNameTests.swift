import Testing
import WeirEvents
import WeirWire

@Suite struct `Room names` {
    static let company = EntityID("ac1a0544-1dcc-11eb-bf9f-0242ac120004")
    static let known: [(String, Twake.RoomName)] = [
        (
            "/companies/\(company)/workspaces/W/channels?type=public",
            .channelsPublic(company: company, workspace: EntityID("W"))
        ),
        (
            "/companies/C/workspaces/W/channels?type=private&user=U1",
            .channelsPrivate(company: EntityID("C"), workspace: EntityID("W"), user: EntityID("U1"))
        ),
        (
            "/companies/C/workspaces/direct/channels?type=direct&user=U1",
            .directs(company: EntityID("C"), user: EntityID("U1"))
        ),
        (
            "/companies/C/workspaces/direct/channels/CH/feed",
            .feed(company: EntityID("C"), workspace: EntityID("direct"), channel: EntityID("CH"))
        ),
        ("/companies/C/threads/T", .thread(company: EntityID("C"), thread: EntityID("T"))),
        ("/notifications?type=private&user=U1", .notifications(user: EntityID("U1"))),
        ("previous::channels/CH/messages/updates", .previousMessages(channel: EntityID("CH"))),
        ("/companies/C/workspaces", .workspaces(company: EntityID("C"))),
        (
            "/companies/C/workspaces/W/channels/CH?type=public",
            .channel(company: EntityID("C"), workspace: EntityID("W"), channel: EntityID("CH"))
        ),
        (
            "/companies/C/workspaces/W/channels/CH/tabs",
            .tabs(company: EntityID("C"), workspace: EntityID("W"), channel: EntityID("CH"))
        ),
        ("/companies/C/users/U1/inbox", .inbox(company: EntityID("C"), user: EntityID("U1"))),
        ("/companies/C/messages/bookmarks", .bookmarks(company: EntityID("C"))),
        ("/companies/C/documents/item/D", .document(company: EntityID("C"), id: EntityID("D"))),
        ("/users/online", .online(company: nil)), ("/users/online/C", .online(company: EntityID("C"))),
        ("/me/U1", .me(user: EntityID("U1"))), ("/company/C", .company(EntityID("C"))),
    ]

    @Test(arguments: known)
    func `a name of a known form is parsed, and written back exactly`(_ name: String, _ room: Twake.RoomName) {
        #expect(Twake.RoomName(name) == room)
        #expect(room.description == name)
    }

    @Test(arguments: [
        "", "/", "/companies/", "/companies//workspaces", "/companies/C", "/companies/C/", "/companies/C/workspaces/",
        "/companies/C/workspaces/W", "/companies/C/workspaces/W/channels",
        "/companies/C/workspaces/W/channels?type=direct&user=U1",
        "/companies/C/workspaces/direct/channels?type=direct&user=U1)/",
        "/companies/C/workspaces/W/channels?type=public&x=1",
        "/companies/C/workspaces/W/channels?user=U1&type=private",
        "/companies/C/workspaces/W/channels/CH?type=private&user=U1",
        "/companies/C/workspaces/W/channels/CH/feed/", "/companies/C/workspaces/W/channels/CH/tabs/",
        "/companies/C/threads/",
        "/companies/C/threads/T/M", "/notifications?type=private&user=", "/notifications", "/users/online/",
        "/users/U1", "/me/", "/company/C/", "/companies/C/users/U1",
        "previous::channels//messages/updates", "previous::messages/CH", "previous:group/C", "/ping", "résumé/😀",
    ])
    func `a name of any other form is kept as it is`(_ name: String) {
        #expect(Twake.RoomName(name) == .other(name))
        #expect(Twake.RoomName(name).description == name)
    }

    @Test func `a name with a stray character after the user is another room`() {
        let stray = Twake.RoomName("/companies/C/workspaces/direct/channels?type=direct&user=U1)")
        #expect(stray != Twake.RoomName("/companies/C/workspaces/direct/channels?type=direct&user=U1"))
        #expect(stray.description.hasSuffix(")"))
    }

    @Test func `a mutated name is written back exactly`() {
        var generator = RandomSource(seed: 2)
        let names = Self.known.map(\.0)
        for _ in 0..<10_000 {
            var bytes = Array(names.randomElement(using: &generator)?.utf8 ?? "".utf8)
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0x20...0x7E, using: &generator)
                case 1: bytes.insert(contentsOf: "/?&".utf8.shuffled(using: &generator).prefix(1), at: place)
                default: bytes.removeSubrange(place..<min(bytes.count - 1, place + 8))
                }
            }
            let name = String(decoding: bytes, as: UTF8.self)
            #expect(Twake.RoomName(name).description == name)
        }
    }

    @Test func `a name identifies the channel of its messages, the company and the workspace`() {
        let feed = Twake.RoomName("/companies/C/workspaces/W/channels/CH/feed")
        #expect(feed.channel == EntityID("CH") && feed.company == EntityID("C") && feed.workspace == EntityID("W"))
        let previous = Twake.RoomName("previous::channels/CH/messages/updates")
        #expect(previous.channel == EntityID("CH") && previous.company == nil)
        let directs = Twake.RoomName("/companies/C/workspaces/direct/channels?type=direct&user=U1")
        #expect(directs.channel == nil && directs.workspace == EntityID("direct"))
    }
}
