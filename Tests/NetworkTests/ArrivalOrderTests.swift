import Glibc
import Testing
import TestSupport
import WeirThreads
import WeirWire

@testable import WeirNetwork

/// Checks that events are served in order of arrival, whichever descriptor they came on.
@Suite struct ArrivalOrderTests {
    /// A loop that can be held while a test queues up work for it.
    private struct Stage {
        let loop: EventLoop
        let handler: TestHandler
        let server: HTTPServer

        /// Returns the first `count` events of the handler, in order.
        func told(_ count: Int) -> [String] {
            Array(handler.events.wait { $0.count >= count }.map(\.line).prefix(count))
        }
    }

    private func withStage(_ body: (Stage) throws -> Void) throws {
        let handler = TestHandler(
            answer: { _, respond in respond(HTTPResponse(status: 200)) }, onMessages: { _, _ in })
        try withLoop { loop in
            let server = try HTTPServer(on: loop, handler: handler)
            try body(Stage(loop: loop, handler: handler, server: server))
            server.close()
        }
    }

    private static func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n" }
    /// Makes two connections and returns them in this order or swapped.
    private func pair(_ stage: Stage, isSwapped: Bool) throws -> (RawConnection, RawConnection) {
        let (first, second) = (try RawConnection(port: stage.server.port), try RawConnection(port: stage.server.port))
        for connection in [first, second] {
            connection.send(Self.get("/ready"))
            _ = connection.read(until: "\r\n\r\n")
        }
        return isSwapped ? (second, first) : (first, second)
    }

    @Test(arguments: [false, true])
    func `requests of two connections are served in order of arrival`(isSwapped: Bool) throws {
        try withStage { stage in
            let (one, two) = try pair(stage, isSwapped: isSwapped)
            for turn in 0..<300 {
                stage.handler.events.removeAll()
                stage.loop.hold {
                    one.send(Self.get("/one"))
                    two.send(Self.get("/two"))
                }
                #expect(stage.told(2) == ["GET /one", "GET /two"], "\(turn)")
                for connection in [one, two] { _ = connection.read(until: "\r\n\r\n") }
            }
        }
    }

    @Test(arguments: [false, true])
    func `a WebSocket message and a request are served in order of arrival`(isSwapped: Bool) throws {
        try withStage { stage in
            let (socket, plain) = try pair(stage, isSwapped: isSwapped)
            socket.upgrade()
            for turn in 0..<300 {
                let isMessageFirst = turn % 2 == 0
                stage.handler.events.removeAll()
                stage.loop.hold {
                    if isMessageFirst { socket.send(clientFrame("5")) }
                    plain.send(Self.get("/"))
                    if !isMessageFirst { socket.send(clientFrame("5")) }
                }
                #expect(stage.told(2) == (isMessageFirst ? ["5", "GET /"] : ["GET /", "5"]), "\(turn)")
                _ = plain.read(until: "\r\n\r\n")
            }
        }
    }

    enum End: CaseIterable { case closeFrame, hangUp }

    @Test(arguments: [false, true], End.allCases)
    func `the end of a WebSocket and a request are served in order of arrival`(isSwapped: Bool, end: End) throws {
        try withStage { stage in
            for turn in 0..<40 {
                let isEndFirst = turn % 2 == 0
                let (ending, plain) = try pair(stage, isSwapped: isSwapped)
                ending.upgrade()
                stage.handler.events.removeAll()
                stage.loop.hold {
                    if !isEndFirst { plain.send(Self.get("/")) }
                    switch end {
                    case .closeFrame: ending.send(clientCloseFrame)
                    case .hangUp: ending.hangUp()
                    }
                    if isEndFirst { plain.send(Self.get("/")) }
                }
                let code = end == .closeFrame ? 1000 : 1006
                #expect(
                    stage.told(2) == (isEndFirst ? ["closed \(code)", "GET /"] : ["GET /", "closed \(code)"]), "\(turn)"
                )
            }
        }
    }

    @Test func `requests of many connections are served in the order in which they were written`() throws {
        try withStage { stage in
            let connections = try (0..<40).map { _ in try RawConnection(port: stage.server.port) }
            for connection in connections {
                connection.send(Self.get("/ready"))
                _ = connection.read(until: "\r\n\r\n")
            }
            var order = Array(connections.indices)
            for step in 1...20 {
                // A deterministic shuffle.
                for index in order.indices { order.swapAt(index, (index * 7 + step * 13) % order.count) }
                stage.handler.events.removeAll()
                stage.loop.hold { for index in order { connections[index].send(Self.get("/\(index)")) } }
                #expect(stage.told(order.count) == order.map { "GET /\($0)" })
                for connection in connections { _ = connection.read(until: "\r\n\r\n") }
            }
        }
    }

    /// The kernel reports the arrival of bytes once. The loop reads them in pieces of 64 KiB.
    @Test func `data that takes several reads is served completely, and other connections get their turns`() throws {
        try withStage { stage in
            let (socket, plain) = try pair(stage, isSwapped: false)
            socket.upgrade()
            stage.handler.events.removeAll()
            let frames = Array(repeating: clientFrame(String(repeating: "x", count: 100)), count: 3_000).flatMap { $0 }
            runOnThread(named: "weir-flood") { socket.send(frames) }
            plain.send(Self.get("/"))
            _ = plain.read(until: "\r\n\r\n")
            stage.handler.events.wait { $0.reduce(0) { $0 + $1.messages } == 3_000 }
        }
    }
}

extension ServerEvent {
    fileprivate var line: String {
        switch self {
        case .request(let line): line
        case .began(let line): "began \(line)"
        case .aborted(let line): "aborted \(line)"
        case .opened(let path): "opened \(path)"
        case .received(let messages): messages.map { String(decoding: $0.bytes, as: UTF8.self) }.joined(separator: ",")
        case .closed(let close): "closed \(close.code)"
        }
    }

    fileprivate var messages: Int { if case .received(let messages) = self { messages.count } else { 0 } }
}
