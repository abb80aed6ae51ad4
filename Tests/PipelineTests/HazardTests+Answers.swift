import Testing
import WeirEvents
import WeirModel
import WeirWire

@testable import WeirPipeline

// Missing, excessive, unknown and abandoned things, and pages that are not simple lists.
extension HazardTests {
    // MARK: 6

    @Test(arguments: [404, 410]) func `6: a missing message counts as an answer when it is fetched`(status: Int) {
        var transcript = ready([F.updatesRoom], feed: [])
        transcript.receive(F.update("M1"))
        transcript.refuse("message_id=M1", status: status)
        #expect(transcript.texts(in: messages).isEmpty)
        transcript.settle([("/messages", "[]")])
        #expect(transcript.session.isSettled)
        #expect(transcript.notices.isEmpty)
    }

    @Test func `6: a message that the service fails on is given up, and the page is authoritative`() {
        var transcript = Transcript.ready(rooms: [F.updatesRoom], company: "C", workspace: "W")
        transcript.settle([("/messages", "[\(F.proxyMessage("M1", "hi", at: 1000))]")])
        transcript.receive(F.update("M1"))
        for _ in 1...6 {
            transcript.refuse("message_id=M1", status: 500)
            transcript.pass(.seconds(31))
        }
        transcript.settle([("/messages", "[]")])
        #expect(transcript.texts(in: messages).isEmpty)
        #expect(transcript.session.isSettled)
    }

    @Test func `6: a missing channel is removed when the list omits it, and not before`() {
        var transcript = ready(feed: [F.head("M1", "hi", at: 1000)])
        reconnect(&transcript, [F.publicRoom, F.feedRoom])
        transcript.answer("/W/channels?", F.list(F.listed()))
        transcript.refuse("/feed", status: 404)
        #expect(transcript.ids(in: channels) == ["CH"])
        transcript.settle([("/W/channels?", F.list())])
        #expect(transcript.session.model.count == 0)
    }

