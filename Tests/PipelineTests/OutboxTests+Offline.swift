import Testing
import WeirEvents
import WeirJSON
import WeirModel
import WeirWire

@testable import WeirPipeline

// Actions that wait for a connection, and those that outlive the process.
extension OutboxTests {
    // MARK: Offline

    @Test func `without a connection messages wait, and each is sent once after a reconnect`() {
        var transcript = Transcript.acting()
        transcript.cut()
        transcript.send("A1", "one")
        transcript.send("A2", "two")
        #expect(transcript.calls == [])
        #expect(transcript.shown == ["first", "one?", "two?"])
        transcript.pass(.seconds(10))
        transcript.authenticate()
        #expect(transcript.calls == ["POST \(threads)"])
        transcript.answer("/threads", Transcript.thread(Transcript.message("M1", "one", at: 9), id: "M1"))
        transcript.answer("/threads", Transcript.thread(Transcript.message("M2", "two", at: 10), id: "M2"))
        #expect(transcript.shown == ["first", "one", "two"])
        #expect(!transcript.calls.contains { $0.hasPrefix("POST") })
    }

    @Test func `a request that never left is sent again later, without a lookup`() {
        var transcript = Transcript.acting()
        transcript.send("A1", "hello")
        transcript.fail("/threads", kind: "connect")
        #expect(transcript.actions == ["A1 delayed no answer"])
        #expect(transcript.calls == [])
        transcript.pass(.seconds(1))
        #expect(transcript.actions == ["A1 sending 2"])
        #expect(transcript.calls == ["POST \(threads)"])
    }

    @Test func `a message with a lost answer and a received echo is not sent again`() {
        var transcript = Transcript.acting()
        transcript.send("A1", "hello")
        transcript.tell("created", Transcript.message("M1", "hello", at: 9))
        transcript.fail("/threads", kind: "timeout")
        transcript.pass(.seconds(60))
        #expect(transcript.calls == [])
        #expect(transcript.shown == ["first", "hello"])
        #expect(transcript.session.pendingActions.isEmpty)
    }

    @Test func `an echo after a lost answer settles the message`() {
        var transcript = Transcript.acting()
        transcript.send("A1", "hello")
        transcript.fail("/threads", kind: "lost")
        #expect(transcript.shown == ["first", "hello?"])
        transcript.tell("created", Transcript.message("M1", "hello", at: 9))
        #expect(transcript.actions == ["A1 done M1"])
        #expect(transcript.shown == ["first", "hello"])
    }

    @Test func `a message in doubt is looked up before it is sent again`() {
        var transcript = Transcript.acting()
        transcript.send("A1", "hello")
        transcript.fail("/threads", kind: "timeout")
        transcript.pass(.seconds(1))
        #expect(transcript.calls.count == 1 && transcript.calls[0].contains("/feed?"))
        transcript.answer("/feed", Transcript.feed([Transcript.message("M0", "first", at: 1)]))
        #expect(transcript.calls == ["POST \(threads)"])
        transcript.fail("/threads", kind: "timeout")
        transcript.pass(.seconds(2))
        transcript.answer(
            "/feed",
            Transcript.feed([Transcript.message("M0", "first", at: 1), Transcript.message("M1", "hello", at: 9)])
        )
        #expect(transcript.actions == ["A1 done M1"])
        #expect(transcript.calls == [])
        #expect(transcript.shown == ["first", "hello"])
    }

    @Test func `an older message with the same text is not taken for the one in doubt`() {
        var transcript = Transcript.acting()
        transcript.send("A1", "first")
        transcript.fail("/threads", kind: "timeout")
        transcript.pass(.seconds(1))
        transcript.answer("/feed", Transcript.feed([Transcript.message("M0", "first", at: 1)]))
        #expect(transcript.calls == ["POST \(threads)"])
    }

    @Test func `a busy server determines the delay before the retry`() {
        var transcript = Transcript.acting()
        transcript.send("A1", "hello")
        let request = transcript.requests.removeFirst()
        transcript.feed(.answered(request: request.id, .response(status: 429, body: [], retryAfter: 20)))
        transcript.pass(.seconds(19))
        #expect(transcript.calls == [])
        transcript.pass(.seconds(1))
        #expect(transcript.calls == ["POST \(threads)"])
    }

    @Test(arguments: [(asked: 120, heeded: 120), (999_999_999, 300)])
    func `a server that asks an action for a long wait is obeyed up to a limit, and the wait is reported`(
        asked: Int, heeded: Int
    ) throws {
        var transcript = Transcript.acting()
        transcript.send("A1", "hello")
        let request = transcript.requests.removeFirst()
        transcript.feed(.answered(request: request.id, .response(status: 429, body: [], retryAfter: asked)))
        let notice = try #require(transcript.notices.first { $0.hasPrefix("the action send waits \(heeded) s: ") })
        #expect(notice.contains("the server requests \(asked) s (Retry-After)"))
        #expect(notice.contains("of which 300 s are heeded (--max-retry-after)") == (asked > heeded))
        #expect(transcript.waits == [.seconds(heeded)])
        // The connection stays alive meanwhile.
        transcript.idle(heeded - 1)
        #expect(!transcript.calls.contains("POST \(threads)"))
        transcript.pass(.seconds(1))
        #expect(transcript.calls.contains("POST \(threads)"))
    }

