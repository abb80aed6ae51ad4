import Testing
import TestSupport
import WeirThreads
import WeirWire

@testable import WeirNetwork

/// The outcome of a request by one of the two clients.
enum Outcome: Equatable {
    /// The text that the server sent.
    case reached(String)
    /// The phase or kind of the failure, and its message.
    case refused(String, String)

    var message: String {
        switch self {
        case .reached(let text), .refused(_, let text): text
        }
    }
    var phase: String? {
        switch self {
        case .reached: nil
        case .refused(let phase, _): phase
        }
    }
}

/// The two kinds of request that an `Access` is for.
enum Lane: CaseIterable {
    /// A WebSocket with our own framing, and one with the library's.
    case webSocket, libraryWebSocket
    case http

    /// Connects to a server by this lane. `path` is the path of a WebSocket whose server speaks first, or of a page.
    func reach(
        secure: Bool = true, host: String = "127.0.0.1", port: UInt16, path: String = "/", access: Access,
        own: [(name: String, value: String)] = [], timeout: Duration = .seconds(20)
    ) throws -> Outcome {
        let scheme =
            switch self {
            case .webSocket, .libraryWebSocket: secure ? "wss" : "ws"
            case .http: secure ? "https" : "http"
            }
        let url = URLParts(scheme: scheme, host: host, port: port, path: path)
        return try withLoop { loop in
            switch self {
            case .webSocket, .libraryWebSocket:
                var request = WebSocketRequest(url: url, headers: own, access: access, timeout: timeout)
                request.framing = self == .webSocket ? .own : .library
                return try reachBySocket(loop, request)
            case .http:
                return try reachByHTTP(loop, HTTPRequest(url: url, access: access, headers: own, timeout: timeout))
            }
        }
    }

    private func reachBySocket(_ loop: EventLoop, _ request: WebSocketRequest) throws -> Outcome {
        let client = try TestClient(loop, request)
        let events = client.events.wait { events in
            events.contains { event in
                switch event {
                case .received, .failed, .closed: true
                case .opened: false
                }
            }
        }
        for event in events {
            switch event {
            case .failed(let failure): return .refused(failure.phase.rawValue, failure.message)
            case .received(let messages):
                if case .text(let text)? = messages.first { return .reached(String(decoding: text, as: UTF8.self)) }
            case .opened, .closed: continue
            }
        }
        return .refused("closed", "\(events)")
    }

    private func reachByHTTP(_ loop: EventLoop, _ request: HTTPRequest) throws -> Outcome {
        let client = try HTTPClient(answeringOn: loop)
        defer { client.shutDown() }
        let answers = Mailbox<Result<HTTPResponse, HTTPFailure>>()
        client.send(request) { answers.put($0) }
        switch try answers.first() {
        case .success(let response): return .reached(String(decoding: response.body, as: UTF8.self))
        case .failure(let failure): return .refused(failure.kind.rawValue, failure.message)
        }
    }
}

@Suite(.bothFramings) struct TLSAccessTests {
    @Test("A pinned public key is accepted, alone or among others", arguments: Lane.allCases)
    func rightPin(lane: Lane) throws {
        let certificates = try Certificates.shared.get()
        let (good, other) = (try certificates.pin(certificates.good), try certificates.pin(certificates.otherName))
        for pins in [[good], [other, good]] {
            let outcome = try greet(certificates.good, lane, Access(trust: .file(certificates.authority), pins: pins))
            #expect(outcome == .reached("hello"))
        }
    }

    @Test("A server whose key is not pinned is refused, even with a valid certificate", arguments: Lane.allCases)
    func wrongPin(lane: Lane) throws {
        let certificates = try Certificates.shared.get()
        let pin = try certificates.pin(certificates.otherName)
        let outcome = try greet(certificates.good, lane, Access(trust: .file(certificates.authority), pins: [pin]))
        #expect(outcome.phase == "tls")
        #expect(outcome.message.contains("is not the pinned \(pin)"), "\(outcome)")
    }

    @Test("A pin does not make a bad certificate acceptable", arguments: Lane.allCases)
    func pinIsNotEnough(lane: Lane) throws {
        let certificates = try Certificates.shared.get()
        let pin = try certificates.pin(certificates.good)
        let outcome = try greet(certificates.good, lane, Access(trust: .file(certificates.stranger), pins: [pin]))
        #expect(outcome.phase == "tls")
        #expect(outcome.message.contains("issuer certificate"), "\(outcome)")
    }

