import Testing
import TestSupport
import WeirModel
import WeirPipeline
import WeirRecording
import WeirTerminal
import WeirThreads
import WeirWire

@testable import WeirLive
@testable import WeirViews

@Suite("The full-screen view: mouse, replays, sizes")
struct WatchMouseTests {
    @Test("The wheel scrolls, a click selects, and a second click opens the detail")
    func mouse() {
        var screen = WatchedScreen(height: 14)
        screen.tell(.reports((1...40).map { Sample.event($0, "line \($0).") }))
        screen.click(row: 5, column: 60, .wheelUp)
        #expect(!screen.text.contains("line 40."))
        #expect(screen.text.contains("line 37."))
        screen.click(row: 5, column: 60, .wheelDown)
        #expect(screen.text.contains("line 40."))
        let row = screen.rows.firstIndex { $0.contains("line 35.") } ?? 0
        screen.click(row: row, column: 60)
        #expect(screen.selected.first?.contains("line 35.") == true)
        screen.click(row: screen.rows.firstIndex { $0.contains("line 35.") } ?? 0, column: 60)
        #expect(screen.text.contains("kind          message"))
        let tabs = screen.rows.firstIndex { $0.contains("raw frame") } ?? 0
        let tab = WatchLayout(screen.watch).tabs.columns.lowerBound + 12
        screen.click(row: tabs, column: tab)
        #expect(screen.text.contains(#"["realtime:resource","line 35."]"#))
    }

    @Test("A click on a section opens its rows, and a click on a room hides it")
    func sidePane() {
        var screen = WatchedScreen()
        screen.tell(.reports([Sample.event(3, "hello", room: "alpha"), Sample.firstRows(cause: 3)]))
        screen.click(row: screen.rows.firstIndex { $0.contains(" channels  ") } ?? 0, column: 2)
        #expect(screen.text.contains("channels, 1 rows"))
        #expect(screen.text.contains("▸ #general"))
        screen.click(row: screen.rows.firstIndex { $0.contains("1 ○ alpha") } ?? 0, column: 4)
        #expect(screen.text.contains("1 ∅ alpha"))
    }

