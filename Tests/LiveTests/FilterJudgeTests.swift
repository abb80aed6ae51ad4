import Glibc
import Testing
import WeirJSON
import WeirModel
import WeirRecording
import WeirWire

@testable import WeirEvents
@testable import WeirLive
@testable import WeirViews
@testable import WeirPipeline

@Suite("What a filter shows")
struct FilterJudgeTests {
    /// Returns the types of the shown samples.
    private func shown(_ text: String, _ reports: [StampedReport] = Sample.reports) throws -> [String] {
        var judge = FilterJudge(try Filter(parsing: text))
        return reports.filter { judge.mark($0).isShown }.map(\.report.typeName)
    }

    @Test func `What a filter left out is counted however many filters there were`() throws {
        var sum = FilterJudge(try Filter(parsing: "")).tally
        for number in 0..<300 {
            var judge = FilterJudge(try Filter(parsing: "event = 'e\(number)'"))
            for report in Sample.reports { _ = judge.mark(report) }
            sum.add(judge.tally)
        }
        #expect(sum.shares.count == 256 && sum.removed.events == sum.seen.events)
        #expect(sum.lines.contains { $0.hasSuffix(" by other filters") })
    }

    @Test(
        "A filter tests a message together with its changes, and always shows gaps",
        arguments: [
            ("", ["event", "diff", "event", "gap"]),
            ("kind = message", ["event", "diff", "gap"]),
            ("kind != message", ["event", "gap"]),
            ("kind = event", ["event", "gap"]),
            ("type = diff", ["diff", "gap"]),
            ("not type = gap", ["event", "diff", "event", "gap"]),
            ("room like '*/channels/*/feed'", ["event", "diff", "gap"]),
            ("room exists", ["event", "diff", "gap"]),
            ("not room exists", ["event", "gap"]),
            ("room = '…/channels/5828c718/feed'", ["gap"]),
            ("room = '…/5828c718/feed'", ["event", "diff", "gap"]),
            ("actor = Anna", ["event", "diff", "gap"]),
            ("actor != Anna", ["event", "gap"]),
            ("actor ~ '^An'", ["event", "diff", "gap"]),
            ("event = 'custom:event'", ["event", "gap"]),
            ("namespace = /chat", ["event", "gap"]),
            ("dir = in", ["event", "diff", "event", "gap"]),
            ("size > 48", ["event", "diff", "gap"]),
            ("size <= 48", ["event", "gap"]),
            ("lag = 23ms", ["event", "diff", "gap"]),
            ("lag < 20ms", ["gap"]),
            ("known", ["event", "diff", "event", "gap"]),
            ("/forged/", ["event", "gap"]),
            ("/hello/", ["event", "diff", "gap"]),
            ("payload.text exists", ["event", "diff", "gap"]),
            ("payload.text = \"hello\\u{1b}\"", ["event", "diff", "gap"]),
            ("payload[0] = 'custom:event' and payload[2] >= 2", ["event", "gap"]),
            ("payload[2] = 2.0", ["event", "gap"]),
            ("payload.a like '?'", ["event", "gap"]),
            ("payload.missing.further exists", ["gap"]),
            ("diff.op = delete", ["diff", "gap"]),
            ("diff.op = delete and diff.kind = message", ["diff", "gap"]),
            ("diff.op = delete and diff.kind = channel", ["gap"]),
            ("diff.op = update and diff.field = name", ["diff", "gap"]),
            ("diff.op = insert and diff.field = name", ["gap"]),
            ("diff.section = channels", ["diff", "gap"]),
            ("diff.section = 'messages/5828c718-b49e-11eb-8ae0-0242ac120003'", ["diff", "gap"]),
            ("diff.id like '00000009-*'", ["diff", "gap"]),
            ("kind = message and diff.op = delete", ["diff", "gap"]),
            ("kind = badge and diff.op = delete", ["gap"]),
        ] as [(String, [String])])
    func passes(text: String, expected: [String]) throws {
        #expect(try shown(text) == expected)
    }

