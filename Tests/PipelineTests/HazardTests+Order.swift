import Testing
import WeirEvents
import WeirModel
import WeirWire

@testable import WeirPipeline

// Events that arrive twice, late or out of order.
extension HazardTests {
    // MARK: 4

    @Test func `4: identical frames, twins and the answers to a double registration change nothing twice`() {
        var transcript = ready([F.publicRoom, F.feedRoom, F.threadRoom("M1")])
        transcript.settle([("/threads/M1/messages", F.list())])
        let text = F.message("M1", "hi", at: 1000)
        for frame in [
            F.resource("saved", "message", room: F.threadRoom("M1"), text), F.feed("created", text),
            F.feed("created", text),
        ] {
            transcript.receive(frame)
        }
        #expect(transcript.texts(in: messages) == ["hi"])
        let diffs = transcript.diffs.count
        transcript.receive(F.joined(F.feedRoom))
        transcript.receive(F.joined(F.feedRoom))
        #expect(transcript.roomChanges.isEmpty)
        #expect(transcript.requests.isEmpty)
        #expect(transcript.diffs.count == diffs)
    }

    @Test func `4: a reply that comes through its thread's room first is still counted`() {
        var transcript = ready([F.publicRoom, F.feedRoom, F.threadRoom("M1")], feed: [F.head("M1", "head", at: 1000)])
        transcript.settle([("/threads/M1/messages", F.list(F.head("M1", "head", at: 1000)))])
        let reply = F.message("M2", thread: "M1", "reply", at: 2000)
        transcript.receive(F.resource("saved", "message", room: F.threadRoom("M1"), reply))
        transcript.receive(F.feed("created", reply))
        transcript.settle([("/messages/M1", F.one(F.head("M1", "head", at: 1000, replies: 1)))])
        #expect(transcript.replies(to: "M1") == 1)
    }

    // MARK: 5

    @Test func `5: an activity older than the known one changes nothing`() {
        var transcript = ready()
        transcript.receive(F.activity(at: 2000, text: "new"))
        transcript.receive(F.activity(at: 1500, text: "old"))
        #expect(transcript.session.model.elements(in: channels).first?.channel?.lastMessage?.text == "new")
    }

    @Test func `5: the list decides between two activities with the same time`() {
        var transcript = ready()
        transcript.receive(F.activity(at: 2000, text: "second"))
        transcript.receive(F.activity(at: 2000, text: "first"))
        transcript.settle([("/W/channels?", F.list(F.listed(activity: 2000, text: "second")))])
        #expect(transcript.session.model.elements(in: channels).first?.channel?.lastMessage?.text == "second")
    }

    @Test func `5: an answer overtaken by an event brings nothing back`() {
        var transcript = ready(feed: [F.head("M1", "old", at: 1000)])
        reconnect(&transcript, [F.publicRoom, F.feedRoom])
        transcript.receive(F.feed("updated", F.message("M1", "new", at: 1000, updated: 3000)))
        transcript.receive(F.feed("created", F.message("M9", "fresh", at: 4000)))
        transcript.answer("/feed", F.list(F.head("M1", "old", at: 1000)))
        #expect(transcript.texts(in: messages) == ["new", "fresh"])
        transcript.settle([
            ("/feed", F.list(F.head("M1", "new", at: 1000, updated: 3000), F.head("M9", "fresh", at: 4000))),
            ("/W/channels?", F.list(F.listed())),
        ])
        #expect(transcript.texts(in: messages) == ["new", "fresh"])
        #expect(transcript.session.isSettled)
    }

