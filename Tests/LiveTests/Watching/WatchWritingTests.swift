import Events
import JSONText
import Pipeline
import Terminal
import Testing
import Wire

@testable import Live

/// Messages, replies, edits, reactions and deletions from the full-screen view.
@Suite struct WatchWritingTests {
    private let channel = Sample.channel
    private let message = Sample.id(3)

    /// A screen whose last line is the message "hello" of the channel "general".
    private func screen() -> WatchedScreen {
        var screen = WatchedScreen()
        screen.tell(
            .reports([Sample.event(3, "hello", room: "/channels/\(Sample.channel)/feed"), Sample.firstRows(cause: 3)]))
        return screen
    }

    @Test func `what is typed goes to the channel of the selected line, whose name stands before it`() {
        var screen = screen()
        screen.type("chi there")
        #expect(screen.rows[23].hasPrefix("to #general: hi there"))
        screen.effects = []
        screen.press(.enter)
        #expect(screen.effects.contains(.act(.send(channel: channel, thread: nil, text: "hi there"))))
    }

    @Test func `a message is replied to, edited, reacted to, and deleted when one says yes`() {
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

    @Test func `what is typed is kept after a second and when it is left, comes back, and is dropped once it is sent`()
    {
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

    @Test func `a draft that comes late does not replace what was typed meanwhile`() {
        var screen = screen()
        screen.type("cnew")
        screen.tell(.draft(WritingPlace(channel: Sample.channel), "old"))
        #expect(screen.rows[23].hasPrefix("to #general: new"))
    }

    @Test func `messages alone are shown, as a chat, and then everything again`() {
        var screen = screen()
        screen.tell(.reports([Sample.event(4, "an event only", room: "beta")]))
        screen.type("M")
        #expect(screen.text.contains("#general") && screen.text.contains("Anna: hello"))
        #expect(!screen.text.contains("an event only") && !screen.text.contains("+ channel"))
        screen.type("M")
        #expect(screen.text.contains("an event only") && screen.text.contains("+ channel"))
    }

    @Test func `nothing is written to a recording, in a guarded context, or where no channel is looked at`() {
        var replay = screen()
        replay.watch.settings.isReplay = true
        replay.type("c")
        #expect(replay.text.contains("a recording cannot be spoken to") && replay.effects.isEmpty)
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

    @Test func `the title row says what is selected, by name where the model has it`() throws {
        var screen = screen()
        let ids = #"{"company":"\#(Sample.id(1))","company_name":"Acme","channel":"\#(Sample.channel)"}"#
        screen.tell(.selected(try JSONValue(parsing: Array(ids.utf8)[...])))
        #expect(screen.rows[0].contains("  Acme / #general"))
        screen.tell(.selected(.object([])))
        #expect(!screen.rows[0].contains("Acme"))
        // Without a line of its own, the selected channel is written to.
        var empty = WatchedScreen()
        empty.tell(.selected(try JSONValue(parsing: Array(ids.utf8)[...])))
        empty.type("chi\r")
        #expect(empty.effects.contains(.act(.send(channel: Sample.channel, thread: nil, text: "hi"))))
    }
}
