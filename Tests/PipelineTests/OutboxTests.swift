import Testing
import WeirEvents
import WeirModel
import WeirWire

@testable import WeirPipeline

@Suite struct OutboxTests {
    let threads = "/internal/services/messages/v1/companies/C/threads"

    // MARK: A message

    @Test func `a message is shown at once, and settled by the answer in one batch`() {
        var transcript = Transcript.acting()
        transcript.send("A1", "hello")
        #expect(transcript.shown == ["first", "hello?"])
        #expect(transcript.actions == ["A1 queued", "A1 sending 1"])
        #expect(transcript.calls == ["POST \(threads)"])
        let before = transcript.diffs.count
        transcript.answer("/threads", Transcript.thread(Transcript.message("M1", "hello", at: 9), id: "M1"))
        #expect(transcript.actions == ["A1 done M1"])
        #expect(transcript.shown == ["first", "hello"])
        #expect(transcript.diffs.count == before + 1)
        #expect(transcript.diffs.last?.batch.deletions.map(\.element.id) == [.message(EntityID("A1"))])
        #expect(transcript.diffs.last?.batch.insertions.map(\.element.id) == [.message(EntityID("M1"))])
        #expect(transcript.session.pendingActions.isEmpty)
    }

    @Test func `an echo after the answer changes nothing`() {
        var transcript = Transcript.acting()
        transcript.send("A1", "hello")
        transcript.answer("/threads", Transcript.thread(Transcript.message("M1", "hello", at: 9), id: "M1"))
        let before = transcript.diffs.count
        transcript.tell("created", Transcript.message("M1", "hello", at: 9))
        transcript.tell("created", Transcript.message("M1", "hello", at: 9))
        #expect(transcript.shown == ["first", "hello"])
        #expect(transcript.diffs.count == before)
    }

    @Test func `an echo before the answer replaces the pending row`() {
        var transcript = Transcript.acting()
        transcript.send("A1", "hello")
        transcript.tell("created", Transcript.message("M1", "hello", at: 9))
        #expect(transcript.shown == ["first", "hello"])
        let before = transcript.diffs.count
        transcript.answer("/threads", Transcript.thread(Transcript.message("M1", "hello", at: 9), id: "M1"))
        #expect(transcript.shown == ["first", "hello"])
        #expect(transcript.diffs.count == before)
        #expect(transcript.actions == ["A1 done M1"])
    }

    @Test func `the same text from another device is a different message`() {
        var transcript = Transcript.acting()
        transcript.send("A1", "hello")
        transcript.tell("created", Transcript.message("M8", "hello", at: 8))
        #expect(transcript.shown == ["first", "hello"])
        transcript.answer("/threads", Transcript.thread(Transcript.message("M9", "hello", at: 9), id: "M9"))
        #expect(transcript.shown == ["first", "hello", "hello"])
        transcript.tell("created", Transcript.message("M9", "hello", at: 9))
        #expect(transcript.shown == ["first", "hello", "hello"])
    }

