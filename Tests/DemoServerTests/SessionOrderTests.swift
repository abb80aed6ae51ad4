import Testing
import TestSupport
import WeirDemoServer
import WeirNetwork
import WeirWire

/// Checks that requests and WebSocket messages of one session on several connections are handled in order of arrival.
@Suite struct SessionOrderTests {
    /// A polling session and two connections that have each made a request, in this order or swapped.
    private struct Stage {
        let client: EndpointClient
        let path: String
        let one: RawConnection
        let two: RawConnection

        init(_ client: EndpointClient, isSwapped: Bool) async throws {
            self.client = client
            let (query, _) = try await client.openPolling()
            path = "/engine.io/?" + query
            let port = UInt16(try URLParts(parsing: client.url).port)
            let (first, second) = (try RawConnection(port: port), try RawConnection(port: port))
            for connection in [first, second] {
                connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                _ = connection.read(until: "\r\n\r\n")
            }
            (one, two) = isSwapped ? (second, first) : (first, second)
        }

        func get(_ connection: RawConnection) { connection.send("GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n") }

        func post(_ body: String, _ connection: RawConnection) {
            connection.send(
                "POST \(path) HTTP/1.1\r\nHost: h\r\nContent-Type: text/plain\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }

        /// Upgrades the first connection to a WebSocket and probes it.
        func probe() {
            one.upgrade(path.replacing("polling", with: "websocket"))
            one.send(clientFrame("2probe"))
            _ = one.read(until: "3probe")
        }

        /// Reads the next answer up to its content length, and returns its status and body.
        func answer(_ connection: RawConnection) -> String {
            var text = connection.read(until: "\r\n\r\n")
            let head = text.components("\r\n\r\n").first ?? ""
            let length = head.lowercased().components("content-length: ").last.flatMap {
                Int($0.prefix { $0.isNumber })
            }
            while text.utf8.count < head.utf8.count + 4 + (length ?? 0), let more = connection.readSome() {
                text += String(decoding: more, as: UTF8.self)
            }
            let status = text.dropFirst("HTTP/1.1 ".count).prefix(3)
            return "\(status) " + (text.components("\r\n\r\n").last ?? "")
        }
    }

    private static let turns = 100
    private static let unknown = #"400 {"code":1,"message":"Session ID unknown"}"#
    private static let mismatch = #"400 {"code":3,"message":"Bad request"}"#

    /// A poll still pending at the upgrade gets the end of its transport, as from the JavaScript server.
    @Test(arguments: [false, true])
    func `a request after the upgrade packet is refused, and a request before it is answered`(
        isSwapped: Bool
    ) async throws {
        try await withEcho(.engineIO) { client in
            for turn in 0..<Self.turns {
                let stage = try await Stage(client, isSwapped: isSwapped)
                stage.probe()
                let isUpgradeFirst = turn % 2 == 0
                client.loop.hold {
                    if isUpgradeFirst { stage.one.send(clientFrame("5")) }
                    stage.get(stage.two)
                    if !isUpgradeFirst { stage.one.send(clientFrame("5")) }
                }
                #expect(stage.answer(stage.two) == (isUpgradeFirst ? Self.mismatch : "200 1"), "\(turn)")
            }
        }
    }

    @Test(arguments: [false, true])
    func `a POST after the end of the WebSocket finds no session, and a POST before it finds one`(
        isSwapped: Bool
    ) async throws {
        try await withEcho(.engineIO) { client in
            for turn in 0..<Self.turns {
                let stage = try await Stage(client, isSwapped: isSwapped)
                stage.probe()
                stage.one.send(clientFrame("5"))
                stage.one.send(clientFrame("4up"))
                _ = stage.one.read(until: "4up")
                let isEndFirst = turn % 2 == 0
                client.loop.hold {
                    if isEndFirst { stage.one.send(clientCloseFrame) }
                    stage.post("4late", stage.two)
                    if !isEndFirst { stage.one.send(clientCloseFrame) }
                }
                #expect(stage.answer(stage.two) == (isEndFirst ? Self.unknown : Self.mismatch), "\(turn)")
            }
        }
    }

    @Test(arguments: [false, true])
    func `packets of two POSTs on two connections are handled in order of arrival`(isSwapped: Bool) async throws {
        try await withEcho(.engineIO) { client in
            for turn in 0..<Self.turns {
                let stage = try await Stage(client, isSwapped: isSwapped)
                client.loop.hold {
                    stage.post("4one", stage.one)
                    stage.post("4two", stage.two)
                }
                #expect(stage.answer(stage.one) == "200 ok", "\(turn)")
                #expect(stage.answer(stage.two) == "200 ok", "\(turn)")
                stage.get(stage.one)
                #expect(stage.answer(stage.one) == "200 4one\u{1E}4two", "\(turn)")
            }
        }
    }

    @Test(arguments: [false, true])
    func `a poll before the close packet is answered, and a poll after it is refused`(
        isSwapped: Bool
    ) async throws {
        try await withEcho(.engineIO) { client in
            for turn in 0..<Self.turns {
                let stage = try await Stage(client, isSwapped: isSwapped)
                let isPollFirst = turn % 2 == 0
                client.loop.hold {
                    if isPollFirst { stage.get(stage.one) }
                    stage.post("1", stage.two)
                    if !isPollFirst { stage.get(stage.one) }
                }
                #expect(stage.answer(stage.one) == (isPollFirst ? "200 6" : Self.unknown), "\(turn)")
                #expect(stage.answer(stage.two) == "200 ok", "\(turn)")
            }
        }
    }
}

extension String {
    /// Splits the string at a separator of several characters.
    fileprivate func components(_ separator: String) -> [String] { split(separator: separator).map(String.init) }
}
