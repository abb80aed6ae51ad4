import Testing
import WeirModel
import WeirPipeline
import WeirRecording
import WeirTerminal
import WeirWire

@testable import WeirLive
@testable import WeirViews

@Suite("The full-screen view: filters")
struct WatchFilterTests {
    private static let gap = StampedReport(
        stamp: Sample.stamp(3, 300),
        report: .gap(GapReport(cause: .reconnect, from: .zero, to: Moment(microseconds: 2_500_000))))

    private static let reports = [
        Sample.event(1, "deploy begins"), Sample.event(2, "lunch"), gap, Sample.event(4, "deploy ends"),
    ]

    @Test("A filter is applied while typed, with a count, and can be kept or undone")
    func filters() {
        var screen = WatchedScreen()
        screen.tell(.reports(Self.reports))
        screen.type("f/deploy/")
        #expect(screen.text.contains("3 of 4 lines shown"))
        #expect(!screen.text.contains("lunch"))
        #expect(screen.text.contains("2.5s without a connection"))
        screen.type(" and room = beta")
        #expect(screen.text.contains("1 of 4 lines shown"))
        screen.press(.control("u"))
        screen.type("kind = message and /deploy/\r")
        #expect(screen.rows[23].contains("filter: kind = message and "))
        screen.tell(.reports([Sample.event(5, "more lunch"), Sample.event(6, "no deploy")]))
        #expect(!screen.text.contains("more lunch"))
        #expect(screen.text.contains("no deploy"))
        #expect(screen.rows[0].hasSuffix("5 events"))
        screen.type("f")
        screen.press(.control("u"))
        screen.type("room = beta\u{1B}")
        #expect(screen.rows[23].contains("filter: kind = message and "))
        #expect(screen.text.contains("no deploy"))
        screen.type("f")
        screen.press(.control("u"), .enter)
        #expect(screen.text.contains("more lunch"))
    }

    @Test("An error in a filter is highlighted in place with a suggestion, and can be corrected")
    func wrongFilter() {
        var screen = WatchedScreen()
        screen.tell(.reports(Self.reports))
        screen.type("f/deploy/ and knid = message")
        #expect(screen.rows[22].hasPrefix("✗ "))
        #expect(screen.rows[22].contains("kind"))
        let column = screen.rows[23].distance(to: "knid") ?? 0
        let looks = (0..<6).map { screen.watch.grid[23, column - 1 + $0].appearance }
        #expect(looks.map { $0.attributes.contains(.underlined) } == [false, true, true, true, true, false])
        // The last valid text stays in effect.
        #expect(!screen.text.contains("lunch"))
        screen.press(.enter)
        #expect(screen.rows[23].hasPrefix("filter: /deploy/ and knid"))
        for _ in 0..<14 { screen.press(.backspace) }
        screen.type("kind = message")
        #expect(screen.rows[22].contains("3 of 4 lines"))
        screen.press(.enter)
        #expect(screen.rows[23].contains("● ") || screen.rows[23].contains("○ "))
        screen.type("f and")
        #expect(screen.rows[22].hasPrefix("✗ "))
        let end = screen.watch.grid.cursor?.column ?? 0
        #expect(screen.watch.grid[23, end].appearance.attributes.contains(.underlined))
    }

    @Test("Tab completes the last word of a filter, and lists several candidates over several rows")
    func completion() {
        var screen = WatchedScreen(width: 60)
        screen.tell(.reports(Self.reports))
        screen.type("fknow")
        screen.press(.tab)
        #expect(screen.rows[23] == "filter: known")
        screen.type("and kind = me")
        screen.press(.tab)
        #expect(screen.rows[22].contains("message  member"))
        screen.type("s")
        screen.press(.tab)
        #expect(screen.rows[23] == "filter: known and kind = message")
        #expect(screen.rows[22].contains("lines shown"))
        for _ in 0..<8 { screen.press(.backspace) }
        screen.type("nothing")
        // The list of all kinds does not fit one row.
        #expect(screen.rows[..<23].suffix(8).joined().contains("message"))
    }

