import Testing
import WeirEvents
import WeirWire

@testable import WeirPipeline

@Suite("GroupMe: the connection")
struct GroupMeConnectionTests {
    @Test
    func `the session fetches the user, subscribes to the user's channel, and then is ready`() {
        var peer = GroupMeTranscript()
        peer.open()
        #expect(peer.targets == ["/v3/users/me"])
        #expect(!peer.isReady && peer.subscribed.isEmpty)
        peer.answer("/users/me", #"{"id":"20000001","name":"Me"}"#)
        #expect(peer.subscribed.map(\.channel) == ["/user/20000001"])
        #expect(peer.subscribed.first?.ext == #"{"access_token":"secret-token"}"#)
        #expect(peer.isReady)
        #expect(
            peer.targets == [
                "/v3/groups?page=1&per_page=100&omit=memberships", "/v3/chats?page=1&per_page=100", "/v3/groups/former",
            ])
    }

    @Test func `groups and directs are rooms, up to the last page of their lists`() {
        var peer = GroupMeTranscript()
        peer.open()
        peer.answer("/users/me", #"{"id":"20000001"}"#)
        peer.answer("page=1&per_page=100&omit", #"[{"id":"10000001","name":"Family"},{"id":"10000002","name":"test"}]"#)
        #expect(peer.targets.contains("/v3/groups?page=2&per_page=100&omit=memberships"))
        peer.answer("groups?page=2", "[]")
        peer.answer("/chats?page=1", #"[{"other_user":{"id":20000002,"name":"Ann"},"created_at":1,"updated_at":2}]"#)
        peer.answer("/chats?page=2", "[]")
        let rooms = peer.transcript.session.subscriptions.entries
        #expect(
            rooms.map(\.name) == ["/group/10000001", "/group/10000002", "/direct_message/20000001_20000002"])
        #expect(rooms.allSatisfy { if case .joined = $0.state { true } else { false } })
        #expect(peer.texts(of: .groups) == ["Family", "test"])
        #expect(peer.transcript.session.roomFacts(of: "/group/10000001").title == "Family")
        #expect(peer.transcript.session.roomFacts(of: "/direct_message/20000001_20000002").title == "Ann")
    }

    @Test func `a failed page is not the last one, and no group is considered left`() {
        var peer = GroupMeTranscript()
        peer.open()
        peer.answer("/users/me", #"{"id":"20000001"}"#)
        peer.answer("page=1&per_page=100&omit", #"[{"id":"10000001","name":"Family"}]"#)
        peer.answer("groups?page=2", "[]")
        peer.feed(.want(rooms: ["/group/10000001"], source: .ctl))
        peer.restart()
        peer.pass(.seconds(60))
        peer.open()
        peer.answer("page=1&per_page=100&omit", "[]")
        #expect(peer.texts(of: .groups).isEmpty, "an empty first page means that there are none")
        var other = GroupMeTranscript()
        other.open()
        other.answer("/users/me", #"{"id":"20000001"}"#)
        other.answer("page=1&per_page=100&omit", #"[{"id":"10000001","name":"Family"}]"#)
        other.answer("groups?page=2", status: 503)
        #expect(other.texts(of: .groups) == ["Family"])
    }

    @Test func `a late page of an earlier read does not end the list, and no group is considered left`() {
        var peer = GroupMeTranscript()
        peer.open()
        peer.answer("/users/me", #"{"id":"20000001"}"#)
        peer.answer("groups?page=1", #"[{"id":"10000001","name":"Family"}]"#)
        peer.answer("groups?page=2", #"[{"id":"10000002","name":"Hikers"}]"#)
        peer.restart()
        peer.pass(.seconds(60))
        peer.open()
        peer.answer("groups?page=1", #"[{"id":"10000001","name":"Family"}]"#)
        peer.answer("groups?page=3", "[]")
        #expect(peer.texts(of: .groups) == ["Family", "Hikers"])
        peer.answer("groups?page=2", #"[{"id":"10000002","name":"Hikers"}]"#)
        peer.answer("groups?page=3", "[]")
        #expect(peer.texts(of: .groups) == ["Family", "Hikers"])
    }

    @Test(arguments: ["groups", "chats"])
    func `a list that keeps repeating the same page is read no further, and reported once`(list: String) {
        var peer = GroupMeTranscript()
        peer.open()
        peer.answer("/users/me", #"{"id":"20000001"}"#)
        let page =
            list == "groups"
            ? #"[{"id":"10000001","name":"Family"}]"#
            : #"[{"other_user":{"id":20000002,"name":"Ann"},"created_at":1,"updated_at":2}]"#
        for number in 1...3 { peer.answer("\(list)?page=\(number)&", page) }
        #expect(!peer.targets.contains { $0.contains("\(list)?page=4") })
        let told = peer.reports.compactMap { if case .notice(let notice) = $0 { notice.text } else { nil } }
        #expect(told.count == 1)
        #expect(told.first?.contains("page 3 is the same as the two pages before") == true, "\(told)")
        let section: Item.Section = list == "groups" ? .groups : .chats
        #expect(peer.texts(of: section).count == 1)
    }

    @Test
    func
        `without a WebSocket answer frames are polled at once, and a WebSocket is tried again later`()
        throws
    {
        var transcript = Transcript(Configuration(backend: .groupme, maximumAttempts: 9, resyncInterval: nil))
        func openings() -> [ConnectionRequest.Opening] {
            transcript.effects.compactMap { if case .connect(let request) = $0 { request.opening } else { nil } }
        }
        #expect(openings() == [.webSocket])
        let refused = ConnectFailure(phase: .handshake, httpStatus: 400, message: "HTTP status 400")
        transcript.feed(.failed(connection: 1, refused))
        #expect(openings() == [.longPolling])
        transcript.feed(.opened(connection: 2, token: nil))
        #expect(transcript.sent.first?.contains(#""supportedConnectionTypes":["long-polling"]"#) == true)
        transcript.feed(.closed(connection: 2, WebSocketClose(code: 1006, reason: "HTTP status 502")))
        #expect(openings() == [])
        transcript.pass(.seconds(60))
        #expect(openings() == [.webSocket])
        // A refused connection does not justify a switch to polling.
        transcript.feed(.failed(connection: 3, ConnectFailure(phase: .connect, message: "connection refused")))
        transcript.pass(.seconds(60))
        #expect(openings() == [.webSocket])
    }

    @Test(arguments: [
        (EngineIO.TransportChoice.websocket, ConnectionRequest.Opening.webSocket), (.polling, .longPolling),
    ])
    func `a requested transport is the only one used`(
        transport: EngineIO.TransportChoice, opening: ConnectionRequest.Opening
    ) {
        var transcript = Transcript(
            Configuration(backend: .groupme, transport: transport, maximumAttempts: 9, resyncInterval: nil))
        for connection in 1...3 {
            let openings = transcript.effects.compactMap { effect -> ConnectionRequest.Opening? in
                if case .connect(let request) = effect { request.opening } else { nil }
            }
            #expect(openings == [opening])
            transcript.feed(
                .failed(connection: connection, ConnectFailure(phase: .handshake, httpStatus: 400, message: "400")))
            transcript.pass(.seconds(60))
        }
    }

    @Test func `a token refused by the channel is renewed once, and then considered invalid`() {
        var peer = GroupMeTranscript()
        peer.refusal = "access token authentication failed"
        peer.open()
        peer.answer("/users/me", #"{"id":"20000001"}"#)
        #expect(!peer.isReady)
        peer.feed(.tokenRenewed(changed: false))
        #expect(peer.finished == .refused("access token authentication failed"))
    }

    @Test func `a new token at the next connection is used for every subscription, including repeated ones`() {
        var peer = GroupMeTranscript.ready()
        #expect(peer.subscribed.count == 2)
        peer.restart()
        peer.pass(.seconds(10))
        peer.feed(.opened(connection: peer.transcript.connection, token: Secret("another-token")))
        #expect(peer.isReady)
        let repeated = peer.subscribed.dropFirst(2)
        #expect(repeated.map(\.channel) == ["/user/20000001", GroupMeTranscript.family])
        #expect(repeated.allSatisfy { $0.ext == #"{"access_token":"another-token"}"# })
    }

    @Test func `a renewed token is used for later subscriptions`() {
        var peer = GroupMeTranscript.ready()
        peer.feed(.tokenRenewed(Secret("another-token"), changed: true))
        peer.forget()
        peer.feed(.want(rooms: ["/group/10000002"], source: .ctl))
        let later = peer.subscribed.dropFirst(2)
        #expect(later.map(\.channel).sorted() == [GroupMeTranscript.family, "/group/10000002", "/user/20000001"])
        #expect(later.allSatisfy { $0.ext == #"{"access_token":"another-token"}"# })
    }

    @Test
    func `a token that the service refuses to identify is renewed once, and then considered invalid`() {
        var peer = GroupMeTranscript()
        peer.open()
        peer.answer("/users/me", status: 401, body: #"{"meta":{"code":401,"errors":["unauthorized"]}}"#)
        #expect(peer.finished == nil)
        peer.feed(.tokenRenewed(changed: false))
        peer.feed(.tokenRenewed(changed: false))
        #expect(peer.finished == .refused("the service does not accept the token"))
    }

    @Test func `a session that the server still has is resumed, and messages that may be missing are fetched`() throws {
        var peer = GroupMeTranscript.ready()
        peer.answer("messages?limit=100", GroupMeTranscript.page([3, 2, 1]))
        peer.answer("/groups/10000001", #"{"id":"10000001","name":"Family","members":[]}"#)
        peer.cut()
        peer.pass(.seconds(10))
        let before = peer.subscribed.count
        peer.open()
        #expect(peer.subscribed.count == before, "subscriptions stand in a session that was taken up again")
        #expect(peer.gaps == 1)
        #expect(peer.targets.contains { $0.contains("messages?limit=100") })
        #expect(
            peer.transcript.session.subscriptions.entries.allSatisfy {
                if case .joined = $0.state { true } else { false }
            })
    }

    @Test
    func
        `events queued in a resumed session arrive before the connect answer, and the session is ready`()
        throws
    {
        var peer = GroupMeTranscript.ready()
        peer.answer("messages?limit=100", GroupMeTranscript.page([1]))
        peer.answer("/groups/10000001", #"{"id":"10000001","name":"Family","members":[]}"#)
        peer.cut()
        try peer.say(GroupMeTranscript.id(2))
        peer.pass(.seconds(1))
        peer.open()
        #expect(peer.messages == ["01", "02"])
        #expect(peer.gaps == 1, "ready again, at once")
        peer.pass(.seconds(20))
        #expect(peer.gaps == 1, "and not given up for want of a word on the user's channel")
    }

    @Test func `a session that the server forgets on an open socket is a gap, and missed messages are fetched`()
        throws
    {
        var peer = GroupMeTranscript.ready()
        peer.answer("messages?limit=100", GroupMeTranscript.page([1]))
        peer.answer("/groups/10000001", #"{"id":"10000001","name":"Family","members":[]}"#)
        peer.pass(.seconds(5))
        try peer.say(GroupMeTranscript.id(1))
        let last = peer.transcript.now
        peer.forget()
        // The next probe, or connect, is answered with 401.
        for _ in 0..<70 { peer.pass(.seconds(1)) }
        #expect(peer.gaps == 1)
        let gap = peer.reports.compactMap { if case .gap(let gap) = $0 { gap } else { nil } }.first
        #expect(gap?.from == last, "since then nothing showed that the server still had it")
        #expect(peer.targets.contains { $0.contains("messages?limit=100") })
        try peer.say(GroupMeTranscript.id(2))
        #expect(peer.messages == ["01", "02"])
    }

    @Test func `while output is paused nothing times out, and a session forgotten meanwhile is a gap`()
        throws
    {
        var peer = GroupMeTranscript.ready()
        peer.answer("messages?limit=100", GroupMeTranscript.page([1]))
        peer.answer("/groups/10000001", #"{"id":"10000001","name":"Family","members":[]}"#)
        peer.pass(.seconds(5))
        try peer.say(GroupMeTranscript.id(1))
        let last = peer.transcript.now
        peer.feed(.reading(.paused))
        let subscribed = peer.subscribed.count
        // A server forgets a session that has sent no connect for twice the time it holds one.
        for _ in 0..<300 { peer.pass(.seconds(1)) }
        peer.forget()
        #expect(peer.subscribed.count == subscribed, "nothing is probed, since no answer would be read")
        #expect(!peer.reports.contains { if case .connection(.lost) = $0 { true } else { false } })
        peer.feed(.reading(.resumed))
        for _ in 0..<70 { peer.pass(.seconds(1)) }
        #expect(peer.gaps == 1)
        let gap = peer.reports.compactMap { if case .gap(let gap) = $0 { gap } else { nil } }.first
        #expect(gap?.from == last)
        #expect(peer.targets.contains { $0.contains("messages?limit=100") })
        try peer.say(GroupMeTranscript.id(2))
        #expect(peer.messages == ["01", "02"])
    }

    @Test func `unread data in the socket does not delay the start of a gap`() throws {
        var peer = GroupMeTranscript.ready()
        peer.pass(.seconds(5))
        try peer.say(GroupMeTranscript.id(1))
        let last = peer.transcript.now
        peer.feed(.reading(.paused))
        for _ in 0..<300 { peer.pass(.seconds(1)) }
        peer.forget()
        peer.feed(.reading(.resumed))
        // The server sent it early in the pause.
        let early = #"[{"channel":"/meta/connect","successful":true}]"#
        peer.feed(.message(connection: peer.transcript.connection, .text(early)))
        for _ in 0..<70 { peer.pass(.seconds(1)) }
        let gap = peer.reports.compactMap { if case .gap(let gap) = $0 { gap } else { nil } }.first
        #expect(gap?.from == last)
    }

    @Test func `a room the server never answers for is subscribed to again at the next full resync`() throws {
        var peer = GroupMeTranscript(
            Configuration(backend: .groupme, rooms: [GroupMeTranscript.family], resyncInterval: .seconds(50)))
        peer.open()
        peer.isDeaf = true
        peer.answer("/users/me", #"{"id":"20000001","name":"Me"}"#)
        #expect(peer.isReady, "the user's channel is answered")
        for _ in 0..<40 { peer.pass(.seconds(1)) }
        #expect(
            peer.transcript.session.subscriptions[GroupMeTranscript.family]?.state
                == .refused(why: RoomSubscriptions.noAnswer))
        peer.isDeaf = false
        peer.pass(.seconds(15))
        let state = peer.transcript.session.subscriptions[GroupMeTranscript.family]?.state
        #expect(state.map { if case .joined = $0 { true } else { false } } == true)
    }

    @Test func `after the server forgot the session, a new handshake and all subscriptions follow`() throws {
        var peer = GroupMeTranscript.ready()
        peer.answer("messages?limit=100", GroupMeTranscript.page([1]))
        peer.answer("/groups/10000001", #"{"id":"10000001","name":"Family","members":[]}"#)
        let before = peer.subscribed.count
        peer.restart()
        peer.pass(.seconds(10))
        peer.open()
        #expect(peer.subscribed.dropFirst(before).map(\.channel).sorted() == ["/group/10000001", "/user/20000001"])
        #expect(peer.gaps == 1)
        try peer.say(GroupMeTranscript.id(2))
        #expect(peer.messages == ["01", "02"])
    }
}