    @Test(
        "Whole numbers of any length are compared by their digits",
        arguments: [
            ("18446744073709552000", "= 18446744073709552000", true),
            ("18446744073709552000", "= 18446744073709551999", false),
            ("18446744073709552000", "> 18446744073709551999", true),
            ("18446744073709552000", "> 9223372036854775807", true),
            ("-18446744073709552000", "< -9223372036854775808", true),
            ("-18446744073709552000", "< -18446744073709551999", true),
            ("-18446744073709552000", "= 18446744073709552000", false),
            ("18446744073709552000", "= 1.8446744073709552e19", true),
            (long + "1", "= \(long)1", true), (long + "1", "= \(long)2", false), (long + "1", "< \(long)2", true),
            (long + "1", "> 1e300", true), ("-" + long, "< -1e300", true), ("1e999", "> 1", false),
            ("1.50", "= 1.5", true), ("9007199254740993", "= 9007199254740992", false),
        ])
    func numbers(value: String, test: String, passes: Bool) throws {
        var report = EmitReport(Emit("x", patience: .seconds(1)), to: "/")
        report.outcome = .answered(.init(id: 1, arguments: RawJSON(unchecked: Array("[{\"n\":\(value)}]".utf8)[...])))
        let stamped = StampedReport(stamp: Sample.stamp(4, 1), report: .emit(report))
        #expect(try shown("payload.n \(test)", [stamped]) == (passes ? ["emit"] : []))
    }

    /// Returns a diff with messages, each created `ages` seconds before the run began. A negative age is within the
    /// run.
    private static func said(_ ages: [Int64], in channels: [EntityID]) -> StampedReport {
        var batch = Batch<Item>()
        batch.insertions = ages.enumerated().map { index, age in
            let channel = channels[index % channels.count]
            let message = Twake.Message(
                id: Sample.id(index), thread: Sample.id(index), channel: channel, senderName: "Anna", text: "\(age)",
                createdAt: Timestamp(milliseconds: 1_767_323_045_123 - age * 1000))
            let item = Item(
                id: Item.ID(.message, Sample.id(index)), section: Item.Section("messages", channel),
                sortKey: 1_767_323_045_123 - age * 1000,
                entity: Item.Entity(message))
            return .init(path: SectionPath(section: 1, item: index), element: item)
        }
        return StampedReport(
            stamp: Sample.stamp(3, 2000), report: .diff(DiffReport(sequence: 2, cause: 3, batch: batch)))
    }

    private func shownAges(_ setting: ViewFilter.Setting, _ report: StampedReport) -> [String] {
        var judge = FilterJudge(setting)
        guard judge.mark(report).isShown, case .diff(let diff) = (judge.part(of: report) ?? report).report else {
            return []
        }
        return diff.batch.insertions.map { ItemFacts($0.element).label ?? "" }
    }

    @Test("The newest messages of each room from before the run are shown, and all messages from the run")
    func backlog() {
        let report = Self.said([50, 60, 10, 40, 30, 20, -1], in: [Sample.channel, Sample.id(9)])
        func ages(_ most: Int) -> [String] { shownAges(ViewFilter.Setting(backlog: most), report) }
        #expect(ages(1) == ["10", "20", "-1"])
        #expect(ages(2) == ["10", "40", "30", "20", "-1"])
        #expect(ages(0) == ["-1"])
        #expect(ages(9) == ["50", "60", "10", "40", "30", "20", "-1"])
    }

    @Test("Rows are filtered by their messages' times, other reports by their own")
    func time() throws {
        let report = Self.said([50, 10, 20], in: [Sample.channel])
        let filter = try Filter(parsing: "time >= 2026-01-02T03:03:45Z")
        #expect(shownAges(ViewFilter.Setting(filter: filter), report) == ["10", "20"])
        #expect(try shown("time > 2026-01-02T03:04:05.200Z") == ["event", "gap"])
        #expect(try shown("time > 2026-01-03") == ["gap"])
    }

