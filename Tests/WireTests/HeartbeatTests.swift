import Testing
import WeirWire

/// Tests with an interval of 25 s and a timeout of 20 s (`openPacket` and the server's default).
struct HeartbeatTests {
    // MARK: The client

    @Test func `a revision 3 client pings, and any packet from the server counts as the answer`() {
        var client = ClientTranscript.joined(.v3)
        #expect(client.machine.deadline == ms(25_000))
        #expect(client.advance(to: 24_999) == [])
        #expect(client.advance(to: 25_000) == ["send 2"])
        #expect(client.machine.deadline == ms(45_000))
        #expect(client.receive(#"42["x"]"#, at: 30_000) == ["event / x "])
        #expect(client.machine.deadline == ms(55_000))
        #expect(client.receive("3", at: 31_000) == [], "a late pong does not postpone the next ping")
        #expect(client.advance(to: 55_000) == ["send 2"])
        #expect(client.receive("3", at: 56_000) == [])
        #expect(client.machine.deadline == ms(81_000))
    }

    @Test func `a revision 3 client ends when its ping stays unanswered`() {
        var client = ClientTranscript.joined(.v3)
        _ = client.emit("ask", nil, wantsAck: true)
        #expect(client.advance(to: 25_000) == ["send 2"])
        #expect(client.advance(to: 44_999) == [])
        #expect(client.advance(to: 45_000) == ["unacknowledged 0 disconnected", "close pingTimeout"])
        #expect(client.machine.deadline == nil)
        #expect(client.advance(to: 1_000_000) == [])
    }

    @Test func `a revision 3 client advanced to a late time performs everything in order`() {
        var client = ClientTranscript.joined(.v3)
        #expect(client.advance(to: 3_600_000) == ["send 2", "close pingTimeout"])
    }

    @Test func `a revision 4 client answers pings, and echoes only the probe`() {
        var client = ClientTranscript.joined(.v4)
        #expect(client.receive("2", at: 25_000) == ["send 3"])
        #expect(client.receive("2probe", at: 26_000) == ["send 3probe"])
        #expect(client.receive("2other", at: 27_000) == ["send 3"])
        #expect(client.machine.deadline == ms(27_000 + 45_000))
    }

    @Test func `a revision 4 client ends when no packet follows a due ping`() {
        var client = ClientTranscript.joined(.v4)
        #expect(client.receive(#"42["x"]"#, at: 24_999) == ["event / x "])
        #expect(client.machine.deadline == ms(45_000))
        #expect(client.advance(to: 44_999) == [])
        #expect(client.advance(to: 45_000) == ["close pingTimeout"])
    }

    @Test func `a revision 4 client answers a ping that is delayed behind other data early, and only once`() {
        var client = ClientTranscript.joined(.v4)
        #expect(client.receive(#"42["x"]"#, at: 30_000) == ["event / x "])
        #expect(client.machine.deadline == ms(35_000), "the ping was sent ten seconds ago")
        #expect(client.advance(to: 35_000) == ["send 3"])
        #expect(client.receive(#"42["x"]"#, at: 44_000) == ["event / x "])
        #expect(client.receive("2", at: 46_000) == [])
        #expect(client.receive("2", at: 60_000) == ["send 3"])
        #expect(client.advance(to: 104_999) == [])
        #expect(client.advance(to: 105_000) == ["close pingTimeout"])
    }