    @Test func `with a client id in messages, the same text from another device is recognised at once`() {
        var transcript = Transcript.acting()
        func own(_ id: String, _ action: String, at: Int) -> String {
            Transcript.message(id, "hello", at: at)
                .replacing(#""blocks""#, with: #""context":{"client_id":"\#(action)"},"blocks""#)
        }
        transcript.send("A1", "hello")
        transcript.answer("/threads", Transcript.thread(own("M1", "A1", at: 5), id: "M1"))
        transcript.send("A2", "hello")
        transcript.tell("created", Transcript.message("M8", "hello", at: 8))
        #expect(transcript.shown == ["first", "hello", "hello", "hello?"])
        transcript.fail("/threads", kind: "lost")
        #expect(transcript.actions == ["A2 delayed no answer"])
        transcript.tell("created", own("M9", "A2", at: 9))
        #expect(transcript.actions == ["A2 done M9"])
        #expect(transcript.shown == ["first", "hello", "hello", "hello"])
    }

    @Test func `the same text from another user or in another thread is not an echo`() {
        var transcript = Transcript.acting()
        transcript.send("A1", "hello")
        transcript.tell("created", Transcript.message("M8", "hello", at: 8, user: "U2"))
        transcript.tell("created", Transcript.message("M9", "hello", at: 9, thread: "M0"))
        #expect(transcript.shown == ["first", "hello", "hello?"])
    }

    @Test func `a reply is shown in its thread`() {
        var transcript = Transcript.acting()
        transcript.send("A1", "yes", thread: "M0")
        #expect(transcript.calls == ["GET \(threads)/M0/messages?limit=1000&include_users=1"])
        transcript.answer("/messages?", Transcript.feed([Transcript.message("M0", "first", at: 1)]))
        #expect(transcript.calls == ["POST \(threads)/M0/messages"])
        let thread = Item.Section("thread", EntityID("M0"))
        #expect(transcript.session.model.elements(in: thread).map(\.delivery) == [.pending])
        transcript.answer(
            "/messages", #"{"resource":\#(Transcript.message("M1", "yes", at: 9, thread: "M0"))}"#)
        #expect(transcript.session.model.elements(in: thread).map(\.id) == [.message(EntityID("M1"))])
    }

    // MARK: Order

    @Test func `messages of one channel are sent one after the other, in order`() {
        var transcript = Transcript.acting()
        transcript.send("A1", "one")
        transcript.send("A2", "two")
        transcript.send("A3", "three")
        #expect(transcript.shown == ["first", "one?", "two?", "three?"])
        for (index, text) in ["one", "two", "three"].enumerated() {
            #expect(transcript.calls.count == 1)
            #expect(String(decoding: transcript.requests[0].body, as: UTF8.self).contains(#""text":"\#(text)""#))
            transcript.answer(
                "/threads", Transcript.thread(Transcript.message("M\(index + 1)", text, at: 10 + index), id: "M1"))
        }
        #expect(transcript.shown == ["first", "one", "two", "three"])
    }

    @Test func `channels do not wait for each other, and a limited number are in progress`() {
        var outbox = Outbox()
        for index in 1...6 {
            let send = Action.Operation.send(channel: EntityID("C\(index)"), thread: nil, text: "x")
            let isTaken = outbox.add(Action(id: EntityID("A\(index)"), send, asked: Timestamp(milliseconds: 0)))
            #expect(isTaken)
        }
        let ready = outbox.ready()
        #expect(ready == (1...Outbox.concurrency).map { EntityID("A\($0)") })
        for (index, id) in ready.enumerated() { outbox.send(id, request: index + 1, baseline: nil) }
        #expect(outbox.ready() == [])
        let answered = outbox.answered(1)
        #expect(answered == ready[0])
        outbox.finish(ready[0], subject: nil)
        #expect(outbox.ready() == [EntityID("A5")])
    }

    @Test func `the same text sent twice is two messages`() {
        var transcript = Transcript.acting()
        transcript.send("A1", "ok")
        transcript.send("A2", "ok")
        transcript.answer("/threads", Transcript.thread(Transcript.message("M1", "ok", at: 10), id: "M1"))
        transcript.tell("created", Transcript.message("M1", "ok", at: 10))
        #expect(transcript.shown == ["first", "ok", "ok?"])
        transcript.tell("created", Transcript.message("M2", "ok", at: 11))
        #expect(transcript.shown == ["first", "ok", "ok"])
        transcript.answer("/threads", Transcript.thread(Transcript.message("M2", "ok", at: 11), id: "M2"))
        #expect(transcript.shown == ["first", "ok", "ok"])
        #expect(transcript.session.pendingActions.isEmpty)
    }

    @Test func `an edit of a pending message is sent after it, with its real id`() {
        var transcript = Transcript.acting()
        transcript.send("A1", "helo")
        transcript.act("A2", .edit(.init(channel: Transcript.channel, message: EntityID("A1")), text: "hello"))
        #expect(transcript.shown == ["first", "hello?"])
        transcript.answer("/threads", Transcript.thread(Transcript.message("M1", "helo", at: 9), id: "M1"))
        #expect(transcript.calls == ["POST \(threads)/M1/messages/M1"])
        #expect(transcript.shown == ["first", "hello?"])
        transcript.answer("/M1", #"{"resource":\#(Transcript.message("M1", "hello", at: 9, updated: 12))}"#)
        #expect(transcript.shown == ["first", "hello"])
    }

    @Test func `an action on a just-sent message applies to the message it became`() {
        var transcript = Transcript.acting()
        transcript.send("A1", "helo")
        transcript.answer("/threads", Transcript.thread(Transcript.message("M1", "helo", at: 9), id: "M1"))
        // The user saw the pending row.
        transcript.act("A2", .edit(.init(channel: Transcript.channel, message: EntityID("A1")), text: "hello"))
        #expect(transcript.shown == ["first", "hello?"])
        #expect(transcript.calls == ["POST \(threads)/M1/messages/M1"])
        transcript.answer("/M1", #"{"resource":\#(Transcript.message("M1", "hello", at: 9, updated: 12))}"#)
        #expect(transcript.shown == ["first", "hello"])
    }

    @Test func `the last thousand completed actions are remembered`() {
        var outbox = Outbox()
        func action(_ id: String, _ operation: Action.Operation) -> Action {
            Action(id: EntityID(id), operation, asked: Timestamp(milliseconds: 0))
        }
        for number in 0...Outbox.limit {
            let send = action("A\(number)", .send(channel: Transcript.channel, thread: nil, text: ""))
            _ = outbox.add(send)
            outbox.finish(send.id, subject: EntityID("M\(number)"))
        }
        for (name, subject) in [("A0", "A0"), ("A1", "M1"), ("A1000", "M1000")] {
            func deletion(_ id: String) -> Action.Operation {
                .delete(.init(channel: Transcript.channel, message: EntityID(id)))
            }
            _ = outbox.add(action("D" + name, deletion(name)))
            #expect(outbox.entries.last?.action.operation == deletion(subject))
        }
    }

    // MARK: Refusals

    @Test func `a refused message stays and is marked refused until it is sent again or dropped`() {
        var transcript = Transcript.acting()
        transcript.send("A1", "hello")
        transcript.answer(
            "/threads", status: 500,
            #"{"statusCode":500,"error":"Internal Server Error","message":"Can't write this message."}"#)
        #expect(transcript.actions == ["A1 refused 500 Can't write this message."])
        #expect(transcript.shown == ["first", "hello!"])
        #expect(transcript.session.pendingActions.map(\.failure) == ["Can't write this message."])
        transcript.feed(.retryAction(EntityID("A1")))
        #expect(transcript.shown == ["first", "hello?"])
        transcript.answer("/threads", status: 403, #"{"statusCode":403,"message":"Forbidden"}"#)
        #expect(transcript.shown == ["first", "hello!"])
        transcript.feed(.dropAction(EntityID("A1")))
        #expect(transcript.actions == ["A1 dropped"])
        #expect(transcript.shown == ["first"])
        #expect(transcript.session.pendingActions.isEmpty)
    }

    @Test func `an action on a refused message is refused with it`() {
        var transcript = Transcript.acting()
        transcript.send("A1", "helo")
        transcript.act("A2", .edit(.init(channel: Transcript.channel, message: EntityID("A1")), text: "hello"))
        transcript.send("A3", "more")
        transcript.answer("/threads", status: 400, #"{"message":"no"}"#)
        #expect(
            transcript.actions == [
                "A1 refused 400 no", "A2 refused its target was not created: no", "A3 sending 1",
            ])
        #expect(transcript.shown == ["first", "helo!", "more?"])
    }

    @Test func `a refused edit is rolled back to the server's current version`() {
        var transcript = Transcript.acting()
        let message = Action.MessageReference(channel: Transcript.channel, message: EntityID("M0"))
        transcript.act("A1", .edit(message, text: "FIRST"))
        #expect(transcript.shown == ["FIRST?"])
        transcript.tell(
            "updated",
            Transcript.message("M0", "first of all", at: 1, updated: 5)
        )
        #expect(transcript.shown == ["FIRST?"])
        transcript.answer("/messages/M0", status: 403, #"{"message":"not yours"}"#)
        #expect(transcript.shown == ["first of all"])
        #expect(transcript.session.pendingActions.isEmpty)
    }

    // MARK: Bounds

    @Test func `a full outbox refuses`() {
        var transcript = Transcript.acting()
        transcript.cut()
        // All but one are restored from a store, since each new action looks at all pending ones.
        let kept = (1..<Outbox.limit).map { index in
            let send = Action.Operation.send(channel: Transcript.channel, thread: nil, text: "x")
            return OutboxEntry(Action(id: EntityID("A\(index)"), send, asked: Timestamp(milliseconds: 5)))
        }
        transcript.feed(.restoreOutbox(kept))
        transcript.send("A", "x")
        #expect(transcript.actions == ["A queued"])
        transcript.send("B", "x")
        #expect(transcript.actions.count == 1 && transcript.actions[0].hasPrefix("B refused"))
        #expect(transcript.session.pendingActions.count == Outbox.limit)
    }

    @Test func `messages are not watched while no action is pending`() {
        var transcript = Transcript.acting()
        transcript.send("A1", "hello")
        #expect(transcript.session.context.watchesMessages)
        transcript.answer("/threads", Transcript.thread(Transcript.message("M1", "hello", at: 9), id: "M1"))
        #expect(!transcript.session.context.watchesMessages)
        #expect(transcript.session.overlay.isEmpty)
        transcript.tell("created", Transcript.message("M2", "x", at: 10))
        #expect(transcript.session.context.newMessages.isEmpty)
    }
}
