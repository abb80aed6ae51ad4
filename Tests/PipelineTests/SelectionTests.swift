import Testing
import WeirEvents
import WeirJSON
import WeirModel
import WeirWire

@testable import WeirPipeline

/// Tests for opening and closing channels, threads, workspaces and companies.
@Suite struct SelectionTests {
    typealias F = Frames
    private let channels = Item.Section("channels", EntityID("W"))
    private let messages = Item.Section("messages", EntityID("CH"))
    private let otherRoom = "/companies/C/workspaces/X/channels?type=public"

    /// A tail that discovered its rooms and has one channel with one message.
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
        for room in transcript.session.subscriptions.entries {
            if case .joining = room.state { transcript.receive(F.joined(room.name)) }
        }
    }

    @Test func `selecting another workspace leaves the old rooms, cancels its requests and removes its rows at once`() {
        var transcript = discovered()
        #expect(transcript.texts(in: messages) == ["hi"])
        transcript.receive(F.feed("created", F.message("R", thread: "M1", "reply", at: 2000)))
        #expect(transcript.requests.count == 1)
        transcript.feed(.select(otherRoom))
        #expect(transcript.session.model.elementCount(in: channels) == 0)
        #expect(transcript.session.model.elementCount(in: messages) == 0)
        #expect(transcript.requests.isEmpty)
        let left = transcript.sent.filter { $0.contains("realtime:leave") }
        #expect(left.count == 3)
        #expect(left.contains { $0.contains(F.feedRoom) })
        let names = transcript.session.subscriptions.entries.map(\.name)
        #expect(names.contains(otherRoom) && names.contains(F.directRoom) && names.contains(F.badgeRoom))
        #expect(!names.contains(F.publicRoom) && !names.contains(F.feedRoom))
    }

    @Test func `late frames and answers of a workspace that was left change nothing`() {
        var transcript = discovered()
        transcript.receive(F.feed("created", F.message("R", thread: "M1", "reply", at: 2000)))
        let late = transcript.requests
        transcript.feed(.select(otherRoom))
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

    @Test func `selecting another company fetches its workspaces and removes the old badges and directs`() {
        var transcript = discovered()
        transcript.receive(F.badge("saved", thread: "M1"))
        transcript.settle([("/badges", F.list(F.badgeBody(thread: "M1")))])
        transcript.feed(.select("/companies/D/workspaces"))
        #expect(transcript.session.model.count == 0)
        #expect(transcript.asked == ["/internal/services/workspaces/v1/companies/D/workspaces"])
        transcript.settle([("/workspaces", F.list(#"{"id":"Y","company_id":"D","name":"Y"}"#))])
        let names = transcript.session.subscriptions.entries.map(\.name)
        #expect(names.contains("/companies/D/workspaces/Y/channels?type=public"))
        #expect(names.contains(F.badgeRoom))
        #expect(!names.contains { $0.hasPrefix("/companies/C/") })
    }

    private func events(of transcript: Transcript) -> [String] {
        transcript.effects.compactMap { effect in
            guard case .report(.event(let report)) = effect else { return nil }
            return report.withEvent { "\($0.kind) \($0.room ?? "-") \($0.summary)" }
        }
    }

    @Test func `a push notification is an event of its channel, and joining the channel fetches its messages`() {
        var transcript = discovered()
        func push(_ json: String) { transcript.feed(.pushed(RawJSON(unchecked: ArraySlice(json.utf8)))) }
        let sent = #"{"company_id":"C","workspace_id":"W","channel_id":"CH","message_id":"M2"}"#
        let shown = #""notification":{"title":"Sales","body":"Ana: hello","badge":1},"collapse_key":"CH""#
        push(#"{\#(shown),"data":{"notification_data":\#(sent)}}"#)
        #expect(events(of: transcript) == ["notification \(F.feedRoom) Sales: Ana: hello"])
        transcript.pass(.seconds(1))
        transcript.settle([("/feed", F.list(F.head("M1", "hi", at: 1000), F.head("M2", "hello", at: 2000)))])
        #expect(transcript.texts(in: messages) == ["hi", "hello"])

        push(#"{\#(shown),"channel_id":"OTHER"}"#)
        #expect(
            events(of: transcript) == ["notification /companies/C/workspaces/W/channels/OTHER/feed Sales: Ana: hello"])
        transcript.pass(.seconds(1))
        #expect(transcript.requests.isEmpty, "of a room that is not joined")
        push(#"{"notification":{"title":"no place"}}"#)
        #expect(transcript.undecodable.map(\.subject) == ["push"])
    }

    @Test func `selecting the selected room changes nothing, and a room that cannot be selected is refused`() {
        var transcript = discovered()
        let rows = transcript.session.model.count
        transcript.feed(.select(F.publicRoom))
        #expect(transcript.sent.isEmpty)
        transcript.feed(.select(F.badgeRoom))
        #expect(transcript.notices.count == 1)
        #expect(transcript.session.model.count == rows)
    }

    @Test func `an opened thread is fetched completely, and a closed one stays as long as its channel`() {
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

    @Test func `history is fetched page by page until enough heads are known, and no page is fetched twice`() {
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

    @Test func `messages since a moment are reported completely, page by page`() {
        var transcript = Transcript.ready(rooms: [F.feedRoom], company: "C", workspace: "W")
        transcript.answer("/feed?limit=20&replies", page(81...100))
        #expect(transcript.session.isSettled)
        let since = Timestamp(milliseconds: Int64(F.epoch + 50))
        transcript.feed(.look(room: F.feedRoom, part: .messages, since: since))
        for (part, body) in [
            ("/feed?limit=20&replies", page(81...100)), ("page_token=M81&", page(62...81)),
            ("page_token=M62&", page(43...62)),
        ] {
            #expect(transcript.session.isFetching(.messages, of: F.feedRoom))
            transcript.answer(part, body)
        }
        #expect(!transcript.session.isFetching(.messages, of: F.feedRoom))
        #expect(transcript.session.isSettled)
        #expect(transcript.session.model.elementCount(in: messages) == 58)
    }

    /// A session that remembers heads M30 to M85 and a page of another thread.
    private func remembering(history: Int) -> Transcript {
        var transcript = Transcript(
            Configuration(
                backend: .twake, revision: .v4, company: "C", workspace: "W", rooms: [F.feedRoom], history: history))
        var memory = Memory(user: "U1")
        for number in 30...85 {
            let id = EntityID("M\(number)")
            let time = Timestamp(milliseconds: Int64(F.epoch + number))
            guard
                let row = Item.message(
                    Twake.Message(id: id, thread: id, channel: EntityID("CH"), text: "kept", createdAt: time))
            else { continue }
            var writer = JSONWriter()
            row.encode(into: &writer)
            memory.append(row: writer.bytes)
        }
        transcript.feed(.remembered(memory))
        transcript.authenticate()
        transcript.receive(F.joined(F.feedRoom))
        return transcript
    }

    private func page(_ range: ClosedRange<Int>) -> String { F.list(range.map { F.head("M\($0)", "\($0)", at: $0) }) }

    @Test func `remembered pages are not refetched until the full resync, which finds changes`() {
        var transcript = remembering(history: 45)
        transcript.answer("/feed?limit=20&replies", page(81...100))
        #expect(transcript.requests.map(\.target) == [])
        #expect(transcript.session.model.elementCount(in: messages) == 71)
        transcript.idle(301)
        // The last page is short: messages that no page contains are fetched individually, and do not exist.
        transcript.settle([
            ("page_token=M81&", page(62...81)), ("page_token=M62&", page(43...62)), ("page_token=M43&", page(40...43)),
            ("/feed?limit=20&replies", page(81...100)),
        ])
        #expect(transcript.session.model.elementCount(in: messages) == 61)
        #expect(transcript.texts(in: messages).contains("70"))
        #expect(!transcript.texts(in: messages).contains("kept"))
    }

    @Test func `history beyond the remembered messages is fetched from the page before them`() {
        var transcript = remembering(history: 90)
        transcript.answer("/feed?limit=20&replies", page(81...100))
        #expect(transcript.requests.count == 1)
        transcript.answer("page_token=M30&", page(11...30))
        #expect(transcript.session.model.elementCount(in: messages) == 90)
        #expect(transcript.session.isSettled)
    }

    @Test func `a page that ends before the remembered messages is followed by the next one`() {
        var transcript = remembering(history: 0)
        transcript.answer("/feed?limit=20&replies", page(101...120))
        transcript.answer("page_token=M101&", page(82...101))
        #expect(transcript.session.isSettled)
        #expect(transcript.session.model.elementCount(in: messages) == 91)
    }

    @Test func `the last selected company and workspace are restored if they still exist`() {
        for (last, taken) in [("W2", "W2"), ("gone", "W1")] {
            var configuration = Configuration(backend: .twake, revision: .v4)
            configuration.globals.company = "C"
            configuration.globals.workspaces = ["C": last]
            var transcript = Transcript(configuration)
            transcript.authenticate()
            transcript.settle([
                ("/general/v1/server", #"{"status":"ready"}"#),
                ("/users/me/companies", F.list(#"{"id":"B","name":"b"}"#, #"{"id":"C","name":"c"}"#)),
                ("/users/me", F.one(#"{"id":"U1","username":"u"}"#)),
                ("/companies/C/workspaces", F.list(#"{"id":"W1","name":"w1"}"#, #"{"id":"W2","name":"w2"}"#)),
            ])
            let rooms = transcript.session.subscriptions.entries.map(\.name)
            #expect(rooms.contains("/companies/C/workspaces/\(taken)/channels?type=public"), "\(last)")
        }
    }

    @Test func `an era chosen while the other was down is abandoned when the other is available`() {
        var transcript = Transcript(Configuration(backend: .twake, revision: .v4, company: "C", workspace: "W"))
        transcript.authenticate()
        transcript.answer("/general/v1/server", status: 404, #"{"statusCode":404}"#)
        transcript.answer("/internal/mobile/user", #"{"id":"U1","username":"u"}"#)
        #expect(transcript.requests.contains { $0.target.hasPrefix("/internal/mobile/") })
        transcript.settle([("/internal/mobile/", "[]")])
        transcript.idle(301)
        transcript.answer("/general/v1/server", #"{"status":"ready"}"#)
        #expect(transcript.requests.contains { $0.target.contains("/internal/services/channels/") })
    }
}

/// Tests for the user's selection: kept up to date, remembered and restored.
@Suite struct GlobalsTests {
    typealias F = Frames

    /// A tail with one channel with one message.
    private func looking(_ globals: Globals = Globals()) -> Transcript {
        var configuration = Configuration(backend: .twake, revision: .v4)
        configuration.globals = globals
        var transcript = Transcript(configuration)
        transcript.authenticate()
        transcript.settle([
            ("/general/v1/server", #"{"status":"ready"}"#),
            ("/users/me/companies", F.list(#"{"id":"C","name":"Acme"}"#, #"{"id":"D","name":"Other"}"#)),
            ("/users/me", F.one(#"{"id":"U1","username":"u"}"#)),
            ("/companies/C/workspaces", F.list(#"{"id":"V","name":"v"}"#, #"{"id":"W","name":"w"}"#)),
            ("/companies/D/workspaces", F.list(#"{"id":"X","name":"x"}"#, #"{"id":"Y","name":"y"}"#)),
        ])
        for _ in 0..<2 {
            for room in transcript.session.subscriptions.entries {
                if case .joining = room.state { transcript.receive(F.joined(room.name)) }
            }
            transcript.settle([
                ("/W/channels?", F.list(F.listed())), ("/direct/channels", F.list(F.direct("DM"))),
                ("/badges", F.list()),
                ("/CH/feed", F.list(F.head("M1", "hi", at: 1000))), ("/DM/feed", F.list()),
            ])
        }
        return transcript
    }

    private func selected(_ company: String = "C", _ workspaces: [String: String] = ["C": "W"]) -> Globals {
        var globals = Globals()
        (globals.company, globals.workspaces) = (company, workspaces)
        return globals
    }

    @Test func `a channel, a direct and a thread are selected, remembered and cleared`() {
        var transcript = looking(selected())
        transcript.feed(.select(F.feedRoom))
        #expect(transcript.session.globals.channel == "CH" && transcript.session.globals.tab == .commons)
        transcript.feed(.select("M1"))
        #expect(transcript.session.globals.thread == "M1" && transcript.session.globals.channel == "CH")
        #expect(transcript.remembered.last == transcript.session.globals.selection)
        transcript.feed(.select("/companies/C/workspaces/direct/channels/DM/feed"))
        #expect(transcript.session.globals.channel == "DM" && transcript.session.globals.tab == .directs)
        #expect(transcript.session.globals.thread == nil)
        transcript.feed(.select(""))
        #expect(transcript.session.globals.channel == nil)
        #expect(transcript.session.globals.user == "U1" && transcript.session.globals.isConnected)
        transcript.feed(.select("no such room"))
        #expect(transcript.remembered.isEmpty)
    }

    @Test func `a deleted channel is deselected`() {
        var transcript = looking(selected())
        transcript.feed(.select("M1"))
        transcript.receive(F.resource("deleted", "channel", room: F.publicRoom, F.channel()))
        #expect(transcript.session.globals.channel == nil && transcript.session.globals.thread == nil)
    }

    @Test func `each company keeps its workspace, and the selection within a place is dropped with it`() {
        var transcript = looking(selected("C", ["C": "W", "D": "Y"]))
        transcript.feed(.select(F.feedRoom))
        transcript.feed(.select("/companies/D/workspaces"))
        transcript.settle([("/companies/D/workspaces", F.list(#"{"id":"X","name":"x"}"#, #"{"id":"Y","name":"y"}"#))])
        #expect(transcript.session.globals.workspace == "Y" && transcript.session.globals.channel == nil)
        #expect(transcript.session.globals.workspaces == ["C": "W", "D": "Y"])
    }

    @Test func `a workspace that the user creates is selected, unless rooms were named`() {
        var transcript = looking(selected())
        transcript.act("A1", .createWorkspace(name: "Sales", members: []))
        transcript.answer("/workspaces", status: 201, #"{"resource":{"id":"V2","name":"Sales"}}"#)
        #expect(transcript.session.globals.workspace == "V2")
        #expect(
            transcript.session.subscriptions.entries.contains {
                $0.name == "/companies/C/workspaces/V2/channels?type=public"
            })

        var named = Transcript.ready(rooms: [F.feedRoom], company: "C", workspace: "W")
        named.act("A1", .createWorkspace(name: "Sales", members: []))
        named.answer("/workspaces", status: 201, #"{"resource":{"id":"V2","name":"Sales"}}"#)
        #expect(named.session.globals.workspace != "V2")
    }

    @Test func `the selection is restored, and reads back as written`() {
        var globals = selected()
        (globals.channel, globals.thread, globals.tab) = ("CH", "M1", .directs)
        let transcript = looking(Globals(selection: RawJSON(unchecked: ArraySlice(globals.selection.utf8))))
        #expect(transcript.session.globals.selection == globals.selection)
        #expect(try! Configuration(json: transcript.session.configuration.json).globals == globals)
        #expect(Globals(selection: RawJSON(unchecked: ArraySlice("[1]".utf8))) == Globals())
    }
}

extension Globals {
    fileprivate var selection: String {
        var writer = JSONWriter()
        encodeSelection(into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension Transcript {
    /// The remembered parts of the selection.
    fileprivate var remembered: [String] {
        effects.compactMap { if case .remember(.globals(let globals)) = $0 { globals.selection } else { nil } }
    }
}
