import Glibc
import Testing
import TestSupport
import WeirThreads
import WeirWire

@testable import WeirNetwork

@Suite(.bothFramings) struct ConnectFailureTests {
    @Test("An untrusted authority is refused, and the reason is reported")
    func wrongAuthority() throws {
        let certificates = try Certificates.shared.get()
        let failure = try tlsFailure(certificates.good, trust: .file(certificates.stranger))
        #expect(failure?.phase == .tls)
        #expect(
            failure?.message.contains("unable to get local issuer certificate") == true, "\(failure?.message ?? "")")
    }

    @Test("The system's authorities do not include a private one")
    func systemTrust() throws {
        let failure = try tlsFailure(try Certificates.shared.get().good, trust: .system)
        #expect(failure?.phase == .tls)
        #expect(failure?.message.contains("issuer certificate") == true, "\(failure?.message ?? "")")
    }

    @Test(
        "A certificate for another host is refused, by name, by IPv4 and by IPv6 address",
        arguments: ["localhost", "127.0.0.1", "::1"])
    func wrongHost(host: String) throws {
        let certificates = try Certificates.shared.get()
        let failure = try tlsFailure(certificates.otherName, trust: .file(certificates.authority), host: host)
        #expect(failure?.phase == .tls)
        #expect(failure?.message.contains("mismatch") == true, "\(failure?.message ?? "")")
    }

    @Test("An expired certificate is refused")
    func expired() throws {
        let certificates = try Certificates.shared.get()
        let failure = try tlsFailure(certificates.expired, trust: .file(certificates.authority))
        #expect(failure?.message.contains("certificate has expired") == true, "\(failure?.message ?? "")")
    }

    @Test(
        "A certificate for the host is accepted, by name, by IPv4 and by IPv6 address",
        arguments: ["localhost", "127.0.0.1", "::1"])
    func rightHost(host: String) throws {
        let certificates = try Certificates.shared.get()
        try withLoop { loop in
            let server = try HTTPServer(
                on: loop, address: host == "::1" ? "::1" : "127.0.0.1", identity: certificates.good,
                handler: TestHandler())
            let client = try TestClient(
                loop,
                WebSocketRequest(
                    url: socketURL(server, secure: true, host: host),
                    access: Access(trust: .file(certificates.authority)))
            )
            client.onLoop { $0.send(.text("hello")) }
            #expect(client.messages(1) == [.text("hello")])
            server.close()
        }
    }

    @Test(
        "The error for a missing or invalid CA file contains its path", arguments: ["/nonexistent/ca.pem", "/dev/null"])
    func badAuthorityFile(path: String) throws {
        try withLoop { loop in
            let url = URLParts(scheme: "wss", host: "127.0.0.1", port: 1)
            let client = try TestClient(loop, WebSocketRequest(url: url, access: Access(trust: .file(path))))
            let failure = client.failure()
            #expect(failure?.phase == .tls)
            #expect(failure?.message.hasPrefix(path + ": ") == true, "\(failure?.message ?? "")")
        }
    }

    @Test("A TLS connection to a server without TLS is reported")
    func noTLS() throws {
        try withLoop { loop in
            let server = try HTTPServer(on: loop, handler: TestHandler())
            let client = try TestClient(loop, WebSocketRequest(url: socketURL(server, secure: true)))
            let failure = client.failure()
            #expect(failure?.phase == .tls)
            #expect(failure?.message.contains("wrong version number") == true, "\(failure?.message ?? "")")
            server.close()
        }
    }

    @Test("A closed port is reported with the system's message")
    func closedPort() throws {
        let free = try listen(address: "127.0.0.1", port: 0)
        close(free.descriptor)
        try withLoop { loop in
            for secure in [false, true] {
                let url = URLParts(scheme: secure ? "wss" : "ws", host: "127.0.0.1", port: free.port)
                let failure = try TestClient(loop, WebSocketRequest(url: url)).failure()
                #expect(
                    failure == ConnectFailure(phase: .connect, message: "127.0.0.1:\(free.port): Connection refused"))
            }
        }
    }

    @Test("If the first address of a name does not answer, the next one is tried")
    func nextAddress() throws {
        try withLoop { loop in
            // `localhost` is ::1 and 127.0.0.1 on most machines. The server listens only on the second.
            let server = try HTTPServer(on: loop, handler: TestHandler())
            let client = try TestClient(loop, WebSocketRequest(url: socketURL(server, host: "localhost")))
            client.waitForOpen()
            server.close()
        }
    }

    @Test("A name that does not exist is reported")
    func unresolvable() throws {
        try withLoop { loop in
            let url = URLParts(scheme: "ws", host: "no-such-host.invalid", port: 80)
            let failure = try TestClient(loop, WebSocketRequest(url: url)).failure(seconds: 30)
            #expect(failure?.phase == .resolve)
            #expect(failure?.message.hasPrefix("no-such-host.invalid: ") == true, "\(failure?.message ?? "")")
        }
    }

    @Test(
        "A refused upgrade is reported with its status and the server's message",
        arguments: [
            (401, "no\n", ": no"), (403, "", ""), (404, "<!doctype html>\n<p>Not found", ""),
            (400, #"{"code":5,"message":"Unsupported protocol version"}"#, ": Unsupported protocol version (code 5)"),
            (400, #""Invalid transport""#, ": Invalid transport"), (503, "\u{1B}[2Jbusy", ": [2Jbusy"),
        ])
    func refused(status: Int, body: String, words: String) throws {
        try withLoop { loop in
            let handler = TestHandler(refusal: { _ in HTTPResponse(status: status, body: Array(body.utf8)) })
            let server = try HTTPServer(on: loop, handler: handler)
            let failure = try TestClient(loop, WebSocketRequest(url: socketURL(server))).failure()
            #expect(failure?.phase == .handshake)
            #expect(failure?.httpStatus == status)
            // libwebsockets' own role does not expose the body.
            let words = BothFramings.current == .own ? words : ""
            #expect(
                failure?.message
                    == "127.0.0.1:\(server.port): the server refuses the WebSocket with HTTP status \(status)\(words)")
            server.close()
        }
    }

    @Test(
        "A misbehaving server is reported",
        arguments: [
            ("noise", "may not be an HTTP server"), ("closing", "closed the connection"),
            ("wrong-accept", "Accept hash wrong"),
            ("reset", "closed the connection"), ("redirect", "HTTP status 302"),
        ])
    func badPeers(kind: String, problem: String) throws {
        let peer = try Peer(["python3", peersFolder + "/bad_peers.py", kind])
        defer { peer.stop() }
        let url = URLParts(scheme: "ws", host: "127.0.0.1", port: try peer.listeningPort())
        try withLoop { loop in
            let failure = try TestClient(loop, WebSocketRequest(url: url)).failure()
            #expect(failure?.phase == .handshake)
            #expect(failure?.message.contains(problem) == true, "\(failure?.message ?? "")")
        }
    }

    @Test("A silent server times out, in the WebSocket handshake and in the TLS handshake", arguments: [false, true])
    func silent(secure: Bool) throws {
        let peer = try Peer(["python3", peersFolder + "/bad_peers.py", "silent"])
        defer { peer.stop() }
        let url = URLParts(scheme: secure ? "wss" : "ws", host: "127.0.0.1", port: try peer.listeningPort())
        try withLoop { loop in
            let began = loop.now
            let failure = try TestClient(loop, WebSocketRequest(url: url, timeout: .milliseconds(300))).failure()
            #expect(failure?.phase == (secure ? .tls : .handshake))
            #expect(failure?.message.contains("no answer within 300 ms") == true, "\(failure?.message ?? "")")
            #expect(loop.now - began >= .milliseconds(300))
        }
    }

    @Test("A frame that violates the protocol closes the socket")
    func badFrame() throws {
        let peer = try Peer(["python3", peersFolder + "/bad_peers.py", "masked"])
        defer { peer.stop() }
        let url = URLParts(scheme: "ws", host: "127.0.0.1", port: try peer.listeningPort())
        try withLoop { loop in
            let client = try TestClient(loop, WebSocketRequest(url: url))
            #expect(client.close() != nil)
            #expect(received(client.events.all).isEmpty)
        }
    }

    @Test("A socket that is closed before it opens fails exactly once")
    func closedEarly() throws {
        try withLoop { loop in
            let server = try HTTPServer(on: loop, handler: TestHandler())
            let events = Mailbox<WebSocketEvent>()
            loop.run {
                let client = WebSocketClient(on: loop, WebSocketRequest(url: socketURL(server))) { events.put($0) }
                client.close(WebSocketClose(code: 1000))
                client.close(WebSocketClose(code: 1000))
            }
            let told = events.wait { !$0.isEmpty }
            if case .failed(let failure) = told[0] {
                #expect(failure.message == "closed before it opened")
            } else {
                Issue.record()
            }
            server.close()
            #expect(events.all.count == 1)
        }
    }

    @Test(
        "An invalid request is refused before it is sent",
        arguments: [("Bad Name", "x"), ("X-Bad", "a\r\nInjected: yes"), ("Host", "other"), ("Sec-WebSocket-Key", "x")])
    func badHeaders(name: String, value: String) throws {
        try withLoop { loop in
            let handler = TestHandler()
            let server = try HTTPServer(on: loop, handler: handler)
            let failure = try TestClient(loop, WebSocketRequest(url: socketURL(server), headers: [(name, value)]))
                .failure()
            #expect(failure?.message.contains(name) == true)
            server.close()
            #expect(handler.events.all.isEmpty)
        }
    }

    @Test(
        "Invalid parts of a URL are refused",
        arguments: [
            ("", "/"), ("h\r\nX: y", "/"), ("h\0.example", "/"), ("h", "/ HTTP/1.1\r\nX: y"), ("h", "no-slash"),
            ("h@i", "/"),
        ])
    func badParts(host: String, path: String) throws {
        try withLoop { loop in
            for scheme in ["wss", "ws"] {
                let url = URLParts(scheme: scheme, host: host, port: 443, path: path)
                let failure = try TestClient(loop, WebSocketRequest(url: url)).failure()
                #expect(failure?.message == "the URL has characters a URL may not have, or no host")
            }
        }
    }

    @Test("A request that libwebsockets would truncate is refused")
    func tooLong() throws {
        try withLoop { loop in
            let url = URLParts(
                scheme: "ws", host: "127.0.0.1", port: 1, path: "/" + String(repeating: "a", count: 2030))
            let failure = try TestClient(loop, WebSocketRequest(url: url)).failure()
            #expect(failure?.message.contains("longer than 2030 bytes") == true, "\(failure?.message ?? "")")
        }
    }

    /// Connects to one of our TLS servers that must not be trusted, and returns the failure.
    private func tlsFailure(_ identity: TLSIdentity, trust: TLSTrust, host: String = "127.0.0.1") throws
        -> ConnectFailure?
    {
        try withLoop { loop in
            let server = try HTTPServer(
                on: loop, address: host == "::1" ? "::1" : "127.0.0.1", identity: identity, handler: TestHandler())
            defer { server.close() }
            return try TestClient(
                loop, WebSocketRequest(url: socketURL(server, secure: true, host: host), access: Access(trust: trust))
            ).failure()
        }
    }
}