    @Test("Only the rows of a change that pass the filter are shown")
    func narrowed() {
        var screen = WatchedScreen()
        var batch = Batch<Item>()
        batch.insertions = [
            .init(path: SectionPath(section: 0, item: 0), element: Sample.channel(Sample.channel, "general")),
            .init(path: SectionPath(section: 1, item: 0), element: Sample.message(3, "hello")),
        ]
        let diff = DiffReport(sequence: 1, cause: 1, batch: batch)
        screen.tell(.reports([StampedReport(stamp: Sample.stamp(1, 0), report: .diff(diff))]))
        screen.type("fdiff.kind = message\r")
        let log = screen.rows.map { $0.drop { $0 != "│" } }
        #expect(log.contains { $0.contains("hello") })
        #expect(!log.contains { $0.contains("#general") && !$0.contains("hello") })
        screen.type("f")
        screen.press(.control("u"), .enter)
        #expect(screen.rows.map { $0.drop { $0 != "│" } }.contains { $0.contains("#general") && !$0.contains("hello") })
    }

    @Test("The view begins with the filter of the options, and other clients change it while it runs")
    func othersFilter() throws {
        var settings = Watch.Settings(title: "here")
        settings.filters.filter = try Filter(parsing: "/deploy/", origin: "--filter")
        settings.filters.highlights = [try Filter(parsing: "/begins/")]
        var watch = Watch(settings)
        var effects: [Watch.Effect] = []
        watch.handle(.resized(width: 120, height: 24), at: .zero, into: &effects)
        watch.handle(.reports(Self.reports), at: .zero, into: &effects)
        func rows() -> [String] { (0..<24).map { watch.grid.text(ofRow: $0) } }
        #expect(!rows().contains { $0.contains("lunch") })
        let row = rows().firstIndex { $0.contains("deploy begins") } ?? 0
        let column = rows()[row].distance(to: "deploy begins") ?? 0
        #expect(watch.grid[row, column].appearance.attributes.contains(.reversed))
        watch.handle(.filters(ViewFilter.Setting()), at: .zero, into: &effects)
        #expect(rows().contains { $0.contains("lunch") })
        #expect(watch.filtering.setting.isEmpty)
    }

    @Test("Names from dropped lines still apply in filters")
    func knowsNames() {
        var screen = WatchedScreen()
        screen.tell(.reports([Sample.firstRows(cause: 3)]))
        screen.tell(.reports((0..<WatchLog.mostEntries).map { Sample.event($0, "line \($0).") }))
        #expect(screen.watch.log.forgotten == 1)
        screen.tell(.reports([Sample.event(20_000, "in it", room: "/channels/\(Sample.channel)/feed")]))
        screen.type("froom = '#general'")
        #expect(screen.text.contains("1 of 10000 lines"))
        #expect(screen.text.contains("in it"))
    }

    @Test("The view and others share a filter, and each report is counted once")
    func shared() throws {
        let filter = ViewFilter()
        let desk = WatchDriver(Watch.Settings(title: "here"), filter: filter)
        desk.tell(.resized(width: 120, height: 24))
        try desk.write(Self.reports)
        #expect(filter.tally.seen.events == 3)
        try filter.set("/deploy/", origin: "params.filter")
        try desk.write([Sample.event(5, "supper")])
        #expect(desk.watched.filtering.setting.filter.text == filter.text)
        #expect(desk.watched.log.shares.shown == 3)
        #expect(filter.tally.seen.events == 4)
        #expect(filter.tally.removed.events == 1)
        for key in "f and kind = message".unicodeScalars { desk.tell(.terminal(.key(.character(key)))) }
        #expect(!filter.text.contains("kind"))
        desk.tell(.terminal(.key(.enter)))
        #expect(filter.text.contains("kind"))
        try desk.write([Sample.event(6, "the deploy is over"), Sample.event(7, "breakfast")])
        #expect(desk.watched.log.shares.shown == 4)
        #expect(filter.tally.seen.events == 6)
        #expect(filter.tally.removed.events == 2)
    }
}
