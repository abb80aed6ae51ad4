import Testing
import TestSupport
import WeirWire

@testable import WeirNetwork

/// Checks answers that a server sends before or instead of a 101.
@Suite(.bothFramings) struct InterimAnswerTests {
    private func connect(_ before: String, times: Int = 1, _ body: (TestClient) throws -> Void) throws {
        let hex = before.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let peer = try Peer(["python3", peersFolder + "/frames_peer.py", "810161", "deaf", hex, "\(times)"])
        defer { peer.stop() }
        let port = try peer.listeningPort()
        try withLoop { loop in
            try body(try TestClient(loop, WebSocketRequest(url: URLParts(scheme: "ws", host: "127.0.0.1", port: port))))
        }
    }

    @Test(arguments: [1, 3, 32])
    func `answers 100 and 103 before the 101 are ignored`(count: Int) throws {
        // libwebsockets' own role treats the first head as the answer.
        guard BothFramings.current == .own else { return }
        let interim = ["HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"]
        try connect((0..<count).map { interim[$0 % 2] }.joined()) { client in
            #expect(client.messages(1) == [.text("a")])
        }
    }

    @Test func `interim answers are limited in number and in bytes`() throws {
        guard BothFramings.current == .own else { return }
        try connect(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 40)) { client in
            #expect(client.failure()?.message.contains("more than 32 interim answers") == true)
        }
        let large = "HTTP/1.1 103 E\r\nLink: " + String(repeating: "x", count: 12_000) + "\r\n\r\n"
        try connect(large, times: 30) { client in
            #expect(client.failure()?.message.contains("the heads are larger than") == true)
        }
    }

    @Test func `all heads of an answer together have the limit of one head`() throws {
        let (start, end) = ("HTTP/1.1 103 E\r\nLink: ", "\r\n\r\nHTTP/1.1 101 S\r\n\r\n")
        for excess in 0...1 {
            let room = Limits.head + excess - start.utf8.count - end.utf8.count
            let bytes = Array((start + String(repeating: "x", count: room) + end).utf8)
            for pieces in [[bytes[...]], [bytes.dropLast(), bytes.suffix(1)]] {
                var heads = InterimHeads()
                let take = {
                    for piece in pieces {
                        if let head = try piece.withUnsafeBytes({ try heads.take($0) }) { return head.0.status }
                    }
                    return 0
                }
                if excess == 0 {
                    #expect(try take() == 101)
                } else {
                    #expect(throws: HandshakeProblem.self) { try take() }
                }
            }
        }
    }

    @Test(arguments: [-4096, 4096])
    func `the head of an upgrade has the limit of every head, as counted by libwebsockets`(excess: Int) throws {
        let peer = try Peer(["python3", peersFolder + "/bad_peers.py", "head", "\(Limits.head + excess)"])
        defer { peer.stop() }
        let url = URLParts(scheme: "ws", host: "127.0.0.1", port: try peer.listeningPort())
        try withLoop { loop in
            let client = try TestClient(loop, WebSocketRequest(url: url))
            guard excess > 0 else { return client.waitForOpen() }
            #expect(
                client.failure()?.message
                    == "127.0.0.1:\(url.port): the head of the answer is larger than 262144 bytes, or has too many headers"
            )
        }
    }

    @Test(arguments: ["120", "Fri, 31 Dec 9999 23:59:59 GMT", "999999999999999999999"])
    func `a refused handshake reports how long the server asks to wait`(value: String) throws {
        let refusal = "Unavailable\r\nRetry-After: \(value)\r\nContent-Length: 0\r\n\r\n"
        for status in ["HTTP/1.1 503 ", "HTTP/1.1 429 "] {
            try connect(status + refusal) { client in
                guard case .after(let seconds)? = client.failure()?.retry else {
                    Issue.record("it does not say")
                    return
                }
                #expect(value == "120" ? seconds == 120 : seconds > 1_000_000_000)
            }
        }
    }

    @Test func `a Retry-After is parsed as seconds or as a date`() {
        let wall = Int64(784_111_777) * 1_000_000
        #expect(retryAfter("120", at: wall) == 120)
        #expect(retryAfter("Sun, 06 Nov 1994 08:51:37 GMT", at: wall) == 120)
        #expect(retryAfter("Sunday, 06-Nov-94 08:51:37 GMT", at: wall) == 120)
        #expect(retryAfter("Sun Nov  6 08:51:37 1994", at: wall) == 120)
        #expect(retryAfter("Sun, 06 Nov 1994 08:00:00 GMT", at: wall) == 0)
        #expect(retryAfter("soon", at: wall) == nil)
        #expect(retryAfter("-5", at: wall) == nil)
        #expect(retryAfter("", at: wall) == nil)
    }
}
