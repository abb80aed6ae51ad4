import Testing
import WeirEvents
import WeirJSON
import WeirModel
import WeirPipeline
import WeirRecording
import WeirWire

@testable import WeirLive
@testable import WeirViews
@testable import WeirTerminal

/// A view with its own clock.
struct WatchedScreen {
    var watch: Watch
    var now = Moment.zero
    var effects: [Watch.Effect] = []

    init(
        width: Int = 120, height: Int = 24, isReplay: Bool = false, file: String? = nil, steersRooms: Bool = true,
        theme: TerminalTheme = TerminalTheme(.auto)
    ) {
        var settings = Watch.Settings(title: "http://chat.example.com")
        settings.isReplay = isReplay
        settings.file = file
        settings.steersRooms = steersRooms
        settings.theme = theme
        watch = Watch(settings)
        tell(.resized(width: width, height: height))
    }

    mutating func tell(_ input: Watch.Input) { watch.handle(input, at: now, into: &effects) }

    /// Types text. `\r` is the enter key, `\u{1B}` the escape key.
    mutating func type(_ text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\r": press(.enter)
            case "\u{1B}": press(.escape)
            default: press(.character(scalar))
            }
        }
    }

    mutating func press(_ keys: TerminalKey...) { for key in keys { tell(.terminal(.key(key))) } }

    mutating func click(row: Int, column: Int, _ action: TerminalMouse.Action = .pressed) {
        tell(.terminal(.mouse(TerminalMouse(action, at: TerminalPlace(row: row, column: column)))))
    }

    mutating func pass(_ time: Duration) {
        now = now + time
        tell(.tick)
    }

    var rows: [String] {
        let grid = watch.grid
        return (0..<grid.height).map { grid.text(ofRow: $0) }
    }

    var text: String { rows.joined(separator: "\n") }

    /// The rows below the title with a reversed cell.
    var selected: [String] {
        let grid = watch.grid
        return (1..<grid.height - 1).filter { row in
            (grid.width / 2..<grid.width).contains { grid[row, $0].appearance.attributes.contains(.reversed) }
        }.map { grid.text(ofRow: $0) }
    }
}

extension String {
    /// Returns the number of characters before `text`.
    func distance(to text: String) -> Int? {
        indices.firstIndex { self[$0...].hasPrefix(text) }.map { indices.distance(from: indices.startIndex, to: $0) }
    }
}

extension Sample {
    /// Returns an event with a text in a room, at a time.
    static func event(_ n: Int, _ text: String, room: String = "alpha", at milliseconds: Int64? = nil) -> StampedReport
    {
        let message = Twake.Message(id: id(3), thread: id(3), senderName: "Anna", text: text)
        let resource = Twake.SocketIOResource(
            action: .created, room: room, type: .message, path: nil, resource: .message(message))
        var writer = JSONWriter()
        writer.beginArray()
        writer.string("realtime:resource")
        writer.string(text)
        writer.endArray()
        let report = EventReport(
            event: .twake(.resource(resource)), source: SocketIO.Event(array: RawJSON(unchecked: writer.bytes[...])))
        return StampedReport(stamp: stamp(n, milliseconds ?? Int64(n) * 100), report: .event(report))
    }

    static func room(_ change: RoomReport.Change, _ room: String, why: String? = nil) -> StampedReport {
        StampedReport(
            stamp: stamp(1, 0), report: .room(RoomReport(change: change, room: room, source: "list", why: why)))
    }

    /// Returns a batch that applies to an empty model.
    static func firstRows(cause: Int) -> StampedReport {
        var model = SectionedCollection<Item>()
        try? model.upsert(channel(channel, "general"))
        try? model.upsert(message(3, "hello"))
        let batch = model.commit() ?? Batch<Item>()
        return StampedReport(
            stamp: stamp(cause, 300), report: .diff(DiffReport(sequence: 1, cause: cause, batch: batch)))
    }
}

