import Testing
import WeirEvents
import WeirJSON
import WeirPipeline
import WeirTerminal
import WeirWire

@testable import WeirLive
@testable import WeirViews

/// Tests messages, replies, edits, reactions and deletions from the full-screen view.
@Suite struct WatchWritingTests {
    private let channel = Sample.channel
    private let message = Sample.id(3)

    /// Returns a screen whose last line is the message "hello" in the channel "general".
    private func screen() -> WatchedScreen {
        var screen = WatchedScreen()
        screen.tell(
            .reports([Sample.event(3, "hello", room: "/channels/\(Sample.channel)/feed"), Sample.firstRows(cause: 3)]))
        return screen
    }

    @Test func `a message goes to the channel of the selected line, named in the prompt`() {
        var screen = screen()
        screen.type("chi there")
        #expect(screen.rows[23].hasPrefix("to #general: hi there"))
        screen.effects = []
        screen.press(.enter)
        #expect(screen.effects.contains(.act(.send(channel: channel, thread: nil, text: "hi there"))))
    }

    @Test func `a message is replied to, edited, reacted to, and deleted after a confirmation`() {
        let reference = Action.MessageReference(channel: channel, message: message)
        let cases: [(keys: String, wanted: Action.Operation)] = [
            ("Csure\r", .send(channel: channel, thread: message, text: "sure")),
            ("u!\r", .edit(reference, text: "hello!")), ("+👍 🎉\r", .react(reference, names: ["👍", "🎉"])),
            ("+\r", .react(reference, names: [])), ("Dyes\r", .delete(reference)),
        ]
        for (keys, wanted) in cases {
            var screen = screen()
            screen.type(keys)
            #expect(screen.effects.contains(.act(wanted)), "\(keys)")
        }
        var screen = screen()
        screen.type("Dno\r")
        #expect(screen.effects.isEmpty && screen.text.contains("nothing was deleted"))
    }

    @Test func `a draft is kept after a second and on escape, comes back, and is dropped once sent`() {
        let place = WritingPlace(channel: Sample.channel)
        var screen = screen()
        screen.type("c")
        #expect(screen.effects == [.findDraft(place)])
        screen.tell(.draft(place, "kept "))
        screen.type("and more")
        screen.effects = []
        screen.pass(.seconds(1))
        #expect(screen.effects == [.keepDraft(place, "kept and more")])
        screen.type("!\u{1B}")
        #expect(screen.effects.last == .keepDraft(place, "kept and more!"))
        screen.effects = []
        screen.type("c")
        #expect(screen.rows[23].hasPrefix("to #general: kept and more!"))
        screen.type("\r")
        #expect(
            screen.effects == [
                .act(.send(channel: channel, thread: nil, text: "kept and more!")), .keepDraft(place, nil),
            ])
        screen.pass(.seconds(2))
        #expect(screen.effects.count == 2)
    }

    @Test func `a draft that arrives late does not replace newer text`() {
        var screen = screen()
        screen.type("cnew")
        screen.tell(.draft(WritingPlace(channel: Sample.channel), "old"))
        #expect(screen.rows[23].hasPrefix("to #general: new"))
    }

    @Test func `the chat mode shows only messages, and then everything again`() {
        var screen = screen()
        screen.tell(.reports([Sample.event(4, "an event only", room: "beta")]))
        screen.type("M")
        #expect(screen.text.contains("#general") && screen.text.contains("Anna: hello"))
        #expect(!screen.text.contains("an event only") && !screen.text.contains("+ channel"))
        screen.type("M")
        #expect(screen.text.contains("an event only") && screen.text.contains("+ channel"))
    }

    @Test func `nothing is written in a replay, in a guarded context, or without a selected channel`() {
        var replay = screen()
        replay.watch.settings.isReplay = true
        replay.type("c")
        #expect(replay.text.contains("a recording accepts no input") && replay.effects.isEmpty)
        var guarded = screen()
        guarded.watch.settings.silence = "the context is guarded"
        guarded.type("D")
        #expect(guarded.text.contains("the context is guarded"))
        var empty = WatchedScreen()
        empty.type("c")
        #expect(empty.text.contains("select a line of a channel"))
        empty.type("u")
        #expect(empty.text.contains("select a message"))
    }

    @Test func `the title row shows the selection, by name if the model has it`() throws {
        var screen = screen()
        let ids = #"{"company":"\#(Sample.id(1))","company_name":"Acme","channel":"\#(Sample.channel)"}"#
        screen.tell(.selected(try JSONValue(parsing: Array(ids.utf8)[...])))
        #expect(screen.rows[0].contains("  Acme / #general"))
        screen.tell(.selected(.object([])))
        #expect(!screen.rows[0].contains("Acme"))
        // Without a selected line, messages go to the selected channel.
        var empty = WatchedScreen()
        empty.tell(.selected(try JSONValue(parsing: Array(ids.utf8)[...])))
        empty.type("chi\r")
        #expect(empty.effects.contains(.act(.send(channel: Sample.channel, thread: nil, text: "hi"))))
    }
}