    @Test("The keys of a replay reach its player, and a click on its bar seeks")
    func replayKeys() {
        var screen = WatchedScreen(isReplay: true)
        screen.tell(.length(Moment(microseconds: 60_000_000)))
        screen.tell(
            .stands(
                ReplayProgress(
                    number: 3, time: Moment(microseconds: 30_000_000), wall: nil, isPaused: true, pace: "1×",
                    marks: [Moment(microseconds: 15_000_000)])))
        #expect(screen.rows[22].hasPrefix("⏸ 1× +30.0s"))
        #expect(screen.rows[22].contains("●"))
        #expect(screen.rows[22].contains("⚑"))
        #expect(screen.rows[22].hasSuffix("1m00s"))
        screen.type(" .,[]+-")
        screen.press(.left(isShifted: false), .right(isShifted: true))
        screen.type(":n:812\r")
        screen.type("mhere\r")
        let bar = screen.watch.scrubberBar(WatchLayout(screen.watch).scrubber)
        screen.click(row: 22, column: bar.upperBound - 1)
        screen.click(row: 22, column: bar.lowerBound)
        #expect(
            screen.effects == [
                .play(.togglePause), .play(.step), .play(.stepBack), .play(.previousMark), .play(.nextMark),
                .play(.faster), .play(.slower), .play(.move(.seconds(-5))), .play(.move(.seconds(60))),
                .play(.goTo("n:812")), .play(.mark("here")), .play(.goTo("+60000ms")), .play(.goTo("+0ms")),
            ])
    }

    @Test("After a replay goes back, later events are reported again and nothing is counted twice")
    func goesBack() {
        var screen = WatchedScreen(isReplay: true)
        let reports = (1...9).map { Sample.event($0, "line \($0).") }
        screen.tell(.reports(reports))
        screen.tell(.moves(to: 4, at: Moment(microseconds: 400_000)))
        #expect(screen.text.contains("line 4."))
        #expect(!screen.text.contains("line 5."))
        screen.tell(.reports([reports[4], reports[5]]))
        screen.tell(.arrives(SectionedCollection<Item>()))
        #expect(screen.text.contains("line 6."))
        #expect(screen.rows[0].hasSuffix("9 events"))
        screen.tell(.reports(Array(reports[6...]) + [Sample.event(10, "line 10.")]))
        #expect(screen.rows[0].hasSuffix("10 events"))
    }

    @Test("A watched replay goes back and forth, and its model matches the position")
    func watchedReplay() throws {
        let path = packageFolder + "/samples/recordings/twake-day.weir.jsonl"
        let desk = try Self.watch(
            path, [.togglePause, .goTo("n:250"), .goTo("n:120"), .goTo("n:300"), .goTo("n:120"), .quit])
        let straight = try Self.watch(path, [.togglePause, .goTo("n:120"), .quit])
        let (model, wanted) = (desk.modelPane.model?.base, straight.modelPane.model?.base)
        #expect(model != nil)
        #expect(model?.sectionKeys == wanted?.sectionKeys)
        #expect(model?.count == wanted?.count)
        #expect((wanted?.count ?? 0) > 10)
        let numbers = desk.log.serials.compactMap { desk.log[$0]?.stamped.stamp.n }
        #expect((numbers.max() ?? .max) <= 120)
        #expect(desk.log.count == straight.log.count)
    }

    private static func watch(_ path: String, _ commands: [ReplayKeys.Command]) throws -> Watch {
        var settings = Watch.Settings(title: path)
        settings.isReplay = true
        let desk = WatchDriver(settings)
        var console = ReplayConsole()
        console.watcher = desk
        let replay = Replay(ReplayConfiguration([path]), console: console, outlets: [desk])
        for command in commands { replay.perform(command) }
        _ = try replay.play()
        return desk.watched
    }

    @Test("A key is drawn at once, and arriving reports every 33 ms")
    func aKeyIsDrawnAtOnce() {
        func at(_ milliseconds: Int64) -> Moment { Moment(microseconds: milliseconds * 1000) }
        var pace = FramePace()
        #expect(pace.wait(at: at(0)) == 0)
        pace.noteFrame(at: at(0))
        #expect(pace.wait(at: at(10)) == 23_000)
        #expect(pace.wait(at: at(33)) == 0)
        pace.noteInput()
        #expect(pace.wait(at: at(1)) == 4_000)
        #expect(pace.wait(at: at(10)) == 0)
        pace.noteFrame(at: at(10))
        #expect(pace.wait(at: at(20)) == 23_000)
    }

    @Test("A new line or number redraws a small part of the screen")
    func framesAreSmall() {
        var screen = WatchedScreen(width: 200, height: 50)
        var terminal = TerminalScreen()
        let text = String(repeating: "what somebody says ", count: 7)
        screen.tell(.reports((1...200).map { Sample.event($0, "\($0) " + text) }))
        let whole = terminal.update(to: screen.watch.grid).count
        screen.tell(.reports([Sample.event(201, "201 " + text)]))
        let next = terminal.update(to: screen.watch.grid).count
        #expect(next < whole / 6, "\(next) of \(whole) bytes")
        screen.type(" ")
        _ = terminal.update(to: screen.watch.grid)
        screen.tell(.reports([Sample.event(202, "202 " + text)]))
        let held = terminal.update(to: screen.watch.grid).count
        #expect(held < 200, "\(held) bytes")
        #expect(terminal.update(to: screen.watch.grid) == [])
    }

    /// Text that would control a terminal or deceive its reader.
    private static let hostile =
        "a\u{1B}[2J\u{9B}31m\u{7}\u{202E}\u{200B}\u{FEFF}\r\n日本👍❤\u{FE0F}" + String(repeating: "\u{302}", count: 9)

    @Test(
        "No size, input or text traps the view, and nothing on the screen controls the terminal",
        arguments: 0..<12 as Range<UInt64>)
    func survives(seed: UInt64) {
        var dice = RandomSource(seed: seed)
        var screen = WatchedScreen(isReplay: seed % 2 == 0)
        let letters = Array("jkgG/nNfhm t1w2ye E sS?r+-ax\r\u{1B}.,[]:9".unicodeScalars)
        let keys: [TerminalKey] = [
            .up, .down, .pageUp, .pageDown, .home, .end, .tab, .backTab, .enter, .escape, .backspace,
        ]
        for step in 0..<150 {
            switch dice.roll(8) {
            case 0: screen.tell(.resized(width: dice.roll(130), height: dice.roll(40)))
            case 1: screen.press(keys[dice.roll(keys.count)])
            case 2, 3: screen.type(String(letters[dice.roll(letters.count)]))
            case 4:
                screen.click(
                    row: dice.roll(45), column: dice.roll(140),
                    [.pressed, .dragged, .wheelUp, .wheelDown][dice.roll(4)])
            case 5:
                screen.tell(.reports(Sample.reports + Sample.status))
                screen.tell(.terminal(.pasted(Self.hostile)))
            case 6: screen.pass(.milliseconds(dice.roll(3000)))
            default:
                screen.tell(
                    .reports([
                        Sample.event(step, Self.hostile, room: Self.hostile), Sample.firstRows(cause: step),
                        Sample.room(.refused, Self.hostile, why: Self.hostile),
                    ]))
            }
            let grid = screen.watch.grid
            for row in 0..<grid.height {
                let text = grid.text(ofRow: row)
                #expect(TerminalText.escaped(text) == text || !text.unicodeScalars.allSatisfy { $0.value < 0x300 })
                #expect(
                    !text.unicodeScalars.contains {
                        $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) || $0 == "\u{202E}"
                    })
            }
        }
    }
}

extension RandomSource {
    fileprivate mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &self) }
}
