import Testing
import TestSupport
import WeirLive
@testable import WeirViews
import WeirNetwork
import WeirPipeline
import WeirThreads
import WeirWire

/// A python-socketio server, started for one test.
struct PythonServer {
    let port: UInt16
    private let environment: String
    private var peer: Peer

    init(_ environment: String, port: UInt16? = nil, rate: Int = 1000) throws {
        let port = try port ?? freePort()
        self.port = port
        self.environment = environment
        peer = try Self.start(environment, port, rate)
    }

    private static func start(_ environment: String, _ port: UInt16, _ rate: Int) throws -> Peer {
        let peer = try Peer([
            "\(environment)/bin/python", "\(peersFolder)/sio_python.py", "--port", "\(port)", "--path", "socket",
            "--rate", "\(rate)",
        ])
        try peer.readLine(startingWith: "listening")
        return peer
    }

    func stop() { peer.stop() }

    mutating func restart(rate: Int = 1000) throws {
        peer.stop()
        peer = try Self.start(environment, port, rate)
    }
}

/// Tests against third-party servers: python-socketio 5.18.1 with Engine.IO 4, and 4.6.1 with Engine.IO 3.
@Suite(.serialized) struct RealServerTests {
    static let servers = ["socketio5", "socketio4"]
    static var installed: [String] { servers.compactMap { environment($0) } }
    static let areInstalled = installed.count == servers.count

    @Test(
        .enabled(if: areInstalled, "python-socketio is not installed: run Tests/run"), arguments: servers,
        EngineIO.TransportChoice.allCases)
    func `a tail authenticates, joins, sees a thousand events and leaves`(
        name: String, transport: EngineIO.TransportChoice
    ) async throws {
        let server = try PythonServer(try #require(environment(name)))
        defer { server.stop() }
        let watcher = Watcher()
        let tail = try tail(port: server.port, rooms: ["/a", "/b"], watcher: watcher) {
            $0.count = 1000
            $0.session.transport = transport
        }
        let summary = try await tail.run()
        #expect(summary.outcome == .limitReached)
        #expect(summary.events == 1000)
        #expect(summary.undecodable == 0)
        let reports = watcher.reports.all
        #expect(Set(reports.rooms(.joined)) == ["/a", "/b"])
        #expect(reports.gaps.isEmpty)
        #expect(reports.notices.filter { $0.text.contains("REST") }.count <= 1)
    }

    @Test(
        .enabled(if: areInstalled, "python-socketio is not installed: run Tests/run"), arguments: servers,
        [EngineIO.TransportChoice.websocket, .polling, .upgrade])
    func `after a server's restart all rooms are joined again, and the gap is shown`(
        name: String, transport: EngineIO.TransportChoice
    ) async throws {
        var server = try PythonServer(try #require(environment(name)))
        defer { server.stop() }
        let watcher = Watcher()
        let rooms = (1...20).map { "/room/\($0)" }
        let tail = try tail(port: server.port, rooms: rooms, watcher: watcher) { $0.session.transport = transport }
        async let summary = tail.run()
        await watcher.reports.wait { Set($0.rooms(.joined)).count == 20 && $0.events.count > 200 }
        try server.restart()
        let reports = await watcher.reports.wait { $0.rooms(.joined).count == 40 && $0.gaps.count == 1 }
        #expect(Set(reports.rooms(.lost)) == Set(rooms))
        #expect(Set(reports.rooms(.joined).suffix(20)) == Set(rooms))
        await watcher.reports.wait { $0.events.count > reports.events.count + 200 }
        tail.stop()
        #expect(try await summary.gaps == 1)
        #expect(try await summary.hasLoss)
    }

    @Test(.enabled(if: areInstalled, "python-socketio is not installed: run Tests/run"), arguments: servers)
    func `a refused token ends the tail with the server's words`(name: String) async throws {
        let server = try PythonServer(try #require(environment(name)))
        defer { server.stop() }
        let watcher = Watcher()
        let tail = try tail(port: server.port, rooms: ["/a"], watcher: watcher) {
            $0.token = .provider { () throws(TokenError) in .init("bad") }
        }
        let summary = try await tail.run()
        guard case .refused(let words) = summary.outcome else {
            Issue.record("\(summary.outcome)")
            return
        }
        #expect(words.contains("jwt malformed"))
    }
}
