import Testing
import TestSupport
import WeirDemoServer
import WeirNetwork
import WeirWire

/// Tests third-party clients against the echo server. Each joins two namespaces, sends text and binary with several and
/// nested attachments, gets them acknowledged, and leaves.
@Suite struct PeerClientTests {
    static let modes = ["polling", "websocket", "upgrade"]

    /// Runs a client against an echo server.
    private func check(
        _ arguments: (String) -> [String], environment: [String: String] = [:], recovery: Duration? = nil
    ) throws {
        let loop = try EventLoop(name: "echo-test")
        let server = try EchoServer(on: loop, options: EndpointOptions(path: "/socket.io/", recovery: recovery))
        defer {
            server.close()
            loop.shutDown()
        }
        try check(try TestSupport.Peer(arguments(server.url), environment: environment, errorsToo: true))
    }

    private func check(_ peer: TestSupport.Peer) throws {
        var lines: [String] = []
        while let line = peer.readLine() { lines.append(line) }
        #expect(peer.wait() == 0 && lines.contains { $0.hasPrefix("passed") }, "\(lines.suffix(20))")
    }

    @Test(
        .enabled(
            if: environment("socketio5") != nil && environment("socketio4") != nil,
            "python-socketio is not installed: run Tests/run"), arguments: ["socketio5", "socketio4"], modes)
    func `the Twake server works with the Python clients`(version: String, mode: String) throws {
        let folder = try #require(environment(version))
        let loop = try EventLoop(name: "demo-test")
        let scenario = try #require(Scenario(named: "workspace", seed: 1))
        let server = try EmbeddedServer(on: loop, scenario: scenario, seed: 1)
        defer {
            server.close()
            loop.shutDown()
        }
        try check(
            try TestSupport.Peer(
                [folder + "/bin/python", peersFolder + "/twake_python.py", server.url, mode],
                environment: ["TOKEN": server.makeToken().reveal()], errorsToo: true))
    }

    @Test(
        .enabled(if: environment("socketio5") != nil, "python-socketio is not installed: run Tests/run"),
        arguments: modes)
    func `the echo server works with the Python client of Engine.IO 4`(mode: String) throws {
        let folder = try #require(environment("socketio5"))
        try check { [folder + "/bin/python", peersFolder + "/echo_python.py", $0, mode] }
    }

    @Test(
        .enabled(if: environment("socketio4") != nil, "python-socketio is not installed: run Tests/run"),
        arguments: modes)
    func `the echo server works with the Python client of Engine.IO 3`(mode: String) throws {
        let folder = try #require(environment("socketio4"))
        try check { [folder + "/bin/python", peersFolder + "/echo_python.py", $0, mode] }
    }

    @Test(
        .enabled(if: socketIOBundle != nil && nodePackages != nil, "the client is not installed: run Tests/run"),
        arguments: modes)
    func `the echo server works with the JavaScript client`(mode: String) throws {
        let bundle = try #require(socketIOBundle)
        try check(
            { ["node", peersFolder + "/echo_node.js", $0, bundle, mode] },
            environment: ["NODE_PATH": try #require(nodePackages)])
    }

    @Test(
        .enabled(if: socketIOBundle != nil && nodePackages != nil, "the client is not installed: run Tests/run"),
        arguments: modes)
    func `a JavaScript client that was cut off receives what it missed`(mode: String) throws {
        let bundle = try #require(socketIOBundle)
        try check(
            { ["node", peersFolder + "/echo_node.js", $0, bundle, mode, "recovery"] },
            environment: ["NODE_PATH": try #require(nodePackages)], recovery: .seconds(60))
    }
}
