import Glibc
import Testing
import TestSupport
import WeirThreads

@Suite("A tail under a service manager", .serialized, .timeLimit(.minutes(2)))
struct ServiceRunTests {
    /// The socket of a service manager, with a path or an abstract name.
    private struct NotifySocket {
        let descriptor: Int32

        init(_ name: String) throws {
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            var place = sockaddr_un()
            place.sun_family = sa_family_t(AF_UNIX)
            let bytes = name.hasPrefix("@") ? [0] + name.utf8.dropFirst() : Array(name.utf8)
            withUnsafeMutableBytes(of: &place) { $0[2...].copyBytes(from: bytes) }
            let length = socklen_t(2 + bytes.count)
            let status = withUnsafePointer(to: &place) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
            }
            try #require(status == 0)
            var patience = timeval(tv_sec: 60, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        }

        /// Returns the next message that contains this line.
        func message(with line: String) throws -> [Substring] {
            while true {
                var bytes = [UInt8](repeating: 0, count: 4096)
                let count = recv(descriptor, &bytes, bytes.count, 0)
                try #require(count > 0, "nothing tells \(line)")
                let lines = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n")
                if lines.contains(where: { $0.hasPrefix(line) }) { return lines }
            }
        }
    }

    private func server() throws -> (peer: Peer, url: String, token: String) {
        let server = try Peer([try pathOfWeir(), "serve", "--seed", "3", "--quiet"])
        let url = String(try server.readLine(startingWith: "url ").dropFirst(4))
        return (server, url, String(try server.readLine(startingWith: "token ").dropFirst(6)))
    }

    @Test(
        "It is ready when the session stands, feeds the watchdog, reloads by a new segment, and says that it stops",
        arguments: [false, true])
    func notifies(isAbstract: Bool) throws {
        let folder = try temporaryFolder()
        let name = isAbstract ? "@weir-test-\(getpid())-\(UInt32.random(in: 0 ... .max))" : folder + "/notify"
        let manager = try NotifySocket(name)
        defer { close(manager.descriptor) }
        let (server, url, token) = try server()
        defer { server.stop() }
        let tail = try Peer(
            [
                try pathOfWeir(), "record", url, folder + "/a.weir.jsonl", "--token", "env:TOKEN", "--store", "none",
                "--no-ctl", "--rotate", "hup",
            ],
            environment: ["TOKEN": token, "NOTIFY_SOCKET": name, "WATCHDOG_USEC": "400000"], errorsToo: true)
        tail.drain()
        _ = try manager.message(with: "READY=1")
        for _ in 0..<3 { _ = try manager.message(with: "WATCHDOG=1") }
        kill(tail.pid, SIGHUP)
        let reload = try manager.message(with: "RELOADING=1")
        #expect(reload.contains { $0.hasPrefix("MONOTONIC_USEC=") })
        _ = try manager.message(with: "READY=1")
        kill(tail.pid, SIGTERM)
        _ = try manager.message(with: "STOPPING=1")
        #expect(tail.wait() == 143)
        #expect(access(folder + "/a.0002.weir.jsonl", R_OK) == 0)
    }

    @Test("Where standard error is the journal's, its lines begin with their priority and have no time")
    func journal() throws {
        let errors = try temporaryFile()
        let output = try temporaryFile()
        defer { for descriptor in [errors, output] { close(descriptor) } }
        var facts = stat()
        try #require(fstat(errors, &facts) == 0)
        let stream = "\(facts.st_dev):\(facts.st_ino)"
        let sample = packageFolder + "/samples/recordings/reconnect.weir.jsonl"
        let process = try start(
            [try pathOfWeir(), "replay", sample, "--speed", "max"], environment: ["JOURNAL_STREAM": stream],
            descriptors: [1: output, 2: errors])
        _ = try waitForExit(of: process)
        let lines = try contents(of: errors).split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("<4>disconnected  ") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("<6>summary: ") })
        #expect(lines.allSatisfy { $0.hasPrefix("<") && !$0.contains("Z  ") })
        let other = try weir("replay", sample, "--speed", "max", environment: ["JOURNAL_STREAM": stream])
        #expect(!other.errors.contains("<4>"))
    }

    @Test(
        "The unit is one that systemd takes, and is exposed to little",
        .enabled(if: access("/usr/bin/systemd-analyze", X_OK) == 0, "systemd-analyze is not installed"))
    func unit() throws {
        let folder = try temporaryFolder()
        let unit = packageFolder + "/samples/systemd/weir-record@.service"
        // The unit names the path of the package; the test has the program elsewhere.
        let text = String(decoding: try readFile(unit), as: UTF8.self)
            .replacing("/usr/bin/weir ", with: try pathOfWeir() + " ").replacing(
                "Documentation=man:weir-record(1)\n", with: "")
        try writeFile(folder + "/weir-record@.service", text)
        try TestSupport.run(["systemd-analyze", "verify", folder + "/weir-record@x.service"])
        try TestSupport.run([
            "systemd-analyze", "security", "--offline=true", "--threshold=19", folder + "/weir-record@.service",
        ])
    }
}