    @Test func `a revision 4 client that reads a backlog and pauses often answers each ping early in time`() {
        var client = ClientTranscript.joined(.v4)
        var told: [String] = []
        for second in Int64(10)..<150 {
            client.machine.set(second % 2 == 0 ? .paused : .resumed, at: ms(second * 1000))
            told += client.advance(to: second * 1000)
            if second % 2 == 1 { told += client.receive(#"42["x"]"#, at: second * 1000) }
            // A ping is due at 25 s, and 25 s after each answer.
            let answers = told.count { $0 == "send 3" }
            #expect(answers == (second < 35 ? 0 : 1 + Int(second - 35) / 35))
        }
        #expect(told.allSatisfy { $0 == "send 3" || $0 == "event / x " })
        client.machine.set(.resumed, at: ms(150_000))
        #expect(client.advance(to: 184_999) == [])
        #expect(client.advance(to: 185_000) == ["close pingTimeout"])
    }

    @Test(arguments: EngineIO.Revision.allCases)
    func `the handshake has one deadline for the open packet and the connect answer`(revision: EngineIO.Revision) {
        var silent = ClientTranscript(revision)
        #expect(silent.machine.deadline == ms(20_000))
        #expect(silent.advance(to: 20_000) == ["close handshakeTimeout"])
        var open = ClientTranscript(revision, namespace: "/admin")
        _ = open.receive(openPacket, at: 15_000)
        #expect(open.advance(to: 19_999) == [])
        #expect(open.advance(to: 20_000) == ["close handshakeTimeout"])
    }

    @Test func `heartbeats continue while the namespace's answer is due`() {
        var client = ClientTranscript(.v3, namespace: "/admin")
        _ = client.receive(#"0{"sid":"s","pingInterval":1000,"pingTimeout":500}"#)
        #expect(client.advance(to: 1_000) == ["send 2"])
        #expect(client.receive("40", at: 1_100) == [])
        #expect(client.advance(to: 30_000) == ["send 2", "close pingTimeout"])
    }

    @Test func `timers of any length from a server are accepted without a trap`() {
        var client = ClientTranscript(.v4)
        #expect(client.receive(#"0{"sid":"s","pingInterval":1e300,"pingTimeout":1e300}"#) == ["send 40"])
        #expect(client.receive(#"40{"sid":"s"}"#) == ["connected s"])
        #expect(client.machine.deadline == ms(2 * 2_147_483_647))
        var hectic = ClientTranscript(.v3)
        _ = hectic.receive(#"0{"sid":"s","pingInterval":1,"pingTimeout":2147483647}"#)
        _ = hectic.receive("40")
        #expect(hectic.advance(to: 2_000_000_000) == ["send 2"], "one ping is out at a time")
    }

    // MARK: The server

    @Test func `a revision 4 server pings, and each pong restarts the interval`() {
        var server = ServerTranscript.joined(.v4)
        #expect(server.machine.deadline == ms(25_000))
        #expect(server.advance(to: 25_000) == ["send 2"])
        #expect(server.machine.deadline == ms(45_000))
        #expect(server.receive(#"42["x"]"#, at: 40_000) == ["event / x "])
        #expect(server.machine.deadline == ms(45_000), "only a pong is an answer")
        #expect(server.receive("3", at: 41_000) == [])
        #expect(server.machine.deadline == ms(66_000))
        #expect(server.receive("3", at: 50_000) == [])
        #expect(server.machine.deadline == ms(75_000))
    }

    @Test func `a revision 4 server closes without a pong`() {
        var server = ServerTranscript.joined(.v4)
        #expect(server.advance(to: 3_600_000) == ["send 2", "close ping timeout"])
        #expect(server.machine.deadline == nil)
        #expect(server.receive(#"42["x"]"#) == [])
    }

    @Test func `a revision 3 server answers pings, and closes without them`() {
        var server = ServerTranscript.joined(.v3)
        #expect(server.receive("2", at: 25_000) == ["send 3"])
        #expect(server.receive("2probe", at: 26_000) == ["send 3probe"])
        #expect(server.receive(#"42["x"]"#, at: 60_000) == ["event / x "])
        #expect(server.advance(to: 70_999) == [])
        #expect(server.advance(to: 71_000) == ["close ping timeout"])
    }

    @Test func `a heartbeat in the wrong direction closes the connection`() {
        var three = ServerTranscript.joined(.v3)
        #expect(three.receive("3") == ["close parse error: a heartbeat in the wrong direction"])
        var four = ServerTranscript.joined(.v4)
        #expect(four.receive("2") == ["close parse error: a heartbeat in the wrong direction"])
    }

    @Test func `a revision 4 client that joins no namespace is disconnected`() {
        var server = ServerTranscript(.v4)
        _ = server.start()
        #expect(server.advance(to: 44_999) == ["send 2"])
        #expect(server.receive("3", at: 44_999) == [])
        #expect(server.advance(to: 45_000) == ["close no namespace joined in time"])
        var joined = ServerTranscript.joined(.v4)
        _ = joined.advance(to: 44_000)
        #expect(joined.receive("3", at: 44_000) == [])
        #expect(joined.advance(to: 45_000) == [])
    }

    // MARK: A socket that is not read

    @Test func `while the socket is not read, a revision 4 client answers pings early, and none twice`() {
        var client = ClientTranscript.joined(.v4)
        client.machine.set(.paused, at: ms(30_000))
        #expect(client.machine.deadline == ms(35_000), "ten seconds after the server pinged")
        #expect(client.advance(to: 200_000) == Array(repeating: "send 3", count: 5))
        client.machine.set(.resumed, at: ms(200_000))
        for _ in 1...5 { #expect(client.receive("2", at: 200_000) == []) }
        #expect(client.receive("2", at: 225_000) == ["send 3"])
    }

    @Test func `while the socket is not read, a revision 3 client keeps pinging and does not time out`() {
        var client = ClientTranscript.joined(.v3)
        client.machine.set(.paused, at: ms(1_000))
        #expect(client.advance(to: 100_000) == ["send 2", "send 2"])
        client.machine.set(.resumed, at: ms(100_000))
        #expect(client.advance(to: 119_999) == ["send 2"])
    }

    @Test func `after a stall a client reads waiting data before it considers the server silent`() {
        var client = ClientTranscript.joined(.v4)
        client.machine.set(.stalled, at: ms(44_999))
        #expect(client.advance(to: 3_600_000) == [])
        client.machine.set(.resumed, at: ms(3_600_000))
        #expect(client.advance(to: 3_619_999) == [])
        #expect(client.advance(to: 3_620_000) == ["close pingTimeout"])
    }

    @Test func `deadlines for pending answers are extended by the time the socket was not read`() {
        var client = ClientTranscript(.v4)
        client.machine.set(.paused, at: ms(19_000))
        #expect(client.advance(to: 60_000) == [])
        client.machine.set(.resumed, at: ms(60_000))
        #expect(client.machine.deadline == ms(20_000 + 41_000 + 2_000))
    }
}
