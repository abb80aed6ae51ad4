import Glibc

/// The programs of `Tests/Peers`. They run under node with Debian's `ws` package, or under the Python that `Tests/run`
/// installs.
struct BenchmarkPeers {
    private static let folder = "Tests/Peers"
    private static let installed = ".build/peers"
    /// The variable that tells node where the `ws` package is; empty when Debian's is not installed.
    private let variables: [String]
    /// The path of the reference client's browser bundle; `nil` when it is not installed.
    let bundle: String?
    /// The path of a Python with python-socketio; `nil` when it is not installed.
    let python: String?

    init() throws(BenchmarkError) {
        guard access("\(Self.folder)/blast_node.js", R_OK) == 0 else {
            throw .failed("\(Self.folder)/blast_node.js is not here: run this at the top of the repository")
        }
        variables = Self.packageFolder().map { ["NODE_PATH=\($0)"] } ?? []
        bundle = Self.installed("socket.io.min.js")
        python = Self.installed("socketio5/bin/python")
    }

    private static func installed(_ name: String) -> String? {
        let path = "\(installed)/\(name)"
        return access(path, R_OK) == 0 ? path : nil
    }

    /// Starts the source on a port chosen by the system. Uses TLS if certificates are passed.
    func startSource(
        count: Int, _ certificates: BenchmarkCertificates? = nil
    ) throws(BenchmarkError) -> (process: ChildProcess, source: BlastSource) {
        var arguments = ["blast_node.js", "--port", "0", "--count", "\(count)", "--on-join"]
        if let certificates { arguments += ["--cert", certificates.certificate, "--key", certificates.key] }
        let process = try startNode(arguments)
        // The line has the form "listening on 127.0.0.1:4400/socket (…)".
        guard let line = process.readLine(), line.hasPrefix("listening on "),
            let port = line.split(separator: ":").dropFirst().first.flatMap({ UInt16($0.prefix { $0.isNumber }) })
        else { throw .failed("the source did not start; it needs node and its ws package (Debian: nodejs, node-ws)") }
        return (process, BlastSource(port: port, authority: certificates?.certificate))
    }

    /// Runs one of Weir's receivers against the source.
    func weirReceives(from source: BlastSource, as receiver: String) throws(BenchmarkError) -> ReceiveFigures {
        let words = ["/proc/self/exe", Receiver.command, receiver, "\(source.port)"]
        return try figures(of: try ChildProcess(words + (source.authority.map { [$0] } ?? [])), receiver)
    }

    /// Runs node against the source, in a mode of `peer_node.js`.
    func nodeReceives(from source: BlastSource, mode: [String]) throws(BenchmarkError) -> ReceiveFigures {
        let peer = try startNode(
            ["peer_node.js", source.url] + mode, source.authority.map { ["NODE_EXTRA_CA_CERTS=\($0)"] } ?? [])
        return try figures(of: peer, "node \(mode[0])")
    }

    /// Runs python-socketio's asynchronous client against the source.
    func pythonReceives(from source: BlastSource) throws(BenchmarkError) -> ReceiveFigures {
        guard let python else { throw .failed("python-socketio is not installed: run Tests/run first") }
        return try figures(
            of: try ChildProcess([python, "\(Self.folder)/peer_python.py", source.url, "async"]), "python")
    }

    private func figures(of peer: ChildProcess, _ name: String) throws(BenchmarkError) -> ReceiveFigures {
        guard let figures = peer.readLine().flatMap({ ReceiveFigures(answer: $0) }) else {
            throw .failed("\(name): it gave no result")
        }
        return figures
    }

    private func startNode(_ arguments: [String], _ added: [String] = []) throws(BenchmarkError) -> ChildProcess {
        let script = "\(Self.folder)/\(arguments[0])"
        do {
            return try ChildProcess(["node", script] + arguments.dropFirst(), variables: variables + added)
        } catch {
            throw .failed("\(error.message); node is needed for this benchmark (Debian: nodejs, node-ws)")
        }
    }

    /// Returns the folder of Debian's node packages.
    private static func packageFolder() -> String? {
        guard let list = try? ChildProcess(["dpkg", "-L", "node-ws"]) else { return nil }
        var folder: String?
        while let line = list.readLine() {
            let suffix = "/ws/package.json"
            if line.hasSuffix(suffix), !line.contains("/@types/") { folder = String(line.dropLast(suffix.count)) }
        }
        return folder
    }
}

extension BlastSource {
    fileprivate var url: String { "\(authority == nil ? "http" : "https")://127.0.0.1:\(port)" }
}

/// A self-signed certificate for 127.0.0.1, in a temporary folder that is removed with this object.
final class BenchmarkCertificates {
    private let folder: TemporaryFolder
    var certificate: String { folder.path + "/cert.pem" }
    var key: String { folder.path + "/key.pem" }

    init() throws(BenchmarkError) {
        folder = try TemporaryFolder()
        // Create the key first: openssl writes to standard error when it creates one with the certificate.
        try Self.openssl(["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-out", key])
        try Self.openssl([
            "req", "-x509", "-key", key, "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
            "subjectAltName=IP:127.0.0.1", "-out", certificate,
        ])
        guard access(certificate, R_OK) == 0 else { throw .failed("openssl did not make a certificate") }
    }

    private static func openssl(_ arguments: [String]) throws(BenchmarkError) {
        let process = try ChildProcess(["openssl"] + arguments)
        while process.readLine() != nil {}
    }
}
