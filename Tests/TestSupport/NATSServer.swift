import Glibc
import Testing
import WeirNetwork
import WeirThreads

/// Whether Debian's `nats-server` is installed; `Tests/run` installs it.
public let hasNATSServer = ["/usr/sbin/nats-server", "/usr/bin/nats-server"].contains { (path: String) in
    access(path, X_OK) == 0
}

/// One node or a cluster of `nats-server` with JetStream on the loopback interface. The nodes end with this object.
public final class NATSServer: Sendable {
    /// The client ports of the nodes.
    public let ports: [UInt16]
    private let routes: [UInt16]
    private let folder: String
    private let settings: String
    private let nodes: Monitor<[Int: Peer]>

    /// Starts `count` nodes. `settings` are added to the configuration of each.
    public init(nodes count: Int = 1, settings: String = "") throws {
        folder = try temporaryFolder()
        self.settings = settings
        ports = try (0..<count).map { _ in try freePort() }
        routes = try (0..<count).map { _ in try freePort() }
        nodes = Monitor([:])
        for node in 0..<count { try start(node) }
    }

    /// A `nats://` URL with all nodes.
    public var url: String { "nats://" + ports.map { "127.0.0.1:\($0)" }.joined(separator: ",") }

    /// Returns the name of a node, which also identifies a stream's leader.
    public static func name(of node: Int) -> String { "n\(node)" }

    /// Starts a node and waits until it accepts clients.
    public func start(_ node: Int) throws {
        var lines = [
            "server_name: \(Self.name(of: node))", "listen: 127.0.0.1:\(ports[node])",
            "jetstream { store_dir: \"\(folder)/\(node)\", max_file_store: 200GB }", settings,
        ]
        if ports.count > 1 {
            let others = routes.map { "\"nats://127.0.0.1:\($0)\"" }.joined(separator: ", ")
            lines.append("cluster { name: test, listen: 127.0.0.1:\(routes[node]), routes: [\(others)] }")
        }
        let file = folder + "/\(node).conf"
        try writeFile(file, lines.joined(separator: "\n") + "\n")
        let peer = try Peer(["nats-server", "-c", file], errorsToo: true)
        while let line = peer.readLine() {
            if line.contains("Server is ready") { break }
            try #require(!line.contains("[FTL]"), "\(line)")
        }
        peer.drain()
        nodes.change { $0[node] = peer }
    }

    /// Sends a signal to a node. After `SIGKILL`, waits for its end.
    public func signal(_ node: Int, _ signal: Int32) {
        guard let peer = nodes.look({ $0[node] }) else { return }
        kill(peer.pid, signal)
        guard signal == SIGKILL else { return }
        peer.wait()
        nodes.change { $0[node] = nil }
    }
}