    @Test func `an action that the server keeps failing is given up after some attempts`() {
        var transcript = Transcript.acting()
        let message = Action.MessageReference(channel: Transcript.channel, message: EntityID("M0"))
        transcript.act("A1", .delete(message))
        for _ in 1..<Session.maximumActionAttempts {
            transcript.answer("/delete", status: 503, "")
            transcript.pass(.seconds(30))
            transcript.receive("2")
        }
        #expect(transcript.shown == ["first-"])
        transcript.answer("/delete", status: 503, "")
        #expect(transcript.actions == ["A1 refused 503 HTTP status 503"])
        #expect(transcript.shown == ["first"])
    }

    @Test func `an expired token is renewed once for all actions, and the message is sent with the new one`() {
        var transcript = Transcript.acting()
        transcript.send("A1", "one")
        transcript.act("A2", .markRead(channel: EntityID("#nowhere")))
        transcript.answer("/threads", status: 401, #"{"message":"Bad credentials"}"#)
        let renewals = transcript.effects.count { if case .renewToken = $0 { true } else { false } }
        #expect(renewals == 1)
        transcript.feed(.tokenRenewed(changed: true))
        #expect(transcript.calls.contains("POST \(threads)"))
        transcript.answer("/threads", status: 401, #"{"message":"Bad credentials"}"#)
        transcript.feed(.tokenRenewed(changed: false))
        #expect(transcript.actions.contains("A1 refused 401 the token was refused"))
    }

    // MARK: Restored actions

    @Test func `every action reads back as written`() throws {
        let message = Action.MessageReference(
            channel: EntityID("CH"), message: EntityID("M"), thread: EntityID("T"))
        let operations: [Action.Operation] = [
            .send(channel: EntityID("CH"), thread: nil, text: "a \"b\" \u{1F600}"),
            .send(channel: EntityID("#General"), thread: EntityID("T"), text: ""),
            .edit(message, text: "x"), .react(message, names: [":heart:", "❤️"]), .react(message, names: []),
            .delete(message), .markRead(channel: EntityID("CH")),
            .createChannel(.init(kind: .private, name: "n", icon: "📄", description: "d", members: [EntityID("U2")])),
            .editChannel(channel: EntityID("CH"), .init(name: "n", description: "", visibility: .private)),
            .deleteChannel(channel: EntityID("CH")), .addMember(channel: EntityID("CH"), user: EntityID("U2")),
            .removeMember(channel: EntityID("CH"), user: EntityID("U2")),
            .createWorkspace(name: "w", members: ["a@example.org"]),
            .changeWorkspace(EntityID("W"), .addMember("a@example.org")),
            .changeWorkspace(EntityID("W"), .removeMember(EntityID("U"))),
            .changeWorkspace(EntityID("W"), .rename("n")), .changeWorkspace(EntityID("W"), .delete),
            .changeAccount(.language("fr")), .changeAccount(.status("out", icon: "🍜")),
        ]
        for operation in operations {
            let action = Action(id: EntityID("A"), operation, asked: Timestamp(milliseconds: 5))
            var writer = JSONWriter()
            action.encode(into: &writer)
            #expect(Action(try JSONValue(parsing: writer.bytes[...])) == action)
        }
        for text in [
            "{}", "[]", #"{"id":"A","asked":1,"do":"send"}"#, #"{"id":"A","asked":1,"do":"fly","channel":"C"}"#,
        ] {
            #expect(Action(try JSONValue(parsing: Array(text.utf8)[...])) == nil)
        }
    }

    @Test func `a message in progress when the process ended is looked up first`() throws {
        var before = Transcript.acting()
        before.send("A1", "one")
        before.send("A2", "two")
        let kept = try before.session.pendingActions.map { entry in
            var writer = JSONWriter()
            entry.encode(into: &writer)
            return try #require(OutboxEntry(try JSONValue(parsing: writer.bytes[...])))
        }
        #expect(kept.map(\.isInDoubt) == [true, false])
        #expect(kept.map(\.attempts) == [1, 0])
        var after = Transcript.acting()
        after.feed(.restoreOutbox(kept))
        #expect(after.shown == ["first", "one?", "two?"])
        #expect(after.calls.count == 1 && after.calls[0].contains("/feed?"))
        after.answer(
            "/feed",
            Transcript.feed([Transcript.message("M0", "first", at: 1), Transcript.message("M1", "one", at: 9)]))
        #expect(after.actions == ["A1 done M1", "A2 sending 1"])
        #expect(after.shown == ["first", "one", "two?"])
    }

    @Test func `an echo that the store already has settles a message in progress`() throws {
        var before = Transcript.acting()
        before.send("A1", "one")
        let kept = before.session.pendingActions
        var after = Transcript.acting()
        after.tell("created", Transcript.message("M1", "one", at: 9))
        after.feed(
            .restoreOutbox(
                kept.map { entry in
                    var entry = entry
                    entry.isInDoubt = true
                    entry.state = .queued
                    return entry
                }))
        #expect(after.actions == ["A1 queued", "A1 done M1"])
        #expect(after.calls == [])
    }
}
