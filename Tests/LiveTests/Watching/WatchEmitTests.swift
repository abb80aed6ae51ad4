import Testing
import WeirEvents
import WeirJSON
import WeirPipeline
import WeirTerminal
import WeirWire

@testable import WeirLive
@testable import WeirViews

/// Tests sending events from the full-screen view.
@Suite struct WatchEmitTests {
    private func screen(_ change: (inout Watch.Settings) -> Void = { _ in }) -> WatchedScreen {
        var screen = WatchedScreen()
        change(&screen.watch.settings)
        let array = RawJSON(unchecked: Array(#"["ask",1]"#.utf8)[...])
        let event = UntypedEvent(name: "ask", arguments: [RawJSON(unchecked: Array("1".utf8)[...])])
        let report = EventReport(event: .socketIO(event), source: SocketIO.Event(array: array, ackID: 5))
        screen.tell(.reports([StampedReport(stamp: Sample.stamp(3, 0), report: .event(report))]))
        return screen
    }

    @Test func `an event is typed at its prompt`() {
        var screen = screen()
        screen.type(">join 1")
        #expect(screen.text.contains("emit NAME ARG…: join 1"))
        screen.type("\r")
        #expect(screen.effects == [.emit("join 1")])
    }

    @Test func `an event that requests an acknowledgement is marked, answered, and marked as answered`() {
        var screen = screen()
        #expect(screen.text.contains("#5? ask 1"))
        screen.type("a[1]\r")
        #expect(screen.effects == [.answer(5, namespace: "/", "[1]")])
        var emit = Emit(answering: 5, .init())
        emit.name = "ask"
        let report = EmitReport(emit, to: "/")
        screen.tell(.reports([StampedReport(stamp: Sample.stamp(4, 1), report: .emit(report))]))
        #expect(screen.text.contains("#5✓ ask 1") && screen.text.contains("ask #5 answered"))
        screen.type("ga")
        #expect(screen.text.contains("it is already answered"))
    }

    @Test func `nothing is sent in a guarded context or in a replay`() {
        var guarded = screen { $0.silence = "the context is guarded" }
        guarded.type(">")
        #expect(guarded.text.contains("the context is guarded") && guarded.effects.isEmpty)
        var replay = screen { $0.isReplay = true }
        replay.type(">")
        #expect(replay.text.contains("a recording accepts no input"))
    }
}
