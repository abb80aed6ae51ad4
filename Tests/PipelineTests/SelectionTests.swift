import Events
import SectionedModel
import Testing
import Wire

@testable import Pipeline

/// Opening and closing what is looked at: channels, threads, workspaces, companies.
@Suite struct SelectionTests {
    typealias F = Frames
    private let channels = Item.Section("channels", EntityID("W"))
    private let messages = Item.Section("messages", EntityID("CH"))
    private let otherRoom = "/companies/C/workspaces/X/channels?type=public"

    /// A tail that found its rooms by itself, and has one channel with one message.
    private func discovered() -> Transcript {
        var transcript = Transcript(
            Configuration(backend: .twake, revision: .v4, company: "C", workspace: "W"))
        transcript.authenticate()
        transcript.settle([
            ("/general/v1/server", #"{"status":"ready"}"#), ("/users/me", F.one(#"{"id":"U1","username":"u"}"#)),
        ])
        joinAll(&transcript)
        transcript.settle([
            ("/W/channels?", F.list(F.listed())), ("/direct/channels", F.list()), ("/badges", F.list()),
        ])
        joinAll(&transcript)
        transcript.settle([("/feed", F.list(F.head("M1", "hi", at: 1000)))])
        return transcript
    }

    private func joinAll(_ transcript: inout Transcript) {
        for room in transcript.session.roomBook.entries {
            if case .joining = room.state { transcript.receive(F.joined(room.name)) }
        }
    }

    @Test func `another workspace: the old one's rooms are left, its requests cancelled, its rows gone, at once`() {
        var transcript = discovered()
        #expect(transcript.texts(in: messages) == ["hi"])
        transcript.receive(F.feed("created", F.message("R", thread: "M1", "reply", at: 2000)))
        #expect(transcript.requests.count == 1)
        transcript.feed(.select(room: otherRoom))
        #expect(transcript.session.model.elementCount(in: channels) == 0)
        #expect(transcript.session.model.elementCount(in: messages) == 0)
        #expect(transcript.requests.isEmpty)
        let left = transcript.sent.filter { $0.contains("realtime:leave") }
        #expect(left.count == 3)
        #expect(left.contains { $0.contains(F.feedRoom) })
        let names = transcript.session.roomBook.entries.map(\.name)
        #expect(names.contains(otherRoom) && names.contains(F.directRoom) && names.contains(F.badgeRoom))
        #expect(!names.contains(F.publicRoom) && !names.contains(F.feedRoom))
    }

    @Test func `late frames and answers of a workspace that was left change nothing`() {
        var transcript = discovered()
        transcript.receive(F.feed("created", F.message("R", thread: "M1", "reply", at: 2000)))
        let late = transcript.requests
        transcript.feed(.select(room: otherRoom))
        let rows = transcript.session.model.count
        transcript.receive(F.activity(at: 5000, text: "late"))
        transcript.receive(F.feed("created", F.message("M2", "late", at: 5000)))
        for request in late {
            transcript.feed(
                .answered(request: request.id, .response(status: 200, body: ArraySlice("{}".utf8), retryAfter: nil)))
        }
        #expect(transcript.session.model.count == rows)
        #expect(transcript.undecodable.isEmpty)
    }

    @Test func `another company: its workspaces are asked for, and badges and directs of the old one are gone`() {
        var transcript = discovered()
        transcript.receive(F.badge("saved", thread: "M1"))
        transcript.settle([("/badges", F.list(F.badgeBody(thread: "M1")))])
        transcript.feed(.select(room: "/companies/D/workspaces"))
        #expect(transcript.session.model.count == 0)
        #expect(transcript.asked == ["/internal/services/workspaces/v1/companies/D/workspaces"])
        transcript.settle([("/workspaces", F.list(#"{"id":"Y","company_id":"D","name":"Y"}"#))])
        let names = transcript.session.roomBook.entries.map(\.name)
        #expect(names.contains("/companies/D/workspaces/Y/channels?type=public"))
        #expect(names.contains(F.badgeRoom))
        #expect(!names.contains { $0.hasPrefix("/companies/C/") })
    }

    @Test func `selecting what is selected changes nothing, and a room that names no workspace is refused`() {
        var transcript = discovered()
        let rows = transcript.session.model.count
        transcript.feed(.select(room: F.publicRoom))
        #expect(transcript.sent.isEmpty)
        transcript.feed(.select(room: F.feedRoom))
        #expect(transcript.notices.count == 1)
        #expect(transcript.session.model.count == rows)
    }

    @Test func `a thread that is opened is fetched whole, and closed again it stays as its channel has it`() {
        var transcript = discovered()
        transcript.feed(.want(rooms: [F.threadRoom("M1")], source: .ctl))
        transcript.receive(F.joined(F.threadRoom("M1")))
        let head = F.head("M1", "hi", at: 1000, replies: 1)
        let reply = F.message("R", thread: "M1", "reply", at: 2000)
        transcript.settle([("/threads/M1/messages?", F.list(head, reply))])
        #expect(transcript.texts(in: .thread(EntityID("M1"))) == ["reply"])
        transcript.feed(.unwant(rooms: [F.threadRoom("M1")]))
        #expect(transcript.texts(in: .thread(EntityID("M1"))) == ["reply"])
        transcript.feed(.unwant(rooms: [F.feedRoom]))
        #expect(transcript.session.model.elementCount(in: messages) == 0)
        #expect(transcript.texts(in: .thread(EntityID("M1"))).isEmpty)
        transcript.feed(.want(rooms: [F.feedRoom], source: .ctl))
        transcript.receive(F.joined(F.feedRoom))
        transcript.settle([("/feed", F.list(head)), ("/threads/M1/messages?", F.list(head, reply))])
        #expect(transcript.texts(in: messages) == ["hi"])
        #expect(transcript.texts(in: .thread(EntityID("M1"))) == ["reply"])
    }

    @Test func `history is fetched page by page until enough heads are known, and no page twice`() {
        var transcript = Transcript(
            Configuration(
                backend: .twake, revision: .v4, company: "C", workspace: "W", rooms: [F.feedRoom], history: 45))
        transcript.authenticate()
        transcript.receive(F.joined(F.feedRoom))
        func page(_ range: ClosedRange<Int>) -> String { F.list(range.map { F.head("M\($0)", "\($0)", at: $0) }) }
        var targets: [String] = []
        for (part, body) in [
            ("/feed?limit=20&replies", page(81...100)), ("page_token=M81&", page(62...81)),
            ("page_token=M62&", page(43...62)),
        ] {
            targets += transcript.requests.map(\.target)
            transcript.answer(part, body)
        }
        #expect(transcript.session.model.elementCount(in: messages) == 58)
        #expect(transcript.session.isSettled)
        #expect(targets.count == 3)
    }
}