    /// The digits of a number outside the range of `Double`.
    private static let long = String(repeating: "7", count: 400)

    @Test("A change without an event has the kinds of its rows and no room")
    func withoutCause() throws {
        let answered = [StampedReport(stamp: Sample.stamp(9, 0), report: .diff(Sample.manyInsertions(3)))]
        #expect(try shown("kind = message", answered) == ["diff"])
        #expect(try shown("kind = channel", answered) == [])
        #expect(try shown("kind = message and diff.op = insert", answered) == ["diff"])
        #expect(try shown("kind = message and diff.op = delete", answered) == [])
        #expect(try shown("room exists", answered) == [])
    }

    @Test("A typing report is filtered by kind, by name or id, and by the room of its event")
    func typing() throws {
        let report = TypingReport(
            change: .started, user: Sample.id(5), name: "Bruno", channel: Sample.channel, channelName: nil, thread: nil,
            typing: ["Bruno"])
        let said = [Sample.reports[0], StampedReport(stamp: Sample.stamp(7, 0), report: .typing(report))]
        #expect(try shown("kind = typing", said) == ["typing"])
        #expect(try shown("actor = Bruno", said) == ["typing"])
        #expect(try shown("actor = \(Sample.id(5))", said) == ["typing"])
        #expect(try shown("room like '*/feed'", said) == ["event", "typing"])
        let expired = [Sample.reports[0], StampedReport(stamp: Sample.stamp(0, 9000), report: .typing(report))]
        #expect(try shown("room like '*/feed'", expired) == ["event"])
    }

    @Test("Other reports have a type and a text, and undecodable messages are always shown")
    func others() throws {
        let notices = ["notice", "notice", "notice"]
        #expect(try shown("type = room", Sample.status) == ["room", "room", "room", "room", "undecodable"] + notices)
        #expect(try shown("room = secret", Sample.status) == ["room", "undecodable"] + notices)
        #expect(try shown("type = conn and /refused/", Sample.status) == ["conn", "undecodable"] + notices)
        #expect(try shown("kind = message", Sample.status) == ["undecodable"] + notices)
    }

    @Test("Users and channels are filtered by name once a change contained it")
    func names() throws {
        var batch = Sample.manyInsertions(0).batch
        let user = EntityID("11111111-1111-4111-8111-111111111111")
        var account = Twake.Account(id: user)
        account.fullName = "Žofie"
        batch.insertions = [
            .init(path: .init(section: 0, item: 0), element: Sample.channel(Sample.channel, "general")),
            .init(
                path: .init(section: 1, item: 0),
                element: Item(
                    id: Item.ID(.account, user), section: Item.Section("accounts"), sortKey: 0,
                    entity: Item.Entity(account))),
        ]
        let rows = StampedReport(
            stamp: Sample.stamp(3, 0), report: .diff(DiffReport(sequence: 1, cause: 3, batch: batch)))
        #expect(try shown("type = event and room = '#general'", Array(Sample.reports.prefix(1))) == [])
        #expect(try shown("type = event and room = '#general'", [rows] + Sample.reports.prefix(1)) == ["event"])
        #expect(try shown("type = event and room like '#gen*'", [rows] + Sample.reports.prefix(1)) == ["event"])
        let typing = TypingReport(
            change: .started, user: user, name: nil, channel: Sample.channel, channelName: nil, thread: nil, typing: [])
        let said = StampedReport(stamp: Sample.stamp(4, 0), report: .typing(typing))
        #expect(try shown("actor = Žofie", [rows, said]) == ["typing"])
        #expect(try shown("actor = Žofie", [said]) == [])
        let known = StampedReport(
            stamp: Sample.stamp(3, 0),
            report: .diff(DiffReport(sequence: 1, cause: 3, batch: batch, user: user.description)))
        #expect(try shown("is_user", [known, said]) == ["typing"])
        #expect(try shown("is_user", [rows, said]) == [], "nobody said who the user is")
    }

