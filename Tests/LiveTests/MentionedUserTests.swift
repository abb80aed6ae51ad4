import Testing
import WeirJSON
import WeirModel
import WeirRecording
import WeirTerminal
import WeirWire

@testable import WeirEvents
@testable import WeirLive
@testable import WeirViews
@testable import WeirPipeline

@Suite("Messages that mention the user")
struct MentionedUserTests {
    private static let me = Sample.id(5).description

    /// Returns a change that names the user. With `account` it contains the name by which texts address the user.
    private static func known(account: Bool = false) -> StampedReport {
        var batch = Sample.manyInsertions(0).batch
        if account {
            var ann = Twake.Account(id: Sample.id(5))
            (ann.username, ann.fullName) = ("ann.lee", "Ann Lee")
            let row = Item(
                id: Item.ID(.account, ann.id), section: Item.Section("accounts"), sortKey: 0, entity: Item.Entity(ann))
            batch.insertions = [.init(path: .init(section: 0, item: 0), element: row)]
        }
        return StampedReport(
            stamp: Sample.stamp(1, 0), report: .diff(DiffReport(sequence: 1, cause: 1, batch: batch, user: me)))
    }

    /// Returns a change without an event, with a message of this text.
    private static func fetched(_ text: String) -> StampedReport {
        var batch = Batch<Item>()
        batch.insertions = [.init(path: .init(section: 0, item: 0), element: Sample.message(4, text))]
        return StampedReport(
            stamp: Sample.stamp(9, 0), report: .diff(DiffReport(sequence: 2, cause: 9, batch: batch)))
    }

    private func shown(_ text: String, _ reports: [StampedReport]) throws -> [String] {
        var judge = FilterJudge(try Filter(parsing: text))
        return reports.filter { judge.mark($0).isShown }.map(\.report.typeName)
    }

    @Test(
        "A filter tests a message's mentions: me, a group, an id, a name",
        arguments: [
            ("mentions = me", "@x:\(me)", true), ("mentions = me", "@ann.lee hi", true),
            ("mentions = me", "@all", false),
            ("mentions = me", "me", false), ("mentions != me", "@all", true), ("mentions != me", "@x:\(me)", false),
            ("mentions in (me, all)", "@all", true), ("mentions = all", "@all", true), ("mentions = all", "all", false),
            ("mentions = \(Sample.id(7))", "@x:\(Sample.id(7))", true), ("mentions ~ '^bru'", "@bruno:U9", true),
            ("mentions = 'Ann Lee'", "@x:\(me)", true), ("mentions like 'b*'", "@ann.lee", false),
            ("mentions exists", "@ann.lee", true), ("mentions exists", "nothing", false),
        ])
    func filters(text: String, message: String, passes: Bool) throws {
        let said = Sample.event(3, message)
        let expected = passes ? ["event"] : []
        #expect(try shown("type = event and \(text)", [Self.known(account: true), said]) == expected)
        let change = try shown("diff.kind = message and \(text)", [Self.known(account: true), Self.fetched(message)])
        #expect(change == (passes ? ["diff"] : []), "a change that no event caused is asked for its rows")
    }

    @Test("Before the user is known no mention is the user's, and a changed filter still knows the user")
    func user() throws {
        let said = Sample.event(3, "@x:\(Self.me)")
        #expect(try shown("mentions = me", [said]) == [])
        #expect(try shown("mentions = me", [Self.known(), said]) == ["event"])
        let pipe = try Pipe()
        defer { pipe.close() }
        let filter = ViewFilter()
        let outlet = FilteredOutlet(
            EventPrinter(format: .json, descriptor: pipe.writeEnd, colour: false, width: nil), filter: filter)
        try outlet.write([Self.known()])
        _ = pipe.readAll()
        try filter.set("type = event and mentions = me")
        try outlet.write([said, Sample.event(4, "other")])
        let lines = pipe.readAll().split(separator: "\n")
        #expect(lines.count == 1)
        #expect(lines.first?.contains(#""mentions":[{"id":"\#(Self.me)","name":"x"}]"#) == true)
    }

