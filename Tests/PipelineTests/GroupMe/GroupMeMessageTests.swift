import Testing
import WeirEvents
import WeirJSON
import WeirModel
import WeirWire

@testable import WeirPipeline

@Suite("GroupMe: messages, groups and missed events")
struct GroupMeMessageTests {
    private typealias Peer = GroupMeTranscript

    /// A session with messages 1 to 3 of the group.
    private func peer() -> Peer {
        var peer = Peer.ready()
        peer.answer("messages?limit=100", Peer.page([3, 2, 1]))
        peer.answer("/groups/10000001", #"{"id":"10000001","name":"Family","members":[\#(Self.ann)]}"#)
        return peer
    }

    private static let ann = #"{"id":"1000000001","user_id":"20000002","nickname":"Ann"}"#
    private static let cal = #"{"id":"1000000002","user_id":20000003,"nickname":"Cal"}"#

    @Test(arguments: ["/group/10000001", "/direct_message/20000001_20000002"])
    func `remembered messages stay while an older page is being fetched`(room: String) {
        func page(_ numbers: [Int]) -> String {
            room == Peer.family
                ? Peer.page(numbers)
                : Peer.page(numbers).replacing(#""group_id":"10000001""#, with: #""recipient_id":"20000001""#)
        }
        func numbers(_ peer: Peer) -> [String] {
            peer.transcript.session.model.elements(in: section).map { String($0.id.id.description.suffix(2)) }
        }
        let section = Item.Section.messages(
            EntityID(room == Peer.family ? "10000001" : "20000001+20000002"))
        let group = #"{"id":"10000001","name":"Family"}"#
        var earlier = Peer.ready(rooms: [room])
        earlier.answer("limit=100", page([3, 2, 1]))
        var memory = Memory(user: Peer.me)
        for row in earlier.transcript.session.model.elements(in: section) {
            var writer = JSONWriter()
            row.encode(into: &writer)
            memory.append(row: writer.bytes)
        }
        var peer = Peer(Configuration(backend: .groupme, rooms: [room], resyncInterval: nil))
        peer.feed(.remembered(memory))
        peer.open()
        peer.answer("/users/me", #"{"id":"\#(Peer.me)","name":"Me"}"#)
        peer.answer("limit=100", page([5, 4, 3, 2]))
        if room == Peer.family { peer.answer("/groups/10000001", group) }
        peer.answer("before_id", status: 503)
        #expect(peer.targets == [], "the page is asked for again, and nothing else is")
        #expect(numbers(peer) == ["01", "02", "03", "04", "05"])
        peer.pass(.seconds(10))
        peer.answer("before_id", page([1]))
        #expect(numbers(peer) == ["01", "02", "03", "04", "05"])
        #expect(peer.transcript.session.remembered.isEmpty)
    }

    @Test func `a pushed message is shown at once, and one fetch of its surroundings covers a burst`()
        throws
    {
        var peer = peer()
        try peer.say(Peer.id(4))
        try peer.say(Peer.id(5))
        try peer.say(Peer.id(5))
        #expect(peer.events == ["message", "message", "message"])
        #expect(peer.messages == ["01", "02", "03", "04", "05"])
        #expect(peer.targets.isEmpty)
        peer.pass(.milliseconds(100))
        #expect(peer.targets == ["/v3/groups/10000001/messages?limit=20&acceptFiles=1"])
    }

    @Test func `messages since a moment are reported completely, page by page`() {
        var peer = Peer.ready()
        func page(_ seconds: ClosedRange<Int>) -> String {
            let messages = seconds.reversed().map { Peer.message("\(1_785_346_000 + $0)00000001") }
            return #"{"count":100,"messages":[\#(messages.joined(separator: ","))]}"#
        }
        peer.answer("messages?limit=100", page(300...400))
        let since = Timestamp(milliseconds: 1_785_346_100_000)
        peer.feed(.look(room: Peer.family, part: .messages, since: since))
        peer.answer("messages?limit=100", page(300...400))
        peer.answer("before_id=178534630000000001", page(200...299))
        #expect(peer.transcript.session.isFetching(.messages, of: Peer.family))
        peer.answer("before_id=178534620000000001", page(90...199))
        #expect(!peer.transcript.session.isFetching(.messages, of: Peer.family))
        #expect(peer.targets.filter { $0.contains("before_id") } == [])
    }

    @Test func `a change of members fetches the group once, and its member list is authoritative`() throws {
        var peer = peer()
        for text in [
            #"{"type":"membership.announce.added","data":{"added_users":[{"id":20000003,"nickname":"Cal"}],"adder_user":{"id":20000002,"nickname":"Ann"}}}"#,
            #"{"type":"membership.nickname_changed","data":{"user":{"id":20000003,"nickname":"Cal"},"name":"Calvin"}}"#,
            #"{"type":"group.name_change","data":{"user":{"id":20000002,"nickname":"Ann"},"name":"New name"}}"#,
        ] {
            try peer.push(
                "/user/20000001",
                #"{"type":"line.create","alert":"","subject":{"id":"\#(Peer.id(9))","group_id":"10000001","created_at":1785346055,"#
                    + #""sender_id":"system","user_id":"system","sender_type":"system","system":true,"name":"GroupMe","text":"x","event":\#(text)}}"#
            )
        }
        peer.pass(.milliseconds(100))
        #expect(peer.targets.filter { $0 == "/v3/groups/10000001" }.count == 1)
        peer.answer("messages?limit=20", Peer.page([9, 3, 2, 1]))
        peer.answer("/groups/10000001", #"{"id":"10000001","name":"New name","members":[\#(Self.cal)]}"#)
        #expect(peer.texts(of: .members(EntityID("10000001"))) == ["Cal"])
        #expect(peer.texts(of: .groups) == ["New name"])
    }

    @Test func `added members are polled until the service knows them`() {
        var peer = peer()
        let group = EntityID("10000001")
        let add = Action(
            id: EntityID("a"), .addMember(channel: group, user: EntityID("20000003")), asked: Timestamp(milliseconds: 0)
        )
        peer.feed(.act(add))
        peer.answer("/chats", "[]")
        peer.answer("/members/add", status: 202, body: #"{"response":{"results_id":"R"},"meta":{"code":202}}"#)
        peer.pass(.milliseconds(500))
        #expect(peer.targets == ["/v3/groups/10000001/members/results/R"])
        peer.answer("/members/results/R", status: 503)
        #expect(peer.texts(of: .members(group)) == ["Ann"])
        peer.pass(.seconds(10))
        peer.answer("/members/results/R", #"{"members":[\#(Self.cal)]}"#)
        #expect(peer.texts(of: .members(group)) == ["Ann", "Cal"])
    }

    @Test func `a change of a group is shown even when its room is left before the group was fetched`() throws {
        var peer = peer()
        try peer.push(
            "/user/20000001",
            #"{"type":"line.create","alert":"","subject":{"id":"\#(Peer.id(9))","group_id":"10000001","created_at":1785346055,"#
                + #""sender_id":"system","user_id":"system","sender_type":"system","system":true,"name":"GroupMe","text":"x","#
                + #""event":{"type":"group.name_change","data":{"user":{"id":20000002,"nickname":"Ann"},"name":"New name"}}}}"#
        )
        peer.feed(.unwant(rooms: [Peer.family]))
        peer.pass(.milliseconds(100))
        peer.answer("/groups/10000001", #"{"id":"10000001","name":"New name"}"#)
        #expect(peer.texts(of: .groups) == ["New name"])
    }

    /// Loses the connection and reconnects; the newest page does not reach back to message 3.
    private func missing(catchUp: Int = 1_000) -> Peer {
        var configuration = Configuration(backend: .groupme, rooms: [Peer.family], resyncInterval: nil)
        configuration.catchUp = catchUp
        var peer = Peer(configuration)
        peer.open()
        peer.answer("/users/me", #"{"id":"\#(Peer.me)","name":"Me"}"#)
        peer.answer("messages?limit=100", Peer.page([3, 2, 1]).replacing(#""count":100"#, with: #""count":3"#))
        peer.answer("/groups/10000001", #"{"id":"10000001","name":"Family","members":[\#(Self.ann)]}"#)
        peer.restart()
        peer.pass(.seconds(10))
        peer.open()
        return peer
    }

    @Test func `missed messages are fetched page by page back to the known ones, whatever is pushed meanwhile`() throws
    {
        var peer = missing()
        peer.answer("messages?limit=100", Peer.page((140...239).reversed()))
        try peer.say(Peer.id(240))
        peer.answer("before_id=\(Peer.id(140))", Peer.page((100...139).reversed()))
        try peer.say(Peer.id(241))
        peer.answer("before_id=\(Peer.id(100))", Peer.page((2...99).reversed()))
        peer.answer("before_id=\(Peer.id(2))", Peer.page([1]))
        #expect(!peer.targets.contains { $0.contains("before_id") })
        #expect(peer.transcript.session.model.messages(of: .group("10000001")).count == 241)
    }

    @Test func `when the bound ends catching up, the model counts the missing messages, and history fills the hole`() {
        var peer = missing(catchUp: 100)
        func page(_ numbers: ClosedRange<Int>) -> String {
            Peer.page(numbers.reversed()).replacing(#""count":100"#, with: #""count":239"#)
        }
        peer.answer("messages?limit=100", page(140...239))
        #expect(!peer.targets.contains { $0.contains("before_id") })
        let place = GroupMe.ConversationID.group("10000001").entity
        let hole = peer.transcript.session.model[.hole(place)]?.hole
        #expect(hole?.section == .messages(place))
        // The server counts 239; a hundred were fetched, and three were known.
        #expect(hole?.count == 136)
        #expect(peer.messages.first == "40" && peer.messages.count == 100)
        let gap = peer.reports.compactMap { if case .gap(let gap) = $0 { gap } else { nil } }.last
        #expect(gap?.cause == .catchUp && gap?.hole == hole)
        peer.feed(.look(room: Peer.family, part: .messages, since: nil))
        peer.answer("messages?limit=100", page(140...239))
        peer.answer("before_id=\(Peer.id(140))", page(40...139))
        peer.answer("before_id=\(Peer.id(40))", page(1...39))
        #expect(peer.transcript.session.model[.hole(place)] == nil)
        #expect(peer.messages.count == 239)
    }

    @Test func `lost pushes show up as a next page that does not reach back to the previous one`() throws {
        var peer = peer()
        try peer.say(Peer.id(60))
        peer.pass(.milliseconds(100))
        peer.answer("messages?limit=20", Peer.page((41...60).reversed()))
        peer.answer("messages?limit=100", Peer.page((1...60).reversed()))
        #expect(peer.messages.count == 60)
    }

    @Test(arguments: [
        (304, ""), (200, #"{"meta":{"code":304}}"#), (200, #"{"response":null,"meta":{"code":200}}"#),
        (200, #"{"response":{"count":3,"messages":[]},"meta":{"code":200}}"#),
        (200, #"{"response":[],"meta":{"code":200}}"#),
    ])
    func `each answer without more messages ends catching up`(status: Int, body: String) throws {
        var peer = peer()
        peer.restart()
        peer.pass(.seconds(10))
        peer.open()
        peer.answer("messages?limit=100", Peer.page((40...139).reversed()))
        peer.answer("before_id", status: status, body: body)
        #expect(!peer.targets.contains { $0.contains("before_id") })
        #expect(!peer.reports.contains { if case .undecodable = $0 { true } else { false } })
    }

    @Test func `edits and deletions made while offline are found in the recent messages`() {
        var peer = peer()
        peer.restart()
        peer.pass(.seconds(10))
        peer.open()
        let edited = Peer.message(Peer.id(1), "edited")
        peer.answer("messages?limit=100", #"{"count":3,"messages":[\#(Peer.message(Peer.id(3))),\#(edited)]}"#)
        #expect(peer.messages == ["01", "03"])
        #expect(peer.transcript.session.model.message(GroupMe.MessageID(Peer.id(1)))?.text == "edited")
    }

    @Test func `a rate-limited request is repeated after the delay that the service requests`() throws {
        var peer = peer()
        try peer.say(Peer.id(4))
        peer.pass(.milliseconds(100))
        let request = try #require(peer.transcript.requests.first)
        peer.transcript.requests.removeFirst()
        peer.feed(.answered(request: request.id, .response(status: 429, body: [], retryAfter: 7)))
        peer.pass(.seconds(6))
        #expect(peer.targets.isEmpty)
        peer.pass(.seconds(2))
        #expect(peer.targets == [request.target])
    }

    @Test func `a late original message or an older edit undoes nothing`() throws {
        var peer = peer()
        func message(_ text: String, updatedAt: Int) -> String {
            Peer.message(Peer.id(2), text).replacing(
                #""system":false"#, with: #""system":false,"updated_at":\#(updatedAt)"#)
        }
        func edit(_ text: String, at time: Int) throws {
            try peer.push(
                "/group/10000001", #"{"type":"message.update","subject":\#(message(text, updatedAt: time))}"#)
        }
        func text() -> String? { peer.transcript.session.model.message(GroupMe.MessageID(Peer.id(2)))?.text }
        try edit("second", at: 1_785_346_060)
        #expect(text() == "second")
        try edit("first", at: 1_785_346_059)
        #expect(text() == "second")
        try peer.say(Peer.id(2), "as it was said")
        #expect(text() == "second")
    }

    @Test func `messages sent while a room was left survive a late page from before the return`() throws {
        var peer = peer()
        peer.feed(.unwant(rooms: [Peer.family]))
        let action = Action(
            id: EntityID("a"), .send(channel: EntityID("10000001"), thread: nil, text: "hello"),
            asked: Timestamp(milliseconds: 0))
        peer.feed(.act(action))
        peer.answer("/messages", #"{"message":\#(Peer.message(Peer.id(4), "hello", by: Peer.me, guid: "a"))}"#)
        peer.pass(.milliseconds(100))
        try peer.say(Peer.id(5))
        peer.feed(.want(rooms: [Peer.family], source: .ctl))
        peer.answer("messages?limit=100", Peer.page([5, 4, 3, 2, 1]))
        peer.answer("messages?limit=20", Peer.page([4, 3, 2, 1]))
        #expect(peer.messages == ["01", "02", "03", "04", "05"])
        #expect(peer.targets.filter { $0.contains("limit=20") }.count == 1, "what came late is asked for again")
    }

    @Test func `an unreported edit from before the join is not undone by a late page`() throws {
        var peer = Peer(Configuration(backend: .groupme, rooms: [Peer.family], resyncInterval: nil))
        peer.open()
        peer.isDeaf = true
        peer.answer("/users/me", #"{"id":"\#(Peer.me)","name":"Me"}"#)
        try peer.say(Peer.id(1))
        peer.pass(.milliseconds(100))
        peer.isDeaf = false
        peer.pass(RoomSubscriptions.joinTimeout)
        peer.answer("messages?limit=100", #"{"count":1,"messages":[\#(Peer.message(Peer.id(1), "edited"))]}"#)
        peer.answer("messages?limit=20", Peer.page([1]))
        #expect(peer.transcript.session.model.message(GroupMe.MessageID(Peer.id(1)))?.text == "edited")
    }

    @Test func `a change to an older message fetches the messages around it, not the newest`() throws {
        var peer = Peer.ready()
        peer.answer("messages?limit=100", Peer.page((1...60).reversed()))
        peer.answer("/groups/10000001", #"{"id":"10000001","name":"Family","members":[]}"#)
        try peer.push(
            "/group/10000001",
            #"{"type":"favorite","subject":{"line":\#(Peer.message(Peer.id(40))),"reactions":[]}}"#)
        try peer.push(
            "/group/10000001",
            #"{"type":"favorite","subject":{"line":\#(Peer.message(Peer.id(41))),"reactions":[]}}"#)
        peer.pass(.milliseconds(100))
        #expect(
            peer.targets == [
                "/v3/groups/10000001/messages?limit=20&before_id=\(Peer.id(41))&acceptFiles=1",
                "/v3/groups/10000001/messages?limit=20&acceptFiles=1",
            ])
    }

    @Test func `a lost send is looked for as far back as messages are kept`() throws {
        var peer = peer()
        let id = EntityID("0191d9c2-1111-7000-8000-000000000003")
        peer.feed(
            .act(
                Action(
                    id: id, .send(channel: EntityID("10000001"), thread: nil, text: "hello"),
                    asked: Timestamp(milliseconds: 0))))
        let request = try #require(peer.transcript.requests.first { $0.method == "POST" })
        peer.transcript.requests = []
        peer.feed(.answered(request: request.id, .failure(kind: "timeout", message: "timed out")))
        peer.pass(.seconds(2))
        // The message was sent, and a hundred messages followed it.
        let own = Peer.message(Peer.id(4), "hello", by: Peer.me, guid: id.description)
        peer.answer("messages?limit=100", Peer.page((5...104).reversed()))
        #expect(!peer.transcript.requests.contains { $0.method == "POST" })
        peer.answer(
            "before_id=\(Peer.id(5))",
            #"{"count":104,"messages":[\#(own),\#(Peer.message(Peer.id(3))),\#(Peer.message(Peer.id(2)))]}"#)
        #expect(peer.transcript.session.pendingActions.isEmpty)
        #expect(!peer.transcript.requests.contains { $0.method == "POST" })
    }

    @Test func `the other user's read position is shown and only advances, and the user's own is not shown`() throws {
        var peer = Peer.ready(rooms: ["/direct_message/20000001_20000002"])
        func read(_ number: Int, by user: String) throws {
            try peer.push(
                "/direct_message/20000001_20000002",
                #"{"type":"read_receipt.create","subject":{"chat_id":"20000001+20000002","message_id":"\#(Peer.id(number))","user_id":"\#(user)","read_at":1785346060}}"#
            )
        }
        func receipts() -> [String] {
            let place = EntityID("20000001+20000002")
            return peer.transcript.session.model.rows(in: .receipts(place)).compactMap {
                $0.receipt.map { String($0.message.description.suffix(2)) }
            }
        }
        try read(3, by: Peer.me)
        #expect(receipts() == [])
        try read(2, by: "20000002")
        try read(1, by: "20000002")
        #expect(receipts() == ["02"])
    }

    @Test func `a page of an intermediate server proves nothing about a group, and the request is repeated`() {
        var peer = peer()
        peer.feed(.refetch("group 10000001"))
        peer.answer("/v3/groups/10000001", status: 404, body: "<html><body>404 page not found</body></html>")
        #expect(peer.texts(of: .members(EntityID("10000001"))) == ["Ann"])
        peer.pass(.seconds(2))
        #expect(peer.targets.contains("/v3/groups/10000001"))
    }

    @Test func `a deletion reported by two frames is one change`() throws {
        var peer = peer()
        let deleted = #""deleted_at":"2026-07-29T23:40:22.8912Z","deletion_actor":"sender""#
        try peer.push(
            "/group/10000001",
            #"{"type":"message.deleted","alert":"","subject":{"id":"\#(Peer.id(2))","group_id":"10000001","created_at":1785346055,"#
                + #""text":"This message was deleted","user_id":"20000002",\#(deleted)}}"#)
        let once = peer.transcript.session.model.message(GroupMe.MessageID(Peer.id(2)))
        #expect(once?.isDeleted == true && once?.text == "This message was deleted")
        let seconds = try #require(once?.deletion?.at).milliseconds / 1000
        try peer.push(
            "/user/20000001",
            #"{"type":"line.create","alert":"","subject":{"id":"\#(Peer.id(9))","group_id":"10000001","created_at":1785346056,"#
                + #""sender_id":"system","user_id":"system","system":true,"text":"x","event":{"type":"message.deleted","data":{"#
                + #""message_id":"\#(Peer.id(2))","deleted_at":\#(seconds),"deletion_actor":"sender"}}}}"#)
        #expect(peer.transcript.session.model.message(GroupMe.MessageID(Peer.id(2))) == once)
        #expect(peer.events == ["deletion", "deletion"])
    }

    @Test func `a group that no longer exists was left, and its messages and its room are removed`() throws {
        var peer = Peer()
        peer.open()
        peer.answer("/users/me", #"{"id":"20000001"}"#)
        peer.answer("page=1&per_page=100&omit", #"[{"id":"10000001","name":"Family"}]"#)
        peer.answer("groups?page=2", "[]")
        peer.answer("messages?limit=100", Peer.page([2, 1]))
        peer.answer("/groups/former", "[]")
        try peer.push("/user/20000001", #"{"type":"group.update","subject":{"id":"10000001"}}"#)
        peer.pass(.milliseconds(100))
        peer.answer("/v3/groups/10000001", status: 404)
        #expect(peer.messages.isEmpty)
        #expect(peer.texts(of: .groups).isEmpty)
        #expect(peer.transcript.session.subscriptions["/group/10000001"] == nil)
        peer.pass(.milliseconds(100))
        peer.answer("/groups/former", #"[{"id":"10000001","name":"Family"}]"#)
        #expect(peer.texts(of: .formerGroups) == ["Family"])
    }

    @Test func `the user's own message is shown once, whether the push or the send answer comes first`() throws {
        for pushFirst in [true, false] {
            var peer = peer()
            let id = EntityID("0191d9c2-1111-7000-8000-000000000001")
            let action = Action(
                id: id, .send(channel: EntityID("10000001"), thread: nil, text: "hello"),
                asked: Timestamp(milliseconds: 0))
            peer.feed(.act(action))
            let request = try #require(peer.transcript.requests.first { $0.method == "POST" })
            #expect(request.target == "/v3/groups/10000001/messages")
            #expect(String(decoding: request.body, as: UTF8.self).contains(#""source_guid":"\#(id)""#))
            let own = Peer.message(Peer.id(4), "hello", by: Peer.me, guid: id.description)
            if pushFirst { try peer.say(Peer.id(4), "hello", by: Peer.me, guid: id.description) }
            #expect(peer.messages.count == 4, "the row that waits, or the message itself")
            peer.answer("/messages", #"{"message":\#(own)}"#)
            if !pushFirst { try peer.say(Peer.id(4), "hello", by: Peer.me, guid: id.description) }
            #expect(peer.messages == ["01", "02", "03", "04"])
            #expect(peer.transcript.session.pendingActions.isEmpty)
        }
    }

    @Test func `a repeated source_guid means that the message was sent`() throws {
        var peer = peer()
        let id = EntityID("0191d9c2-1111-7000-8000-000000000002")
        peer.feed(
            .act(
                Action(
                    id: id, .send(channel: EntityID("10000001"), thread: nil, text: "hello"),
                    asked: Timestamp(milliseconds: 0))))
        peer.answer("/messages", status: 409)
        #expect(peer.transcript.session.pendingActions.isEmpty)
        peer.pass(.milliseconds(100))
        #expect(peer.targets == ["/v3/groups/10000001/messages?limit=20&acceptFiles=1"])
    }

    @Test func `an action on a message that was sent twice affects the pushed one`() throws {
        var peer = peer()
        let (id, group) = (EntityID("0191d9c2-1111-7000-8000-000000000003"), EntityID("10000001"))
        func ask(_ id: EntityID, _ operation: Action.Operation) {
            peer.feed(.act(Action(id: id, operation, asked: Timestamp(milliseconds: 0))))
        }
        ask(id, .send(channel: group, thread: nil, text: "hello"))
        try peer.say(Peer.id(4), "hello", by: Peer.me, guid: id.description)
        ask(EntityID("a"), .react(.init(channel: group, message: id), names: ["👍"]))
        peer.answer("/messages", status: 409)
        let request = try #require(peer.transcript.requests.first { $0.method == "POST" })
        #expect(request.target == "/v3/messages/10000001/\(Peer.id(4))/like")
    }

    @Test func `reactions are shown as a complete set, and an old one the server keeps is reported`() throws {
        var peer = peer()
        try peer.push(
            "/group/10000001",
            #"{"type":"favorite","alert":"","subject":{"line":\#(Peer.message(Peer.id(2))),"user_id":"20000003","#
                + #""reactions":[{"type":"unicode","code":"👍","user_ids":["20000003"]}]}}"#)
        let reacted = peer.transcript.session.model.message(GroupMe.MessageID(Peer.id(2)))
        #expect(reacted?.reactions == [GroupMe.Reaction(.unicode("👍"), users: ["20000003"])])
        peer.feed(
            .act(
                Action(
                    id: EntityID("a"),
                    .react(.init(channel: EntityID("10000001"), message: EntityID(Peer.id(2))), names: ["❤️"]),
                    asked: Timestamp(milliseconds: 0))))
        peer.answer("/like", #"{"reactions":[{"type":"unicode","code":"👍","user_ids":["20000003","20000001"]}]}"#)
        let told = peer.reports.contains {
            if case .action(let report) = $0, case .refused(let why, _) = report.change {
                why.contains("of before")
            } else {
                false
            }
        }
        #expect(told)
    }

    @Test(arguments: [
        ("99999999", "/v3/groups/99999999", "you are not a member of group 99999999"),
        ("20000009+20000010", nil, "the direct 20000009+20000010 is not yours"),
        ("#nobody", "page=", "none of your groups and direct conversations is named #nobody"),
    ])
    func `an action in a missing conversation is refused and names it`(
        channel: String, asked: String?, why: String
    ) {
        var peer = peer()
        peer.feed(
            .act(
                Action(
                    id: EntityID("a"), .send(channel: EntityID(channel), thread: nil, text: "hi"),
                    asked: Timestamp(milliseconds: 0))))
        if let asked {
            var answers = 0
            while peer.targets.contains(where: { $0.contains(asked) }), answers < 4 {
                if asked == "page=" { peer.answer(asked, "[]") } else { peer.answer(asked, status: 404) }
                answers += 1
            }
        }
        let refusals = peer.reports.compactMap { report -> String? in
            guard case .action(let action) = report, case .refused(let why, _) = action.change else { return nil }
            return why
        }
        #expect(refusals == [why])
    }
}
