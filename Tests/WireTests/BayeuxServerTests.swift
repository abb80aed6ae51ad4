import Testing
import WeirWire

struct BayeuxServerTests {
    static let handshake =
        #"{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["websocket"],"id":"1"}"#
    static let connect = #"{"channel":"/meta/connect","clientId":"c1","connectionType":"websocket","id":"2"}"#
    static let advice = #""advice":{"reconnect":"retry","interval":0,"timeout":5000}"#

    static func subscribe(_ name: String, id: String = "3", ext: String = "") -> String {
        #"{"channel":"/meta/subscribe","clientId":"c1","subscription":"\#(name)","id":"\#(id)"\#(ext)}"#
    }

    /// A server with the session `c1`, bound to WebSocket 1 by a connect (id 2), subscribed to `/a/*`.
    static func subscribed() -> BayeuxServerTranscript {
        var server = BayeuxServerTranscript()
        _ = server.receive(handshake)
        _ = server.receive(connect)
        _ = server.receive(subscribe("/a/*"))
        return server
    }

    @Test(arguments: [handshake, "[\(handshake)]"])
    func `a handshake is answered with a session and advice`(frame: String) {
        var server = BayeuxServerTranscript()
        #expect(
            server.receive(frame) == [
                "began 1",
                """
                1 ◄ [{"id":"1","channel":"/meta/handshake","successful":true,"version":"1.0",\
                "supportedConnectionTypes":["long-polling","websocket"],"clientId":"c1",\(Self.advice)}]
                """,
            ])
        #expect(server.clientIDs.first?.count == 31)
    }

    @Test func `a connect is held, and every other message is answered at once`() {
        var server = BayeuxServerTranscript()
        _ = server.receive(Self.handshake)
        #expect(server.receive(Self.connect) == [])
        #expect(
            server.receive(Self.subscribe("/a/*")) == [
                "1 subscribed /a/*",
                #"1 ◄ [{"id":"3","channel":"/meta/subscribe","successful":true,"clientId":"c1","subscription":"/a/*"}]"#,
            ])
        #expect(server.advance(to: 4999) == [])
        #expect(
            server.advance(to: 5000) == [
                #"1 ◄ [{"id":"2","channel":"/meta/connect","successful":true,"clientId":"c1",\#(Self.advice)}]"#
            ])
    }

    @Test func `a frame with a held connect is answered together with the connect`() {
        var server = BayeuxServerTranscript()
        _ = server.receive(Self.handshake)
        #expect(server.receive("[\(Self.connect),\(Self.subscribe("/a"))]") == ["1 subscribed /a"])
        let answers = server.advance(to: 5000)
        #expect(answers.count == 1)
        #expect(answers.first?.hasPrefix(#"1 ◄ [{"id":"2","channel":"/meta/connect""#) == true)
        #expect(answers.first?.contains(#"},{"id":"3","channel":"/meta/subscribe","successful":true"#) == true)
    }

    @Test func `events are sent in their own frames, once, without the publisher's ext`() {
        var server = Self.subscribed()
        _ = server.receive(Self.subscribe("/a/b", id: "4"))
        let publication = #"{"channel":"/a/b","clientId":"c1","id":"9","data":{"x":1},"ext":{"access_token":"good"}}"#
        #expect(
            server.receive(publication) == [
                #"1 published {"x":1} on /a/b"#, #"1 ◄ [{"channel":"/a/b","data":{"x":1},"id":"9"}]"#,
                #"1 ◄ [{"id":"9","channel":"/a/b","successful":true}]"#,
            ], "the event first, then the answer (Bayeux BX-20)")
        #expect(server.publish("/a/c", "null").count == 1)
        #expect(server.publish("/b", "1") == [])
    }

    @Test func `events published without a pending connect wait, and are sent right after the next one`() {
        var server = BayeuxServerTranscript()
        _ = server.receive(Self.handshake)
        _ = server.receive(Self.subscribe("/a/*"))
        #expect(server.publish("/a/b", "1") == [])
        #expect(server.publish("/a/b", "2") == [])
        #expect(
            server.receive(Self.connect) == [
                #"1 ◄ [{"channel":"/a/b","data":1,"id":"1"}]"#, #"1 ◄ [{"channel":"/a/b","data":2,"id":"2"}]"#,
            ], "and the connect is held all the same (Bayeux BX-13)")
    }

    @Test func `another socket takes over the session with a connect and receives the queued events`() {
        var server = Self.subscribed()
        server.machine.linkClosed(1)
        #expect(server.publish("/a/b", "1") == [])
        #expect(server.receive(Self.connect, on: 2, at: 9000) == [#"2 ◄ [{"channel":"/a/b","data":1,"id":"1"}]"#])
        #expect(server.receive(Self.connect, on: 3, at: 9100) == [])
        #expect(server.publish("/a/b", "2") == [#"3 ◄ [{"channel":"/a/b","data":2,"id":"2"}]"#])
    }

    @Test func `a session ends at twice the timeout after its last connect, and its socket with it`() {
        var server = Self.subscribed()
        _ = server.advance(to: 5000)
        #expect(server.publish("/a/b", "1").count == 1, "delivered though no connect is out (Bayeux BX-14)")
        #expect(server.advance(to: 9999) == [])
        #expect(server.advance(to: 10_000) == ["1 closed", "ended 1"])
        #expect(
            server.receive(Self.connect, on: 2, at: 10_000).first?.hasSuffix(
                #"Unknown client","advice":{"reconnect":"handshake","interval":0}}]"#) == true)
    }

    @Test func `the later of two connects is answered, at the time the first one was due`() {
        var server = Self.subscribed()
        _ = server.receive(Self.connect.replacing(#""id":"2""#, with: #""id":"8""#), at: 2000)
        let answers = server.advance(to: 5000)
        #expect(answers.count == 1)
        #expect(answers.first?.contains(#""id":"8""#) == true)
        #expect(server.advance(to: 9000) == [])
    }

    @Test func `a connect with a timeout of 0 is answered at once`() {
        var server = BayeuxServerTranscript()
        _ = server.receive(Self.handshake)
        let probe = Self.connect.dropLast() + #","advice":{"timeout":0}}"#
        #expect(server.receive(String(probe)).first?.contains(#""channel":"/meta/connect","successful":true"#) == true)
    }

    @Test func `a poll is answered as soon as there are events, which follow its own reply`() {
        var server = BayeuxServerTranscript()
        _ = server.receive(Self.handshake, on: 10, isSocket: false)
        _ = server.receive(Self.subscribe("/a/*"), on: 11, isSocket: false)
        #expect(server.receive(Self.connect, on: 12, isSocket: false) == [])
        let answers = server.publish("/a/b", "1")
        #expect(answers.count == 1)
        #expect(answers.first?.hasPrefix(#"12 ◄ [{"id":"2","channel":"/meta/connect","successful":true"#) == true)
        #expect(answers.first?.hasSuffix(#"},{"channel":"/a/b","data":1,"id":"1"}]"#) == true)
        #expect(server.publish("/a/b", "2") == [], "between polls it waits")
        #expect(server.receive(Self.connect, on: 13, isSocket: false).first?.contains(#""data":2"#) == true)
    }

    @Test func `tokens are required by some backends, and a refusal contains no advice`() {
        var server = BayeuxServerTranscript()
        server.wantsToken = true
        _ = server.receive(Self.handshake)
        #expect(
            server.receive(Self.subscribe("/user/1", ext: #","ext":{"access_token":"bad"}"#)) == [
                """
                1 ◄ [{"id":"3","channel":"/meta/subscribe","successful":false,"clientId":"c1",\
                "subscription":"/user/1","error":"403::access token authentication failed"}]
                """
            ])
        #expect(server.receive(Self.subscribe("/user/1", ext: #","ext":{"access_token":"good"}"#)).count == 2)
        #expect(server.receive(#"{"channel":"/user/1","data":1}"#).first?.contains(#""successful":false"#) == true)
    }

    @Test(arguments: [
        (
            #"{"channel":"/meta/subscribe","clientId":"c1","subscription":"/direct_message/1+2"}"#,
            "405:/direct_message/1+2:Invalid channel"
        ),
        (
            #"{"channel":"/meta/subscribe","clientId":"c1","subscription":"/meta/connect"}"#,
            "403:/meta/connect:Forbidden channel"
        ),
        (#"{"channel":"/meta/subscribe","clientId":"zz","subscription":"/a"}"#, "401:zz:Unknown client"),
        (#"{"channel":"/meta/subscribe","clientId":"c1"}"#, "402:subscription:Missing required parameter"),
        (#"{"channel":"/meta/connect","clientId":"c1"}"#, "402:connectionType:Missing required parameter"),
        (
            #"{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["iframe"]}"#,
            "301:iframe:Connection types not supported"
        ),
        (#"{"channel":"/a/*","data":1}"#, "405:/a/*:Invalid channel"),
        (#"{"channel":"/meta/other","data":1}"#, "403:/meta/other:Forbidden channel"),
        (#"{"channel":"/a"}"#, "402:data:Missing required parameter"),
    ])
    func `error texts equal Faye's, word for word`(frame: String, error: String) {
        var server = BayeuxServerTranscript()
        _ = server.receive(Self.handshake)
        let answers = server.receive(frame)
        #expect(answers.count == 1)
        #expect(answers.first?.contains(#""successful":false"#) == true)
        #expect(answers.first?.contains("\"error\":\"\(error)\"") == true)
    }

    @Test func `text that is not JSON is ignored on a socket and refused in an HTTP exchange`() {
        var server = BayeuxServerTranscript()
        #expect(server.receive("{") == [])
        #expect(server.receive("{", on: 2, isSocket: false) == ["2 refused 400"])
        #expect(server.receive("[]", on: 3, isSocket: false) == ["3 ◄ []"])
    }

    @Test func `a disconnect is answered, and the socket is closed`() {
        var server = Self.subscribed()
        let lines = server.receive(#"{"channel":"/meta/disconnect","clientId":"c1","id":"9"}"#)
        #expect(lines.first == #"1 ◄ [{"id":"9","channel":"/meta/disconnect","successful":true,"clientId":"c1"}]"#)
        #expect(lines.suffix(2) == ["1 closed", "ended 1"])
        #expect(server.machine.sessionCount == 0)
    }

    @Test func `a client that never fetches its events loses its session, so the server's memory is bounded`() {
        var server = BayeuxServerTranscript(.init(timeout: .seconds(5), mostQueued: 3))
        _ = server.receive(Self.handshake)
        _ = server.receive(Self.subscribe("/a/*"))
        for _ in 0..<3 { #expect(server.publish("/a/b", "1") == []) }
        #expect(server.publish("/a/b", "1") == ["ended 1"])
        #expect(server.receive(Self.connect).first?.contains(#""reconnect":"handshake""#) == true)
    }

    @Test func `the numbers of sessions and subscriptions are limited`() {
        var server = BayeuxServerTranscript(.init(timeout: .seconds(5), mostSessions: 1, mostSubscriptions: 1))
        _ = server.receive(Self.handshake)
        #expect(server.receive(Self.handshake).first?.contains("503::Too many sessions") == true)
        _ = server.receive(Self.subscribe("/a"))
        #expect(server.receive(Self.subscribe("/b")).first?.contains("Too many subscriptions") == true)
    }
}
