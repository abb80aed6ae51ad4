import DemoServer
import Network
import TestSupport
import Testing

/// Clients that nobody here wrote, against the echo server: each joins two namespaces, sends text and binary with several and nested
/// attachments, has them acknowledged, and leaves.
@Suite struct PeerClientTests {
    static let modes = ["polling", "websocket", "upgrade"]

    private func check(_ arguments: (String) -> [String], environment: [String: String] = [:]) throws {
        let loop = try EventLoop(name: "echo-test")
        let server = try EchoServer(on: loop)
        let peer = try TestSupport.Peer(arguments(server.url), environment: environment, errorsToo: true)
        var lines: [String] = []
        while let line = peer.readLine() { lines.append(line) }
        let status = peer.wait()
        server.close()
        loop.shutDown()
        #expect(status == 0 && lines.contains { $0.hasPrefix("passed") }, "\(lines.suffix(20))")
    }

    @Test(
        .enabled(if: environment("socketio5") != nil, "python-socketio is not installed: run Tests/run"),
        arguments: modes)
    func `the Python client of Engine.IO 4 is served`(mode: String) throws {
        let folder = try #require(environment("socketio5"))
        try check { [folder + "/bin/python", peersFolder + "/echo_python.py", $0, mode] }
    }

    @Test(
        .enabled(if: environment("socketio4") != nil, "python-socketio is not installed: run Tests/run"),
        arguments: modes)
    func `the Python client of Engine.IO 3 is served`(mode: String) throws {
        let folder = try #require(environment("socketio4"))
        try check { [folder + "/bin/python", peersFolder + "/echo_python.py", $0, mode] }
    }

    @Test(
        .enabled(if: socketIOBundle != nil && nodePackages != nil, "the client is not installed: run Tests/run"),
        arguments: modes)
    func `the JavaScript client is served`(mode: String) throws {
        let bundle = try #require(socketIOBundle)
        try check(
            { ["node", peersFolder + "/echo_node.js", $0, bundle, mode] },
            environment: ["NODE_PATH": try #require(nodePackages)])
    }
}