    @Test("With a pin nothing is sent without TLS", arguments: Lane.allCases)
    func pinWithoutTLS(lane: Lane) throws {
        let certificates = try Certificates.shared.get()
        let access = Access(pins: [try certificates.pin(certificates.good)])
        let outcome = try lane.reach(secure: false, port: 1, access: access)
        #expect(outcome.message.contains("use TLS"), "\(outcome)")
    }

    @Test("A pin is also checked for an IPv6 address", arguments: Lane.allCases)
    func pinOfAddress(lane: Lane) throws {
        let certificates = try Certificates.shared.get()
        let (good, other) = (try certificates.pin(certificates.good), try certificates.pin(certificates.otherName))
        let trust = TLSTrust.file(certificates.authority)
        #expect(
            try greet(certificates.good, lane, Access(trust: trust, pins: [good]), host: "::1") == .reached("hello"))
        #expect(try greet(certificates.good, lane, Access(trust: trust, pins: [other]), host: "::1").phase == "tls")
    }

    @Test(
        "An invalid pin is refused",
        arguments: [
            "", "sha256//", "sha256/AAAA", "sha1//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
            "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB=",
            "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA-A=",
        ])
    func badPins(text: String) {
        #expect(PublicKeyPin(text) == nil)
    }

    @Test("A pin is printed as it was parsed")
    func goodPin() {
        let text = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        #expect(PublicKeyPin(text)?.description == text)
    }

    /// Connects to one of our servers, which says hello.
    private func greet(
        _ identity: TLSIdentity, _ lane: Lane, _ access: Access, host: String = "127.0.0.1"
    ) throws -> Outcome {
        let handler = TestHandler(
            answer: { _, respond in respond(HTTPResponse(status: 200, body: Array("hello".utf8))) },
            onOpen: { $0.send(.text("hello")) })
        return try withLoop { loop in
            let server = try HTTPServer(
                on: loop, address: host == "::1" ? "::1" : "127.0.0.1", identity: identity, handler: handler)
            defer { server.close() }
            return try lane.reach(host: host, port: server.port, access: access)
        }
    }
}

@Suite(.bothFramings) struct ClientCertificateTests {
    static let cases = Lane.allCases.flatMap { lane in ["1.2", "1.3"].map { (lane, $0) } }

    @Test("A server that requires a certificate gets ours", arguments: cases)
    func shown(lane: Lane, version: String) throws {
        let certificates = try Certificates.shared.get()
        #expect(try outcome(lane, version, certificates.client) == .reached("client"))
    }

    @Test("An encrypted key is decrypted with its passphrase", arguments: Lane.allCases)
    func encrypted(lane: Lane) throws {
        let certificate = try Certificates.shared.get().lockedClient(passphrase: Certificates.passphrase)
        #expect(try outcome(lane, "1.3", certificate) == .reached("client"))
    }

    @Test("Without a client certificate, the error describes the server's refusal", arguments: cases)
    func missing(lane: Lane, version: String) throws {
        let outcome = try outcome(lane, version, nil)
        #expect(outcome.phase == "tls", "\(outcome)")
        // TLS 1.2 has no alert for a missing certificate.
        let words = version == "1.3" ? "wants a client certificate, and none is given" : "handshake failure"
        #expect(outcome.message.contains(words), "\(outcome)")
    }

    @Test("The error for a certificate that the server does not trust names its file", arguments: cases)
    func notBelieved(lane: Lane, version: String) throws {
        let certificate = try Certificates.shared.get().strangeClient
        let outcome = try outcome(lane, version, certificate)
        #expect(outcome.phase == "tls", "\(outcome)")
        #expect(outcome.message.contains("refuses the client certificate \(certificate.certificate)"), "\(outcome)")
    }