@Suite("The full-screen view")
struct WatchTests {
    @Test("Events are shown as they arrive, next to the model and the rooms")
    func shows() {
        var screen = WatchedScreen()
        screen.tell(.reports([Sample.room(.wanted, "alpha"), Sample.room(.joined, "alpha")]))
        screen.tell(.reports([Sample.event(3, "hello there"), Sample.firstRows(cause: 3)]))
        #expect(screen.rows[0].contains("weir watch  http://chat.example.com"))
        #expect(screen.rows[0].hasSuffix("1 events"))
        #expect(screen.text.contains("Anna: hello there"))
        #expect(screen.text.contains("+ channel  #general"))
        #expect(screen.text.contains(" channels  "))
        #expect(screen.text.contains(" #general "))
        #expect(screen.text.contains(" 1 ● alpha"))
        #expect(screen.rows[23].contains("rooms 1/1"))
    }

    @Test("A changed section is highlighted for a moment, with the count of changes")
    func flashes() {
        var screen = WatchedScreen()
        screen.tell(.reports([Sample.firstRows(cause: 3)]))
        #expect(screen.rows.contains { $0.contains(" #general ") && $0.contains("+1 1") })
        #expect(screen.watch.deadline == Moment.zero + WatchFlashes.duration)
        screen.pass(WatchFlashes.duration)
        #expect(!screen.text.contains("+1 1"))
        #expect(screen.watch.deadline == nil)
    }

    @Test("Events wait during a pause, are counted, and are then shown")
    func pauses() {
        var screen = WatchedScreen()
        screen.tell(.reports([Sample.event(1, "first")]))
        screen.type(" ")
        screen.tell(.reports([Sample.event(2, "second"), Sample.event(3, "third")]))
        #expect(screen.text.contains("PAUSED +2"))
        #expect(!screen.text.contains("second"))
        screen.type(" ")
        #expect(!screen.text.contains("PAUSED"))
        #expect(screen.text.contains("third"))
    }

    @Test("Keys select a line, which stays in view as more arrive")
    func selects() {
        var screen = WatchedScreen(height: 10)
        screen.tell(.reports((1...40).map { Sample.event($0, "line \($0).") }))
        screen.type("kkk")
        #expect(screen.selected.count == 1)
        #expect(screen.selected.first?.contains("line 38.") == true)
        screen.tell(.reports((41...60).map { Sample.event($0, "line \($0).") }))
        #expect(screen.selected.first?.contains("line 38.") == true)
        #expect(screen.text.contains("PAUSED +20"))
        screen.type("g")
        #expect(screen.selected.first?.contains("line 1.") == true)
        screen.press(.pageDown)
        #expect(!screen.text.contains("line 1."))
        screen.type("G")
        #expect(screen.text.contains("line 60."))
        #expect(screen.selected == [])
    }

    @Test("A search goes forward and back, wraps around, and reports when nothing is found")
    func searches() {
        var screen = WatchedScreen()
        screen.tell(.reports((1...9).map { Sample.event($0, $0.isMultiple(of: 3) ? "Needle \($0)" : "hay") }))
        screen.type("/needle\r")
        #expect(screen.selected.first?.contains("Needle 9") == true)
        screen.type("N")
        #expect(screen.selected.first?.contains("Needle 6") == true)
        screen.type("nn")
        #expect(screen.selected.first?.contains("Needle 3") == true)
        #expect(screen.text.contains("the search wrapped around"))
        screen.type("/NEEDLE\r")
        #expect(screen.text.contains("no line contains “NEEDLE”"))
    }

    @Test("A line of an earlier day than the newest shows its date")
    func days() throws {
        var screen = WatchedScreen()
        let day: Int64 = 86_400_000
        screen.tell(.reports([Sample.event(1, "older", at: 0), Sample.event(2, "newer", at: 2 * day)]))
        let older = try #require(screen.rows.first { $0.contains("older") })
        let newer = try #require(screen.rows.first { $0.contains("newer") })
        #expect(older.contains(#/\d\d-\d\d /#), "\(older)")
        #expect(newer.contains(#/\d\d:\d\d:\d\d/#) && !newer.contains(#/\d\d-\d\d /#), "\(newer)")
    }

