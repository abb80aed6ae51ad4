import Testing
import WeirModel
import WeirPipeline
import WeirTerminal

@testable import WeirEvents
@testable import WeirLive
@testable import WeirViews

@Suite("Names and times on a terminal")
struct PrintingTextTests {
    @Test func `A UUID is shortened to its first digits at any place in a text, and other text is unchanged`() {
        let id = "5828c718-b49e-4aa7-b0f2-6a9f6e2d0c11"
        for (text, shown) in [
            ("", ""), ("short-er", "short-er"), (id, "5828c718"), ("x" + id + "y", "x5828c718y"),
            ("ab" + id + id, "ab5828c7185828c718"), ("- – " + id + " -", "- – 5828c718 -"),
            (String(id.dropLast()), String(id.dropLast())), ("-" + id.uppercased(), "-5828C718"),
            (id + "/" + String(id.dropFirst()), "5828c718/" + String(id.dropFirst())),
            (id.replacing("a", with: "g"), id.replacing("a", with: "g")),
        ] {
            #expect(ShortName.shorteningIDs(text) == shown)
        }
    }

    @Test(
        "An id is shortened like its text",
        arguments: [
            "5828c718-b49e-4aa7-b0f2-6a9f6e2d0c11", "00000000-0000-0000-0000-000000000000",
            "ffffffff-ffff-ffff-ffff-ffffffffffff", "09afbcde-0000-4000-8000-000000000001",
            "5828C718-B49E-4AA7-B0F2-6A9F6E2D0C11", "direct", "", "of 5828c718-b49e-4aa7-b0f2-6a9f6e2d0c11",
        ])
    func shortensIDs(text: String) {
        #expect(ShortName.id(EntityID(text)) == ShortName.shorteningIDs(text))
        let (id, section) = (
            Item.ID(.member, EntityID(text), qualifier: EntityID("a")), Item.Section("members", EntityID(text))
        )
        #expect(id.shortText == ShortName.shorteningIDs(id.text))
        #expect(section.shortText == ShortName.shorteningIDs(section.text))
    }

    @Test("A room's name that is too long keeps its end")
    func shortensRooms() {
        let room =
            "/companies/5828c718-b49e-11eb-8ae0-0242ac120003/workspaces/c920712e-b49d-11eb-8ed2-0242ac120003/channels?type=public"
        #expect(ShortName.room(room, width: 26) == "…/channels?type=public")
        #expect(ShortName.room(room, width: 80) == "/companies/5828c718/workspaces/c920712e/channels?type=public")
        #expect(ShortName.room("averylongnamewithoutaslash", width: 10) == "…outaslash")
        #expect(TerminalText.width(of: ShortName.room("日本語日本語日本語", width: 8)) <= 8)
    }

    @Test func `A room has the current name of its channel, even if it was looked up earlier`() {
        var rooms = KnownNames()
        func name(_ name: String) {
            var batch = Batch<Item>()
            let path = SectionPath(section: 0, item: 0)
            batch.insertions = [.init(path: path, element: Sample.channel(Sample.channel, name))]
            rooms.learn(from: DiffReport(sequence: 1, cause: 1, batch: batch))
        }
        let long = Sample.feed + "/" + String(repeating: "x", count: KnownNames.longestKept)
        #expect(rooms.room(Sample.feed).channel?.title == nil)
        for title in ["general", "announcements"] {
            name(title)
            for room in [Sample.feed, Sample.feed, long, "/" + Sample.channel.description, Sample.channel.description] {
                #expect(rooms.room(room).channel?.title == title)
            }
            #expect(rooms.room("/companies/1/channels?type=public").channel?.title == nil)
        }
    }

    @Test func `A workspace can be renamed when the list of places is full`() {
        var names = KnownNames()
        func learn(_ number: Int, _ name: String) {
            var batch = Batch<Item>()
            let workspace = Twake.Workspace(id: EntityID("w\(number)"), name: name)
            batch.insertions = [
                .init(
                    path: SectionPath(section: 0, item: 0),
                    element: Item(
                        id: Item.ID(.workspace, workspace.id), section: Item.Section("workspaces"), sortKey: 0,
                        entity: Item.Entity(workspace)))
            ]
            names.learn(from: DiffReport(sequence: 1, cause: 1, batch: batch))
        }
        for number in 0...KnownNames.mostPeople { learn(number, "before") }
        learn(0, "after")
        #expect(names.name("w0") == "after")
        #expect(names.name("w\(KnownNames.mostPeople)") == nil)
    }

    @Test("Times are the record's, in UTC")
    func times() {
        #expect(TimeText.rfc3339(wall: 0) == "1970-01-01T00:00:00.000000Z")
        #expect(TimeText.rfc3339(wall: 1_767_323_045_123_456) == "2026-01-02T03:04:05.123456Z")
        #expect(TimeText.rfc3339(wall: 951_782_400_000_000) == "2000-02-29T00:00:00.000000Z")
        #expect(TimeText.rfc3339(wall: -1) == "1969-12-31T23:59:59.999999Z")
        #expect(TimeText.timeOfDay(wall: 1_767_323_045_123_456) == "03:04:05.123")
        #expect(TimeText.timeOfDay(wall: -1) == "23:59:59.999")
        #expect(TimeText.timeOfDay(wall: 86_399_999_999) == "23:59:59.999")
        #expect(TimeText.timeOfDay(wall: 86_400_000_000) == "00:00:00.000")
        #expect([Int64.min, .max].allSatisfy { TimeText.clock(wall: $0).utf8.count == 13 })
        #expect(TimeText.rfc3339(wall: .min) == "0000-01-01T00:00:00.000000Z")
        #expect(TimeText.rfc3339(wall: .max) == "9999-12-31T23:59:59.999999Z")
        #expect(
            [0, 999, 1234, 65_000, 3_725_000, -40].map { TimeText.span(milliseconds: $0) } == [
                "0ms", "999ms", "1.2s", "1m05s", "1h02m", "-40ms",
            ])
    }
}