    @Test("Unusable files are reported before a connection is made")
    func badFiles() throws {
        let certificates = try Certificates.shared.get()
        let (client, other) = (certificates.client, certificates.strangeClient)
        let cases: [(ClientCertificate, String)] = [
            (ClientCertificate(certificate: "/nonexistent.pem", key: client.key), "/nonexistent.pem: No such file"),
            (ClientCertificate(certificate: client.certificate, key: "/nonexistent.key"), "/nonexistent.key: No such"),
            (ClientCertificate(certificate: client.key, key: client.key), "\(client.key): "),
            (
                ClientCertificate(certificate: client.certificate, key: client.certificate),
                ": the file contains no private key"
            ),
            (
                ClientCertificate(certificate: client.certificate, key: other.key),
                "\(other.key): the key is not that of \(client.certificate)"
            ),
            (certificates.lockedClient(passphrase: nil), "/locked.key: the key is encrypted, and no passphrase"),
            (certificates.lockedClient(passphrase: "wrong"), "/locked.key: wrong passphrase"),
        ]
        for (certificate, words) in cases {
            let error = #expect(throws: NetworkError.self) { try Access(certificate: certificate).check() }
            #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        }
    }

    @Test(
        "A wrong passphrase that happens to decrypt to valid padding is reported like any other",
        arguments: [
            (
                """
                -----BEGIN ENCRYPTED PRIVATE KEY-----
                MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiyDvkfXVz5YwICCAAw
                DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEDxX1mNCpvKNrMArB5RApcQEgZC9
                vpp50WsDFngGQEyRaKk4N1yjoDqr+Zf9270UOqdNmiBP0B8JUWXn5bx3KnS0z/az
                8oig5CU9Xt8iK32bNSi/tqO6+8pUC2f1/qqboMnmrzICILV31TxhoOPqnAEQVJYx
                eAWATeJQE1XBbu6GeQMm6DQ8e4xRdz3rqGmfIkLUvUWK0HrJvIsVWzIEHxfBQo4=
                -----END ENCRYPTED PRIVATE KEY-----

                """, nil, "the key is encrypted, and no passphrase is set"
            ),
            (
                """
                -----BEGIN ENCRYPTED PRIVATE KEY-----
                MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhc7So3L8kPywICCAAw
                DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEJbaa4U5YplUClL71+vbFSMEgZDe
                narxkQ3jsBSVX4woTSOVdJ50bItN9p47fX618mbCScJDxJtfd72pSfdlVn13sgmy
                B8j8JAHLEUmRBnOATybav6B0ic6d3pPwMn8ytlod9neVEdwTXkwAcdmxfBYEjs7Q
                N69l6HrxWcWvCe2s49VFkiMLwXkQSXYH8kw74VT+TWQACmWM+f/eJu24kDo3Gfo=
                -----END ENCRYPTED PRIVATE KEY-----

                """, "wrong", "wrong passphrase for the key"
            ),
        ])
    func paddedByChance(key: String, passphrase: String?, words: String) throws {
        let path = try temporaryFolder() + "/locked.key"
        try writeFile(path, key)
        let certificate = ClientCertificate(
            certificate: try Certificates.shared.get().client.certificate, key: path,
            passphrase: passphrase.map { Secret($0) })
        let error = #expect(throws: NetworkError.self) { try Access(certificate: certificate).check() }
        #expect(error?.description == "\(path): \(words)")
    }

    @Test("An IP address is never sent as a server name, and its certificate is checked", arguments: cases)
    func serverName(lane: Lane, version: String) throws {
        let certificate = try Certificates.shared.get().client
        for (host, address, name) in [
            ("localhost", "127.0.0.1", "localhost"), ("127.0.0.1", "127.0.0.1", "none"), ("::1", "::1", "none"),
        ] {
            let outcome = try outcome(lane, version, certificate, host: host, address: address)
            #expect(outcome == .reached(name), "\(host)")
        }
        let other = try outcome(lane, version, certificate, host: "127.0.0.2", address: "127.0.0.2")
        #expect(other.phase == "tls", "\(other)")
    }

    /// Connects to a server that requires a certificate of the authority. With an `address`, the server answers with
    /// the server name it received.
    private func outcome(
        _ lane: Lane, _ version: String, _ certificate: ClientCertificate?, host: String = "127.0.0.1",
        address: String? = nil
    ) throws -> Outcome {
        let certificates = try Certificates.shared.get()
        let peer = try Peer(
            [
                "python3", peersFolder + "/tls_peer.py", certificates.good.certificate, certificates.good.key,
                certificates.authority, version,
            ] + (address.map { [$0] } ?? []))
        defer { peer.stop() }
        let access = Access(trust: .file(certificates.authority), certificate: certificate)
        return try lane.reach(host: host, port: peer.listeningPort(), access: access)
    }
}