    @Test func `5: a page slower than the answer about one of its messages does not lower the count`() {
        var transcript = ready(feed: [F.head("M1", "head", at: 1000)])
        reconnect(&transcript, [F.publicRoom, F.feedRoom])
        transcript.answer("/W/channels?", F.list(F.listed()))
        transcript.receive(F.feed("created", F.message("M2", thread: "M1", "reply", at: 2000)))
        let reply = F.message("M2", thread: "M1", "reply", at: 2000)
        transcript.answer("/messages/M1", F.one(F.head("M1", "head", at: 1000, replies: 1)))
        transcript.answer("/feed", F.list(F.head("M1", "head", at: 1000, replies: 0)))
        #expect(transcript.replies(to: "M1") == 1)
        transcript.settle([("/feed", F.list(F.head("M1", "head", at: 1000, replies: 1, last: [reply])))])
        #expect(transcript.replies(to: "M1") == 1)
        #expect(transcript.texts(in: .thread(EntityID("M1"))) == ["reply"])
    }

    @Test func `5: the service decides between two versions with the same time`() {
        var transcript = ready(feed: [F.head("M1", "hi", at: 1000)])
        transcript.receive(F.feed("updated", F.message("M1", "b", at: 1000, updated: 2000)))
        transcript.receive(F.feed("updated", F.message("M1", "a", at: 1000, updated: 2000)))
        transcript.settle([("/messages/M1", F.one(F.head("M1", "b", at: 1000, updated: 2000)))])
        #expect(transcript.texts(in: messages) == ["b"])
    }

    @Test func `5: a badge that arrives after its removal is removed by the count`() {
        var transcript = ready([F.publicRoom, F.badgeRoom])
        transcript.receive(F.badge("deleted", thread: "M1"))
        transcript.receive(F.badge("saved", thread: "M1"))
        transcript.settle([("/badges", F.list())])
        #expect(transcript.session.model.elementCount(in: badges) == 0)
    }

    @Test func `5: marking a channel unread moves its marker back in time, and an overtaken marker does not`() {
        var transcript = ready([F.publicRoom, F.privateRoom])
        transcript.receive(F.membership(access: 5000))
        transcript.receive(F.membership(access: 699))
        #expect(
            transcript.session.model.elements(in: channels).first?.channel?.lastAccess?.milliseconds == F.epoch.i64
                + 5000)
        transcript.settle([("/W/channels?", F.list(F.listed(access: 699)))])
        #expect(
            transcript.session.model.elements(in: channels).first?.channel?.lastAccess?.milliseconds == F.epoch.i64
                + 699)
    }

    // MARK: 10

    @Test func `10: a deletion received twice counts once, and one of an unknown message counts nothing`() {
        var transcript = ready(feed: [
            F.head("M1", "head", at: 1000, replies: 1, last: [F.message("M2", thread: "M1", "r", at: 2000)])
        ])
        let gone = F.message("M2", thread: "M1", "Deleted message", at: 2000, updated: 3000, subtype: "deleted")
        for _ in 1...3 { transcript.receive(F.feed("updated", gone)) }
        transcript.settle([("/messages/M1", F.one(F.head("M1", "head", at: 1000, replies: 0)))])
        #expect(transcript.replies(to: "M1") == 0)

        var eraA = ready([F.updatesRoom])
        for _ in 1...3 { eraA.receive(F.update("M2", action: "remove")) }
        #expect(eraA.session.model.count == 0)
        #expect(eraA.requests.isEmpty)
    }

    @Test func `10: a deletion seen in an answer before its event still changes the head's counter`() {
        var transcript = ready(feed: [
            F.head("M1", "head", at: 1000, replies: 1, last: [F.message("M2", thread: "M1", "r", at: 2000)])
        ])
        // A different text with the same time is ambiguous, so the reply is fetched.
        transcript.receive(F.feed("updated", F.message("M2", thread: "M1", "other", at: 2000)))
        let gone = F.message("M2", thread: "M1", "Deleted message", at: 2000, updated: 3000, subtype: "deleted")
        transcript.answer("/messages/M2", F.one(gone))
        transcript.receive(F.feed("updated", gone))
        transcript.settle([("/messages/M1", F.one(F.head("M1", "head", at: 1000, replies: 0)))])
        #expect(transcript.replies(to: "M1") == 0)
    }
}
