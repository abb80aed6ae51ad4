import Testing
@testable import WeirLive
@testable import WeirViews
import WeirTerminal
import WeirThreads
import WeirWire

@Suite("Timing decisions of a replay") struct PlaybackClockTests {
    private func at(_ milliseconds: Int64) -> Moment { Moment(microseconds: milliseconds * 1000) }

    private func playback(
        _ pace: PlaybackClock.Pace, idleLimit: Duration? = nil, isPaused: Bool = false, now: Int64 = 0
    ) -> PlaybackClock {
        PlaybackClock(pace: pace, idleLimit: idleLimit, isPaused: isPaused, from: .zero, at: at(now))
    }

    @Test("A record is due when its time divided by the speed has passed")
    func speed() {
        let playback = playback(.factor(2), now: 100)
        #expect(playback.decide(next: at(1000), isEvent: true, at: at(100)) == .wait(until: at(600)))
        #expect(playback.decide(next: at(1000), isEvent: true, at: at(600)) == .play)
        #expect(self.playback(.maximum).decide(next: at(1_000_000), isEvent: true, at: .zero) == .play)
    }

    @Test("No pause is longer than the idle limit, and later times are shifted accordingly")
    func idleLimit() {
        var playback = playback(.factor(1), idleLimit: .seconds(2))
        #expect(playback.decide(next: at(60_000), isEvent: true, at: .zero) == .wait(until: at(2000)))
        playback.played(at(60_000), isEvent: true, shown: 1)
        #expect(playback.decide(next: at(60_500), isEvent: true, at: at(2000)) == .wait(until: at(2500)))
    }

    @Test("With a rate every event takes the same time, and other records take none")
    func rate() {
        var playback = playback(.rate(10))
        #expect(playback.decide(next: at(60_000), isEvent: false, at: .zero) == .play)
        playback.played(at(60_000), isEvent: false, shown: 0)
        #expect(playback.decide(next: at(60_000), isEvent: true, at: .zero) == .wait(until: at(100)))
        playback.played(at(60_000), isEvent: true, shown: 1)
        #expect(playback.decide(next: at(60_001), isEvent: true, at: at(100)) == .wait(until: at(200)))
    }

    @Test("A pause holds the replay, and later times count from its end")
    func pause() {
        var playback = playback(.factor(1))
        playback.played(at(1000), isEvent: true, shown: 1)
        playback.togglePause(at: at(1000))
        #expect(playback.decide(next: at(3000), isEvent: true, at: at(90_000)) == .hold)
        playback.togglePause(at: at(90_000))
        #expect(playback.decide(next: at(3000), isEvent: true, at: at(90_000)) == .wait(until: at(92_000)))
    }

    @Test("A step plays up to one shown event, then pauses")
    func step() {
        var playback = playback(.factor(1), isPaused: true)
        playback.step()
        #expect(playback.runsFree)
        #expect(playback.decide(next: at(5000), isEvent: true, at: .zero) == .play)
        playback.played(at(5000), isEvent: false, shown: 0)
        #expect(playback.decide(next: at(6000), isEvent: true, at: .zero) == .play)
        playback.played(at(6000), isEvent: true, shown: 2)
        #expect(playback.decide(next: at(6000), isEvent: true, at: .zero) == .hold)
    }

    @Test("A new speed counts from the position between two records that was reached")
    func changeOfSpeed() {
        var playback = playback(.factor(1))
        playback.changeSpeed(isFaster: true, at: at(4000))
        #expect(playback.pace == .factor(2))
        #expect(playback.decide(next: at(10_000), isEvent: true, at: at(4000)) == .wait(until: at(7000)))
    }

    @Test("Speeds range from 0.01 to 1000 and to unlimited, and back")
    func speeds() {
        var playback = playback(.factor(1))
        for _ in 0..<20 { playback.changeSpeed(isFaster: true, at: .zero) }
        #expect(playback.pace == .maximum && playback.runsFree)
        for _ in 0..<30 { playback.changeSpeed(isFaster: false, at: .zero) }
        #expect(playback.pace == .factor(0.01))
        #expect(playback.paceText == "0.01×")
    }

    @Test("After a seek, time counts from the new position")
    func seek() {
        var playback = playback(.factor(1))
        playback.moved(to: at(50_000), at: at(7000))
        #expect(playback.decide(next: at(51_000), isEvent: true, at: at(7000)) == .wait(until: at(8000)))
        // A file whose times go backwards continues at once.
        #expect(playback.decide(next: at(1000), isEvent: true, at: at(7000)) == .play)
    }

    @Test("A time beyond every clock does not end the replay")
    func farAway() {
        let playback = playback(.factor(0.01))
        let furthest = Moment(microseconds: 1 << 53)
        #expect(
            playback.decide(next: furthest, isEvent: true, at: .zero)
                == .wait(until: Moment(microseconds: 1_000_000_000_000_000)))
    }
}

@Suite("Key commands of a replay") struct PlayKeyTests {
    private func keys(_ text: String) -> [TerminalKey] {
        var decoder = TerminalKeyDecoder()
        return (decoder.inputs(in: Array(text.utf8)) + decoder.flush()).compactMap {
            if case .key(let key) = $0 { key } else { nil }
        }
    }

    private func press(_ text: String, _ control: inout ReplayKeys) -> [ReplayKeys.Command] {
        keys(text).compactMap { control.press($0) }
    }

    @Test("Keys are commands, and three of them open a prompt")
    func commands() {
        var control = ReplayKeys()
        #expect(press(" .,[]?q", &control) == [.togglePause, .step, .stepBack, .previousMark, .nextMark, .help, .quit])
        #expect(press("\u{1B}[1;2D", &control) == [.move(.seconds(-60))])
        #expect(press("g+5m\u{7F}s", &control) == [])
        #expect(control.question == "go to (+90s, n:812, mark:NAME, 2026-01-02T14:03:22Z): +5s")
        #expect(press("\r", &control) == [.goTo("+5s")])
        #expect(control.question == nil)
        #expect(press("m\r", &control) == [.mark("mark")])
        // In a prompt letters are text, and escape closes it.
        #expect(press("/q", &control) == [])
        #expect(press("\u{1B}", &control) == [])
        #expect(press("q", &control) == [.quit])
    }

    @Test("An empty search repeats the previous one")
    func searchOn() {
        var control = ReplayKeys()
        #expect(press("/\r", &control) == [])
        #expect(press("/a.c\r/\r", &control) == [.search("a.c"), .search("a.c")])
    }

    @Test("The length of a typed answer is limited")
    func longAnswer() {
        var control = ReplayKeys()
        #expect(
            press("/" + String(repeating: "x", count: 1000) + "\r", &control) == [
                .search(String(repeating: "x", count: 200))
            ])
    }
}