    @Test("Keys jump to problems and silences")
    func jumps() {
        var screen = WatchedScreen()
        let gap = GapReport(cause: .reconnect, from: .zero, to: Moment(microseconds: 2_500_000))
        screen.tell(
            .reports([
                Sample.event(1, "one", at: 100), StampedReport(stamp: Sample.stamp(2, 200), report: .gap(gap)),
                Sample.event(3, "three", at: 300), Sample.event(4, "four", at: 9000), Sample.event(5, "five", at: 9100),
            ]))
        screen.type("E")
        #expect(screen.selected.first?.contains("2.5s without a connection") == true)
        #expect(screen.selected.first?.contains("!") == true)
        screen.type("e")
        #expect(screen.text.contains("no later problem"))
        screen.type("s")
        #expect(screen.selected.first?.contains("four") == true)
        screen.type("s")
        #expect(screen.text.contains("no silence of 5 s"))
        #expect(screen.rows[23].contains("gaps 1"))
    }

    @Test("A digit hides a room and shows it again, and its events are still counted")
    func hidesRooms() {
        var screen = WatchedScreen()
        screen.tell(.reports([Sample.event(1, "from a", room: "alpha"), Sample.event(2, "from b", room: "beta")]))
        screen.type("1")
        #expect(!screen.text.contains("from a"))
        #expect(screen.text.contains("from b"))
        #expect(screen.text.contains("1 ∅ alpha"))
        screen.tell(.reports([Sample.event(3, "again a", room: "alpha")]))
        #expect(!screen.text.contains("again a"))
        #expect(screen.rows[0].hasSuffix("3 events"))
        screen.type("1")
        #expect(screen.text.contains("from a"))
        #expect(screen.text.contains("again a"))
        screen.type("9")
        #expect(screen.text.contains("no room 9"))
    }

    @Test("Rooms are listed with their wanted and actual states, and joined and left by keys")
    func steersRooms() {
        var screen = WatchedScreen(width: 140)
        screen.tell(
            .reports([
                Sample.room(.joined, "alpha"), Sample.room(.refused, "beta", why: "not yours\u{1B}"),
            ]))
        screen.type("r")
        #expect(screen.text.contains("WANTED STATE"))
        #expect(screen.rows.contains { $0.contains("yes    joined") && $0.contains("alpha") })
        #expect(screen.rows.contains { $0.contains("yes    refused") && $0.contains("beta  (not yours\\u{1B})") })
        screen.type("-j+")
        screen.type("agamma\r")
        #expect(screen.effects == [.leave("alpha"), .join("beta"), .join("gamma")])
        screen.type("x")
        #expect(screen.rows.contains { $0.contains("hidden") && $0.contains("beta") })
        screen.type("r")
        #expect(!screen.text.contains("WANTED STATE"))
    }

    @Test("The detail pane shows the fields, the raw frame and the changes")
    func details() {
        var screen = WatchedScreen(height: 40)
        screen.tell(.reports([Sample.event(3, "hello\u{1B}[31m"), Sample.firstRows(cause: 3)]))
        screen.type("kk\r")
        #expect(screen.text.contains("kind          message"))
        #expect(screen.text.contains("payload[1]"))
        screen.type("\r")
        #expect(screen.text.contains(#"["realtime:resource","hello\u001b[31m"]"#))
        screen.type("\r")
        #expect(screen.text.contains("+ message 00000003"))
        screen.type("y")
        #expect(screen.effects.count == 1)
        screen.type("\u{1B}")
        #expect(!screen.text.contains("raw frame"))
    }

