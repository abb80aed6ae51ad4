import Testing
import TestSupport
import WeirJSON
import WeirSocketIO

/// A client against servers that were not written here.
@Suite(.serialized, .timeLimit(.minutes(2))) struct PeerTests {
    /// A server's environment and a way to reach it.
    struct Lane: Sendable, CustomTestStringConvertible {
        let name: String
        let transport: SocketIOOptions.Transport
        var testDescription: String { "\(name), \(transport)" }

        static let all = ["socketio4", "socketio5"].filter { environment($0) != nil }.flatMap { name in
            [SocketIOOptions.Transport.webSocket, .polling, .upgrade].map { Lane(name: name, transport: $0) }
        }
    }

    @Test(arguments: Lane.all)
    func `python-socketio understands the client`(lane: Lane) async throws {
        let port = try freePort()
        let python = try #require(environment(lane.name)) + "/bin/python"
        let peer = try Peer([python, "\(peersFolder)/sio_python.py", "--port", "\(port)", "--path", "socket.io"])
        defer { peer.stop() }
        try peer.readLine(startingWith: "listening")
        var options = SocketIOOptions()
        options.transport = lane.transport
        options.reconnectDelay = .milliseconds(20)
        let client = SocketIOClient("http://127.0.0.1:\(port)", options: options)
        let binary = client.events(named: "test:binary")
        let questions = client.events(named: "test:question")
        try await client.connect()

        let echo = try await client.request("test:echo", 1, "zwei", [3.5])
        let (one, two, three) = try echo.decode(Int.self, String.self, [Double].self)
        #expect((one, two, three[0]) == (1, "zwei", 3.5))

        try await client.emit("test:binary")
        for await event in binary {
            let (head, first, rest) = try event.decode([String: Int].self, SocketIOBinary.self, [SocketIOBinary].self)
            #expect(head == ["n": 1])
            #expect(first.bytes == [1, 2, 3])
            #expect(rest.map(\.bytes) == [[4, 5]])
            break
        }

        async let answer = client.request("test:ask", "how?")
        for await question in questions {
            #expect(question[0] == "how?")
            try await question.acknowledge("so", SocketIOBinary([7]))
            break
        }
        let (reply, data) = try await answer.decode(String.self, SocketIOBinary.self)
        #expect(reply == "so")
        #expect(data.bytes == [7])

        let refused = await #expect(throws: SocketIOError.self) {
            let admin = try await client.join("/admin")
            // Engine.IO 3 servers of this test let everybody in.
            let _: Int = try await admin.request("test:echo", 1)
            throw SocketIOError.refused(namespace: "/admin", message: "not authorized", data: nil)
        }
        guard case .refused("/admin", "not authorized", _)? = refused else {
            Issue.record("\(String(describing: refused))")
            return
        }
        if lane.name == "socketio5" {
            let admin = try await client.join("/admin", auth: ["token": "secret"])
            let same: String = try await admin.request("test:echo", "ä")
            #expect(same == "ä")
        }

        let states = client.states
        try await client.emit("test:kick")
        kick: for await state in states {
            switch state {
            case .removed: break kick
            // A session that ends between two polls takes the packet with it (python-socketio 4).
            case .waiting: break kick
            case .connecting, .joined, .refused, .malformed, .ended: break
            }
        }
        let again: Int = try await client.request("test:echo", 2)
        #expect(again == 2)
        await client.disconnect()
    }
}