    @Test func `6: an ephemeral message, which cannot be fetched, changes nothing`() {
        var transcript = ready()
        transcript.receive(
            F.feed("created", #"{"thread_id":"T","ephemeral":{"id":"e","version":"1","recipient":"U1"},"text":"x"}"#))
        transcript.receive(
            F.feed("updated", #"{"id":"GONE","thread_id":"GONE","subtype":"deleted","text":""}"#))
        #expect(transcript.requests.isEmpty)
        #expect(transcript.session.model.elementCount(in: messages) == 0)
        #expect(transcript.undecodable.isEmpty)
    }

    // MARK: 7

    @Test func `7: a burst causes one request for each resource, and never more than eight at once`() {
        var transcript = ready()
        for index in 1...100 {
            transcript.receive(
                F.feed("created", F.message("R\(index)", thread: "T\(index % 30)", "x", at: 1000 + index)))
        }
        #expect(transcript.requests.count == 8)
        var targets: [String] = []
        while let next = transcript.requests.first {
            targets.append(next.target)
            transcript.refuse(next.target, status: 404)
            #expect(transcript.requests.count <= 8)
            if targets.count > 100 { break }
        }
        #expect(targets.count >= 30)
    }

    @Test func `7: replies of one thread that are fetched concurrently are fetched once each`() {
        var transcript = ready([F.updatesRoom])
        for index in 1...8 { transcript.receive(F.update("R\(index)", thread: "M1")) }
        var asked = 0
        while let next = transcript.requests.first, asked < 100 {
            asked += 1
            let reply = (1...8).first { next.target.contains("message_id=R\($0)") }.map {
                F.proxyMessage("R\($0)", thread: "M1", "reply \($0)", at: 2000 + $0)
            }
            transcript.answer(next.target, "[\(reply ?? F.proxyMessage("M1", "head", at: 1000, replies: 8))]")
        }
        #expect(transcript.replies(to: "M1") == 8)
        // Each notice overtakes the requests in flight for the thread, so a reply may be fetched twice.
        #expect(asked <= 18)
    }

    // MARK: 8

    @Test(arguments: [
        #"42["realtime:resource",{"action":"saved","room":"ROOM","type":"channel","path":null,"resource":[]}]"#,
        #"42["realtime:resource",{"action":"saved","room":"ROOM","type":"nonsense","path":"/","resource":{"x":1}}]"#,
        #"42["realtime:resource",{"action":"sparkled","room":"ROOM","type":"channel","path":"/","resource":{"x":1}}]"#,
        #"42["realtime:resource",{"action":"saved","room":"ROOM","type":"channel","resource":{}}]"#,
        #"42["realtime:resource",{}]"#, #"42["realtime:resource"]"#, #"42["realtime:event",{"name":"ROOM","data":7}]"#,
        #"42["message","to everybody"]"#, #"42["realtime:event",{"name":"ROOM","data":{"type":"x"}}]"#,
        #"42["realtime:resource",{"action":"updated","room":"ROOM","type":"channel_activity","path":null,"resource":{"company_id":"C","workspace_id":"W","id":"CH","last_activity":null,"last_message":{},"new":[1]}}]"#,
    ])
    func `8: an unknown or malformed frame is shown, and the next frame is handled`(frame: String) {
        var transcript = ready()
        transcript.receive(frame.replacing("ROOM", with: F.publicRoom))
        transcript.settle([("/W/channels?", F.list(F.listed()))])
        transcript.receive(F.resource("saved", "channel", room: F.publicRoom, F.channel(name: "Next", updated: 9000)))
        #expect(transcript.session.model.elements(in: channels).first?.channel?.name == "Next")
    }

    @Test func `8: an unknown action refetches the subject of the room`() {
        var transcript = ready()
        transcript.receive(F.resource("merged", "channel", room: F.publicRoom, F.channel(name: "?")))
        transcript.settle([("/W/channels?", F.list(F.listed(name: "True", updated: 200)))])
        #expect(transcript.session.model.elements(in: channels).first?.channel?.name == "True")
    }

    // MARK: 9

    @Test func `9: frames and answers of a room that was left change nothing, and its rows are gone`() {
        var transcript = ready(feed: [F.head("M1", "hi", at: 1000)])
        transcript.receive(F.feed("created", F.message("R", thread: "M1", "reply", at: 2000)))
        let late = transcript.requests
        transcript.feed(.unwant(rooms: [F.feedRoom]))
        transcript.receive(F.feed("created", F.message("LATE", "late", at: 3000)))
        for request in late {
            transcript.feed(
                .answered(
                    request: request.id,
                    .response(status: 200, body: ArraySlice(F.one(F.head("M1", "hi", at: 1)).utf8), retryAfter: nil)))
        }
        #expect(transcript.session.model.elementCount(in: messages) == 0)
        #expect(transcript.session.isSettled)
    }

    @Test func `9: era A's list of rooms is a snapshot: the room of an unlisted channel is left`() {
        var transcript = Transcript(Configuration(backend: .twake, revision: .v4, company: "C", workspace: "W"))
        transcript.authenticate()
        transcript.settle([
            ("/internal/mobile/user", #"{"id":"U1","username":"u"}"#),
            (
                "/workspace/notifications",
                #"[{"key":"\#(F.publicRoom)","type":"channels_list","id":"public"},{"key":"\#(F.updatesRoom)","type":"channel","id":"CH"}]"#
            ), ("/internal/mobile/channels?", "[]"),
        ])
        #expect(transcript.session.subscriptions.entries.map(\.name) == [F.publicRoom])
    }

    @Test func `9: replies without a head go with their channel, and are looked up while it stays`() {
        var transcript = ready()
        transcript.receive(F.feed("created", F.message("R", thread: "T", "reply", at: 2000)))
        transcript.receive(F.feed("created", F.message("Q", thread: "S", "reply", at: 2000)))
        #expect(transcript.session.model.elementCount(in: .thread(EntityID("T"))) == 1)
        reconnect(&transcript, [F.publicRoom, F.feedRoom])
        transcript.answer("/W/channels?", F.list(F.listed()))
        transcript.settle([("/feed", F.list()), ("/threads/S/messages?", F.list(F.head("S", "head", at: 1)))])
        #expect(transcript.session.model.elementCount(in: .thread(EntityID("T"))) == 0)
        #expect(transcript.session.model.elementCount(in: .thread(EntityID("S"))) == 0)
        transcript.receive(F.feed("created", F.message("R2", thread: "T2", "reply", at: 2000)))
        transcript.receive(
            F.resource(
                "deleted", "channel", room: F.publicRoom,
                #"{"members":[],"last_activity":0,"company_id":"C","workspace_id":"W","id":"CH"}"#))
        #expect(transcript.session.model.count == 0)
    }

    // MARK: 11

    @Test func `11: a page repeats its boundary, mixes heads and replies, and does not count the head`() {
        var transcript = Transcript.ready(rooms: [F.updatesRoom], company: "C", workspace: "W")
        transcript.settle([
            (
                "/messages",
                "["
                    + [
                        F.proxyMessage("M1", "one", at: 1000, replies: 1),
                        F.proxyMessage("R1", thread: "M1", "reply", at: 1500), F.proxyMessage("M2", "two", at: 2000),
                    ].joined(separator: ",") + "]"
            )
        ])
        #expect(transcript.texts(in: messages) == ["one", "two"])
        #expect(transcript.texts(in: .thread(EntityID("M1"))) == ["reply"])
        #expect(transcript.replies(to: "M1") == 1)
    }

    @Test func `11: the workspace id direct is distinguished by its company`() {
        var transcript = ready([F.badgeRoom])
        for company in ["C", "D"] {
            transcript.receive(F.badge("saved", thread: "T\(company)", workspace: "direct", company: company))
        }
        transcript.settle([
            ("badges?company_id=C", F.list(F.badgeBody(thread: "TC", "direct", "C"))),
            ("badges?company_id=D", F.list(F.badgeBody(thread: "TD", "direct", "D"))),
        ])
        #expect(transcript.session.model.elementCount(in: badges) == 1)
        #expect(transcript.session.model.elementCount(in: Item.Section("badges", EntityID("D"))) == 1)
    }
}