    @Test("The detail pane shows the bytes of an attachment")
    func attachment() {
        let source = SocketIO.Event(
            array: Sample.raw(#"["photo",{"_placeholder":true,"num":0}]"#), attachments: [Array(0x30..<0x44) + [0x1B]])
        let event = UntypedEvent(name: "photo", arguments: [])
        var screen = WatchedScreen(height: 40)
        screen.tell(
            .reports([
                StampedReport(
                    stamp: Sample.stamp(1, 0), report: .event(EventReport(event: .socketIO(event), source: source)))
            ]))
        screen.type("k\r")
        #expect(screen.text.contains("payload[1].bytes  21"))
        #expect(screen.text.contains("attachment 0  21 bytes"))
        #expect(screen.text.contains("00000000  30 31 32 33 34 35 36 37 38 39 3a 3b 3c 3d 3e 3f  0123456789:;<=>?"))
        #expect(screen.text.contains("00000010  40 41 42 43 1b"))
        #expect(screen.text.contains("@ABC."))
    }

    @Test("A key copies the shown text, escaped, and nothing is copied without it")
    func copies() {
        var screen = WatchedScreen()
        screen.tell(.reports([Sample.event(3, "a\u{1B}]52;c;eA==\u{7}b\u{202E}")]))
        #expect(screen.effects == [])
        screen.type("y")
        guard case .copy(let text)? = screen.effects.first else {
            Issue.record("nothing was copied")
            return
        }
        #expect(text.contains("a\\u{1B}]52;c;eA==\\u{7}b\\u{202E}"))
        #expect(TerminalText.escaped(text) == text)
    }

    @Test("Dropped lines are reported, with the file that contains them")
    func forgets() {
        var screen = WatchedScreen(file: "day.weir")
        screen.tell(.reports((0..<WatchLog.mostEntries + 5).map { Sample.event($0, "line \($0).") }))
        #expect(screen.watch.log.count == WatchLog.mostEntries)
        screen.type("1g")
        screen.type("1")
        screen.tell(.resized(width: 120, height: 24))
        #expect(screen.watch.log.forgotten == 5)
        screen.type("1")
        #expect(screen.text.contains("— 5 older lines are in day.weir —"))
        let large = String(repeating: "x", count: 1 << 20)
        screen.tell(.reports((0..<40).map { Sample.event(20_000 + $0, large) }))
        #expect(screen.watch.log.count < 20)
    }

    @Test("A mark is shown at the current line and sent to the recording")
    func marks() {
        var screen = WatchedScreen()
        screen.tell(.reports([Sample.event(1, "one")]))
        screen.type("mhere\r")
        #expect(screen.effects == [.mark("here")])
        #expect(screen.text.contains("⚑"))
    }

    @Test("Times are shown in four ways, and long lines are cut or wrapped")
    func formats() {
        var screen = WatchedScreen(width: 80, height: 12)
        let long = String(repeating: "word ", count: 40) + "end."
        screen.tell(.reports([Sample.event(1, "one", at: 1000), Sample.event(2, long, at: 1500)]))
        #expect(screen.text.contains("03:04:06Z "))
        #expect(!screen.text.contains("end."))
        screen.type("w")
        #expect(screen.text.contains("end."))
        screen.type("wt")
        #expect(screen.text.contains("1.500"))
        #expect(screen.text.contains("since the start"))
        screen.type("t")
        #expect(screen.text.contains("0.500"))
        screen.type("t")
        #expect(!screen.text.contains("0.500"))
    }

    @Test("A highlight marks lines without hiding others")
    func highlights() {
        var screen = WatchedScreen()
        screen.tell(.reports([Sample.event(1, "some deploy"), Sample.event(2, "other")]))
        screen.type("hdeploy\r")
        #expect(screen.text.contains("other"))
        let row = screen.rows.firstIndex { $0.contains("some deploy") } ?? 0
        let column = screen.watch.grid.text(ofRow: row).distance(to: "deploy") ?? 0
        #expect(screen.watch.grid[row, column].appearance.attributes.contains(.underlined))
        #expect(!screen.watch.grid[row, column - 2].appearance.attributes.contains(.underlined))
    }

    @Test("The help lists the keys, and any key closes it")
    func helps() {
        var screen = WatchedScreen()
        screen.type("?")
        #expect(screen.text.contains("next, previous silence"))
        screen.type("q")
        #expect(screen.effects == [])
        #expect(!screen.text.contains("next, previous silence"))
        screen.type("q")
        #expect(screen.effects == [.quit])
    }
}