    private func printed(_ form: PrintedForm, colour: Bool) throws -> [Substring] {
        let pipe = try Pipe()
        defer { pipe.close() }
        let printer = EventPrinter(form, descriptor: pipe.writeEnd, colour: colour, width: nil)
        try printer.write([
            Self.known(), Sample.event(3, "@x:\(Self.me)"), Sample.event(4, "plain"), Self.fetched("hi @x:\(Self.me)"),
            Self.fetched("other"),
        ])
        return pipe.readAll().split(separator: "\n")
    }

    @Test(
        "Mentions are printed in reverse video, or with a leading @ without colours",
        arguments: OutputFormat.allCases)
    func printing(format: OutputFormat) throws {
        guard [.compact, .pretty, .table].contains(format) else { return }
        let coloured = try printed(.format(format), colour: true)
        let plain = try printed(.format(format), colour: false)
        func isPlaced(_ text: String, _ isMeant: (Substring) -> Bool) -> Bool {
            let lines = (coloured + plain).filter { $0.contains(text) }
            return !lines.isEmpty && lines.allSatisfy(isMeant)
        }
        #expect(coloured.contains { $0.contains("\u{1B}[7m") && $0.contains(": @x") })
        #expect(plain.contains { $0.contains("@ Anna: @x") })
        #expect(isPlaced("Anna: plain") { !$0.contains("\u{1B}[7m") && !$0.contains("@ Anna") })
        guard format != .table else { return }
        #expect(coloured.contains { $0.contains("\u{1B}[7m") && $0.contains("hi @x") })
        #expect(plain.contains { $0.contains("+ message ") && $0.contains("@ Anna: hi @x") })
        #expect(isPlaced("Anna: other") { !$0.contains("\u{1B}[7m") && !$0.contains("@ Anna") })
    }

    @Test("A template prints mentions by name")
    func template() throws {
        let lines = try printed(.template(try LineTemplate("{n} {mentions}|")), colour: false)
        #expect(lines == ["3 x|", "4 |"])
    }

    @Test("The full-screen view highlights mentions, lists the mentioned, and counts unread ones per room")
    func watched() throws {
        var screen = WatchedScreen(width: 140, height: 40)
        var model = SectionedCollection<Item>()
        var channel = Twake.Channel(
            id: Sample.channel, company: EntityID("C"), workspace: EntityID("W"), name: "general",
            lastActivity: Timestamp(milliseconds: 30), lastAccess: Timestamp(milliseconds: 10))
        channel.visibility = .public
        try model.upsert(Item.channel(channel))
        for number in [1, 2, 3] {
            let message = Twake.Message(
                id: Sample.id(number), thread: Sample.id(number), channel: Sample.channel, text: "text",
                createdAt: Timestamp(milliseconds: Int64(number) * 10))
            let row = try #require(Item.message(message))
            try model.upsert(row)
        }
        let room = "/companies/C/workspaces/W/channels/\(Sample.channel)/feed"
        let commit = model.commit()
        let batch = try #require(commit)
        screen.tell(
            .reports([
                Sample.room(.joined, room),
                StampedReport(
                    stamp: Sample.stamp(2, 0),
                    report: .diff(DiffReport(sequence: 2, cause: 2, batch: batch, user: Self.me))),
                Sample.event(3, "@x:\(Self.me)"), Sample.event(4, "plain"),
            ]))
        func isReversed(_ text: String) throws -> Bool {
            let grid = screen.watch.grid
            let row = try #require(screen.rows.firstIndex { $0.contains(text) })
            let column = try #require(screen.rows[row].distance(to: text))
            return grid[row, column].appearance.attributes.contains(.reversed)
        }
        #expect(try isReversed("Anna: @x"))
        #expect(try !isReversed("Anna: plain"))
        #expect(screen.rows.contains { $0.contains(" 1 ● #general") && $0.contains("#general 2 ") }, "\(screen.text)")
        screen.type("r")
        #expect(screen.rows.contains { $0.contains("yes    joined") && $0.contains(" 2 ") && $0.contains("#general") })
    }
}