    @Test func `a message is read once its channel was visited later, and the user's own at once`() throws {
        let (me, other) = (EntityID("U1"), EntityID("U2"))
        func message(_ number: Int, by user: EntityID, at time: Int64) throws -> Item {
            try #require(
                Item.message(
                    Twake.Message(
                        id: Sample.id(number), thread: Sample.id(number), channel: Sample.channel, user: user,
                        text: "text \(number)", createdAt: Timestamp(milliseconds: 1_767_323_000_000 + time))))
        }
        func report(_ items: [Item]) throws -> StampedReport {
            var model = SectionedCollection<Item>()
            for item in items { try model.upsert(item) }
            let made = model.commit()
            let batch = try #require(made)
            let diff = DiffReport(sequence: 1, cause: 3, batch: batch, user: me.description)
            return StampedReport(stamp: Sample.stamp(3, 0), report: .diff(diff))
        }
        var channel = Twake.Channel(
            id: Sample.channel, company: EntityID("C"), workspace: EntityID("W"), name: "general")
        let unseen = try report([.channel(channel), message(1, by: other, at: 10)])
        channel.lastAccess = Timestamp(milliseconds: 1_767_323_000_020)
        let row = try report([.channel(channel)])
        let read = try report([message(1, by: other, at: 10)])
        let unread = try report([message(2, by: other, at: 30)])
        let own = try report([message(3, by: me, at: 40)])
        #expect(try shown("is_read", [unseen]) == [] && shown("is_read = false", [unseen]) == [])
        #expect(try shown("is_read", [row, read]) == ["diff"] && shown("is_read", [row, unread]) == [])
        #expect(try shown("is_read = false", [row, unread]) == ["diff"] && shown("is_read", [row, own]) == ["diff"])
    }

    @Test func `text is the message, title the channel's name, and actor_name the actor's name`() throws {
        let event = Sample.event(3, "Hello all", room: "/channels/\(Sample.channel)/feed")
        let rows = Sample.firstRows(cause: 2)
        for (filter, isWanted) in [
            ("text ~ /^Hello/", true), ("text = 'Hello all'", true), ("text ~ /^all/", false),
            ("title = general", true),
            ("room_title = general", true), ("title = '#general'", true), ("title = random", false),
            ("actor_name = Anna", true), ("actor_name = Bo", false),
        ] {
            let passing = try shown("type = event and " + filter, [rows, event])
            #expect(passing == (isWanted ? ["event"] : []), "\(filter)")
        }
    }

    @Test("A hidden report is counted at the first clause that does not hold")
    func counts() throws {
        var filter = try Filter(parsing: "known and size > 48", origin: "--filter")
        try filter.add(.kind, among: ["badge", "chan*"], isWanted: true, origin: "--kind")
        #expect(filter.text == "known = true and size > 48 and (kind = badge or kind like chan*)")
        #expect(try Filter(parsing: filter.text).text == filter.text)
        var judge = FilterJudge(filter)
        for report in Sample.reports + Sample.status { _ = judge.mark(report) }
        #expect(
            judge.tally.lines == [
                "  left out     2 of 2 events, 10 of 10 changes",
                "    0 events, 9 changes by --filter: known = true",
                "    1 events, 0 changes by --filter: size > 48",
                "    1 events, 1 changes by --kind: kind = badge or kind like chan*",
            ])
    }

    @Test("A sample shows a part of the matching events with their changes, and counts the others")
    func sample() throws {
        let one = Array(Sample.reports.prefix(2))
        let many = (0..<7).flatMap { _ in one }
        for (text, expected) in [
            ("1/3", [0, 3, 6]), ("50%", [0, 2, 4, 6]), ("100%", Array(0..<7)), ("0.001%", [0]),
        ] {
            let sample = try #require(ViewFilter.Sample(text))
            var judge = FilterJudge(ViewFilter.Setting(sample: sample))
            let marks = many.map { judge.mark($0) }
            let shown = marks.indices.filter { marks[$0].isShown }
            #expect(shown == expected.flatMap { [2 * $0, 2 * $0 + 1] })
            #expect(judge.tally.sampledOut == 7 - expected.count)
            #expect(expected.dropFirst().allSatisfy { marks[2 * $0].leftOut == expected[1] - expected[0] - 1 })
        }
        for text in ["0%", "101%", "1/0", "2/3", "x", "%", "1/", "-1%", "nan%", "1e9%"] {
            #expect(ViewFilter.Sample(text) == nil, "\(text)")
        }
    }

    @Test("Highlighted reports are shown in reverse video, and hidden changes still teach names")
    func highlightsAndNames() throws {
        let pipe = try Pipe()
        defer { pipe.close() }
        let filter = ViewFilter(
            ViewFilter.Setting(
                filter: try Filter(parsing: "type = event"), highlights: [try Filter(parsing: "/custom/")]))
        let printer = EventPrinter(format: .compact, descriptor: pipe.writeEnd, colour: true, width: nil)
        try FilteredOutlet(printer, filter: filter).write(Sample.reports)
        let lines = pipe.readAll().split(separator: "\n")
        #expect(lines.count == 3)
        #expect(!lines[0].contains("\u{1B}[7m") && lines[1].contains("\u{1B}[7mcustom:event"))
    }

    @Test(
        "Only the rows of a change that match the filter are printed", arguments: [OutputFormat.compact, .json])
    func rows(format: OutputFormat) throws {
        var batch = Sample.manyInsertions(2).batch
        batch.insertions.append(
            .init(path: .init(section: 2, item: 0), element: Sample.channel(Sample.id(8), "general")))
        let report = StampedReport(
            stamp: Sample.stamp(9, 0), report: .diff(DiffReport(sequence: 2, cause: 9, batch: batch, user: "me")))
        for (text, expected) in [
            ("kind = channel", ["general"]), ("kind = message", ["text 0", "text 1"]),
            ("kind = message and diff.id = '\(batch.insertions[1].element.id.text)'", ["text 1"]),
            ("type = diff", ["general", "text 0", "text 1"]), ("kind = badge", []),
        ] {
            let pipe = try Pipe()
            defer { pipe.close() }
            let printer = EventPrinter(format: format, descriptor: pipe.writeEnd, colour: false, width: nil)
            let filter = ViewFilter(ViewFilter.Setting(filter: try Filter(parsing: text)))
            try FilteredOutlet(printer, filter: filter).write([report])
            let printed = pipe.readAll()
            #expect(
                ["general", "text 0", "text 1"].filter { printed.contains($0) } == expected, "\(text): \(printed)")
        }
    }

    @Test("A filter can be changed in use from any thread, and an invalid one changes nothing")
    func changed() throws {
        let pipe = try Pipe()
        defer { pipe.close() }
        let filter = ViewFilter()
        let printer = EventPrinter(format: .json, descriptor: pipe.writeEnd, colour: false, width: nil)
        let outlet = FilteredOutlet(printer, filter: filter)
        func types() -> Int { pipe.readAll().split(separator: "\n").count }
        try outlet.write(Sample.reports)
        #expect(types() == 4)
        try filter.set("kind = message", origin: "control")
        #expect(filter.text == "kind = message")
        try outlet.write(Sample.reports)
        #expect(types() == 3)
        #expect(throws: FilterError.self) { try filter.set("kind = mesage") }
        try outlet.write(Sample.reports)
        #expect(types() == 3)
        try filter.set("")
        try outlet.write(Sample.reports)
        #expect(types() == 4)
        #expect(
            filter.tally.lines == [
                "  left out     2 of 8 events, 0 of 4 changes", "    2 events, 0 changes by control: kind = message",
            ])
    }
}
