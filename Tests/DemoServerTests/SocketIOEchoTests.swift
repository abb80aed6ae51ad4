import Testing
import TestSupport
import WeirDemoServer
import WeirWire

/// Covers the official test suite of the Socket.IO protocol, over real sockets.
@Suite struct SocketIOEchoTests {
    /// Returns a WebSocket in the namespace `/`. Its log has four entries: opened, handshake, answer and `auth`.
    private func joined(_ client: EndpointClient) async throws -> EndpointSocket {
        let socket = try await client.openSocket("EIO=4&transport=websocket")
        await socket.send("40")
        #expect(try await socket.entry(4) == #"42["auth",{}]"#)
        return socket
    }

    @Test(arguments: [
        ("40", "40{", #"42["auth",{}]"#), (#"40{"token":"123"}"#, "40{", #"42["auth",{"token":"123"}]"#),
        ("40/custom,", "40/custom,{", #"42/custom,["auth",{}]"#),
        (#"40/custom,{"token":"abc"}"#, "40/custom,{", #"42/custom,["auth",{"token":"abc"}]"#),
    ])
    func `a client joins, and its auth payload is echoed`(packet: String, answer: String, auth: String) async throws {
        try await withEcho { client in
            let socket = try await client.openSocket("EIO=4&transport=websocket")
            await socket.send(packet)
            #expect(try await socket.entry(4) == auth)
            #expect(try await socket.entry(3).hasPrefix(answer + #""sid":""#))
        }
    }

    @Test func `revision 3 joins the main namespace by itself, and other namespaces by name and query`() async throws {
        try await withEcho { client in
            let socket = try await client.openSocket("EIO=3&transport=websocket")
            #expect(try await socket.entry(4) == #"42["auth",{}]"#)
            #expect(try await socket.entry(3) == "40")
            await socket.send("40/custom?token=abc,")
            #expect(try await socket.entry(6) == #"42/custom,["auth",{"token":"abc"}]"#)
            await socket.send("40/random")
            #expect(try await socket.entry(7) == #"44/random,{"message":"Invalid namespace"}"#)
        }
    }

    @Test func `a reconnected client keeps its session and receives missed events before the answer`() async throws {
        try await withEcho(.socketIO, EndpointOptions(recovery: .seconds(60))) { client in
            let lost = try await client.openSocket("EIO=4&transport=websocket")
            await lost.send("40")
            let answer = try await lost.entry(3)
            let pid = try #require(answer.split(separator: #""pid":""#).last?.split(separator: "\"").first)
            #expect(try await lost.entry(4).hasPrefix(#"42["auth",{},""#))
            await lost.send(#"42["message",1]"#)
            let seen = try await lost.entry(5)
            let offset = try #require(seen.split(separator: "\"").dropLast().last)
            #expect(seen == #"42["message-back",1,"\#(offset)"]"#)
            await lost.send(#"42["message",2]"#)
            let missed = try await lost.entry(6)
            await lost.close()
            await lost.expect("(closed 1000)")

            let back = try await client.openSocket("EIO=4&transport=websocket")
            await back.send(#"40{"pid":"\#(pid)","offset":"\#(offset)"}"#)
            #expect(try await back.entry(3) == missed)
            #expect(try await back.entry(4) == answer)
            await back.send(#"42["message",3]"#)
            #expect(try await back.entry(5).hasPrefix(#"42["message-back",3,""#))
        }
    }

    @Test func `an unknown namespace is refused`() async throws {
        try await withEcho { client in
            let socket = try await client.openSocket("EIO=4&transport=websocket")
            await socket.send("40/random")
            #expect(try await socket.entry(3) == #"44/random,{"message":"Invalid namespace"}"#)
        }
    }

    @Test(arguments: ["4abc", "42{}", #"42abc["message-with-ack",1]"#, "abc", "2"])
    func `a packet that violates the protocol closes the connection`(packet: String) async throws {
        try await withEcho { client in
            let socket = try await joined(client)
            await socket.send(packet)
            await socket.expect("(closed 1005)")
        }
    }

    @Test func `a client that joins no namespace or does not answer pings is closed`() async throws {
        try await withEcho(.socketIO, EndpointOptions(connectTimeout: .milliseconds(100))) { client in
            let idle = try await client.openSocket("EIO=4&transport=websocket")
            #expect(try await idle.entry(3) == "(closed 1005)")
        }
        let impatient = EndpointOptions(pingInterval: .milliseconds(100), pingTimeout: .milliseconds(50))
        try await withEcho(.socketIO, impatient) { client in
            let deaf = try await client.openSocket("EIO=4&transport=websocket")
            await deaf.send("40")
            await deaf.expect("(closed 1005)")
            #expect(deaf.log.all.contains("2"))
        }
    }

    @Test func `leaving one namespace keeps the other`() async throws {
        try await withEcho { client in
            let socket = try await joined(client)
            await socket.send("40/custom")
            #expect(try await socket.entry(6) == #"42/custom,["auth",{}]"#)
            await socket.send("41/custom")
            await socket.send(#"42["message","message to main namespace"]"#)
            #expect(try await socket.entry(7) == #"42["message-back","message to main namespace"]"#)
        }
    }

    @Test func `messages are echoed and acknowledged with their attachments`() async throws {
        try await withEcho { client in
            let socket = try await joined(client)
            await socket.send(#"42["message",1,"2",{"3":[true]}]"#)
            #expect(try await socket.entry(5) == #"42["message-back",1,"2",{"3":[true]}]"#)
            await socket.send(#"42456["message-with-ack",1,"2",{"3":[false]}]"#)
            #expect(try await socket.entry(6) == #"43456[1,"2",{"3":[false]}]"#)
            let holders = #"{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}"#
            await socket.send(#"452-["message",\#(holders)]"#)
            await socket.send([1, 2, 3])
            await socket.send([4, 5, 6])
            #expect(try await socket.entry(7) == #"452-["message-back",\#(holders)]"#)
            #expect(try await socket.entry(9) == "[4, 5, 6]")
            await socket.send(#"452-789["message-with-ack",\#(holders)]"#)
            await socket.send([1, 2, 3])
            await socket.send([4, 5, 6])
            #expect(try await socket.entry(10) == "462-789[\(holders)]")
            #expect(try await socket.entry(11) == "[1, 2, 3]")
            await socket.send(#"42["message"]"#)
            #expect(try await socket.entry(13) == #"42["message-back"]"#)
        }
    }

    @Test func `a polling session does the same, and learns of its end at the next request`() async throws {
        try await withEcho { client in
            let (query, _) = try await client.openPolling()
            _ = try await client.post(query, "40")
            #expect(try await client.get(query).body.hasSuffix("\u{1E}42[\"auth\",{}]"))
            let event = #"451-["message",{"_placeholder":true,"num":0}]"# + "\u{1E}bAQID"
            _ = try await client.post(query, event)
            #expect(
                try await client.get(query).body
                    == #"451-["message-back",{"_placeholder":true,"num":0}]"# + "\u{1E}bAQID")
            let waiting = try client.start(query)
            _ = try await client.post(query, "4abc")
            #expect(try await waiting.first().body == "1")
            let (other, _) = try await client.openPolling()
            _ = try await client.post(other, "4abc")
            #expect(try await client.get(other).body == "6\u{1E}1")
            #expect(try await client.get(other).status == 400)
        }
    }

    @Test func `in revision 3 the open packet has a poll of its own, and the rest follows`() async throws {
        try await withEcho { client in
            let (query, open) = try await client.openPolling(.v3)
            #expect(open.body.hasPrefix("118:0{"))
            #expect(open.body.utf8.count == 122)
            #expect(try await client.get(query).body == #"2:4013:42["auth",{}]"#)
        }
    }
}
