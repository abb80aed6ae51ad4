import Glibc
import Testing
import TestSupport
import WeirThreads
import WeirWire

@testable import WeirNetwork

/// Creates a folder with mode 0700, as a control socket requires.
private func privateFolder() throws -> String {
    let folder = try temporaryFolder()
    chmod(folder, 0o700)
    return folder
}

/// Answers each line with its bytes reversed.
private let reversing: LocalServerCore.Handler = { client, event in
    switch event {
    case .line(let line): client.send(line.reversed() + [0x0a])
    case .ended: client.finish()
    case .overlong, .drained, .gone: break
    }
}

@Suite struct LocalSocketTests {
    @Test("Every line is answered with a line")
    func exchange() throws {
        let path = try privateFolder() + "/control.sock"
        try withLoop { loop in
            let server = try LocalSocketServer(on: loop, path: path, handler: reversing)
            for length in [0, 1, 1000, 1 << 20] {
                let line = (0..<length).map { UInt8($0 % 200 + 11) }
                #expect(try LocalSocketClient.ask(path: path, line: line) == line.reversed())
            }
            server.close()
        }
    }

    @Test("Only its user can access the socket, and closing removes it")
    func permissions() throws {
        let path = try privateFolder() + "/control.sock"
        try withLoop { loop in
            let server = try LocalSocketServer(on: loop, path: path, handler: reversing)
            var status = stat()
            #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
            server.close()
            #expect(lstat(path, &status) != 0)
            #expect(throws: NetworkError.localSocket(path: path, message: "No such file or directory")) {
                try LocalSocketClient.ask(path: path, line: [1])
            }
        }
    }

    @Test("A folder that other users can access is refused", arguments: [0o755, 0o770, 0o701])
    func openFolder(mode: Int) throws {
        let folder = try privateFolder()
        chmod(folder, mode_t(mode))
        try withLoop { loop in
            let expected = "\(folder) is open to other users; its mode must be 0700"
            #expect(throws: NetworkError.cannotListen(address: folder + "/c", message: expected)) {
                try LocalSocketServer(on: loop, path: folder + "/c", handler: reversing)
            }
        }
    }

    @Test("A stale socket of a dead process is replaced, and an active one is kept")
    func stale() throws {
        let path = try privateFolder() + "/control.sock"
        // A bound socket whose process is gone.
        let left = try listen(path: path)
        close(left.descriptor)
        try withLoop { loop in
            let server = try LocalSocketServer(on: loop, path: path, handler: reversing)
            #expect(throws: NetworkError.cannotListen(address: path, message: "another process listens there")) {
                try LocalSocketServer(on: loop, path: path, handler: reversing)
            }
            #expect(try LocalSocketClient.ask(path: path, line: [1, 2]) == [2, 1])
            server.close()
        }
    }

    @Test("A file that is not a socket is left alone")
    func file() throws {
        let path = try privateFolder() + "/control.sock"
        try writeFile(path, "precious")
        try withLoop { loop in
            #expect(
                throws: NetworkError.cannotListen(address: path, message: "a file that is not a socket exists there")
            ) {
                try LocalSocketServer(on: loop, path: path, handler: reversing)
            }
        }
        #expect(access(path, F_OK) == 0)
    }

    @Test("A line above the limit ends the connection without an answer")
    func longLine() throws {
        let path = try privateFolder() + "/control.sock"
        try withLoop { loop in
            let server = try LocalSocketServer(on: loop, path: path, handler: reversing)
            let line = [UInt8](repeating: 65, count: LocalSocketServer.maximumLine + 1)
            #expect(throws: NetworkError.self) { try LocalSocketClient.ask(path: path, line: line) }
            #expect(try LocalSocketClient.ask(path: path, line: [1, 2]) == [2, 1])
            server.close()
        }
    }

    @Test("The client waits for a late answer until its timeout")
    func lateAnswer() throws {
        let path = try privateFolder() + "/control.sock"
        try withLoop { loop in
            let server = try LocalSocketServer(on: loop, path: path) { client, event in
                guard case .line([1]) = event else { return }
                _ = loop.schedule(at: loop.now + .milliseconds(50)) { client.send([2, 0x0a]) }
            }
            #expect(try LocalSocketClient.ask(path: path, line: [1]) == [2])
            #expect(throws: NetworkError.localSocket(path: path, message: "no answer in time")) {
                try LocalSocketClient.ask(path: path, line: [3], timeout: .milliseconds(100))
            }
            server.close()
        }
    }

    @Test(
        "Pipelined lines are answered in order, also after the client's half-close and without a last line feed"
    )
    func ahead() throws {
        let path = try privateFolder() + "/control.sock"
        try withLoop { loop in
            let server = try LocalSocketServer(on: loop, path: path, handler: reversing)
            let client = try UnixClient(path)
            client.send(line: "ab\ncd\n\nef")
            client.send(Array("gh".utf8))
            client.endSending()
            #expect((0..<5).map { _ in client.readLine() } == ["ba", "dc", "", "fe", "hg"])
            #expect(client.isClosed())
            server.close()
        }
    }

    @Test(
        "A client that sends without reading is paused, others are served, and it gets everything once it reads"
    )
    func slow() throws {
        let path = try privateFolder() + "/control.sock"
        try withLoop { loop in
            let taken = Mailbox<Int>()
            let server = try LocalSocketServer(on: loop, path: path) { client, event in
                guard case .line(let line) = event else { return }
                client.send([UInt8](repeating: 65, count: 1 << 16) + [0x0a])
                taken.put(client.pendingBytes)
                if line.isEmpty { client.finish() }
            }
            let slow = try UnixClient(path)
            slow.send(
                [UInt8](repeating: 0x78, count: 1) + Array(repeatElement([0x0a, 0x78], count: 30).joined()) + [
                    0x0a, 0x0a,
                ])
            // At most four answers wait, plus the one that is being written.
            taken.wait(seconds: 20) { $0.count >= 4 }
            #expect(try LocalSocketClient.ask(path: path, line: [1]).count == 1 << 16)
            #expect(taken.all.allSatisfy { $0 <= LocalSocketServer.highWater + 1 << 16 + 1 })
            var answers = 0
            while let line = slow.readLine(seconds: 5), line.utf8.count == 1 << 16 { answers += 1 }
            #expect(answers == 32)
            #expect(taken.all.count == 33)
            server.close()
        }
    }

    @Test("A thousand clients come and go, and the longest silent one is dropped for a new one")
    func thousand() throws {
        let path = try privateFolder() + "/control.sock"
        try withLoop { loop in
            let gone = Mailbox<UInt>()
            let server = try LocalSocketServer(on: loop, path: path) { client, event in
                reversing(client, event)
                if case .gone = event { gone.put(client.id) }
            }
            let first = try UnixClient(path)
            first.send(line: "x")
            #expect(first.readLine() == "x")
            for round in 0..<20 {
                let clients = try (0..<50).map { _ in try UnixClient(path) }
                for client in clients.suffix(8) {
                    client.send(line: "\(round)")
                    #expect(client.readLine() == String("\(round)".reversed()))
                }
            }
            #expect(first.isClosed())
            // Only accepted connections are reported gone. The last ones may still be open.
            gone.wait { $0.count >= 960 }
            #expect(try LocalSocketClient.ask(path: path, line: [1, 2]) == [2, 1])
            server.close()
        }
    }

    @Test("Partial lines, garbage and abrupt disconnects do not affect other clients")
    func hostile() throws {
        let path = try privateFolder() + "/control.sock"
        try withLoop { loop in
            let server = try LocalSocketServer(on: loop, path: path, handler: reversing)
            var seed: UInt64 = 7
            for length in 0..<300 {
                let client = try UnixClient(path)
                client.send(
                    (0..<length).map { _ in
                        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                        return UInt8(truncatingIfNeeded: seed >> 33)
                    })
                if length.isMultiple(of: 2) { client.endSending() }
            }
            #expect(try LocalSocketClient.ask(path: path, line: [1, 2]) == [2, 1])
            server.close()
        }
    }

    private static let isRoot =
        geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0 && access("/usr/bin/perl", X_OK) == 0

    @Test(
        "Check 8: A client of another user is refused, even if the folder is open by now",
        .enabled(if: isRoot, "needs root, setpriv and perl"))
    func otherUser() throws {
        let folder = try privateFolder()
        let path = folder + "/control.sock"
        try withLoop { loop in
            let lines = Mailbox<Int>()
            let server = try LocalSocketServer(on: loop, path: path) { client, event in
                if case .line = event { lines.put(1) }
                reversing(client, event)
            }
            var open = folder
            while open.count > 1 {
                chmod(open, 0o755)
                open = String(open[..<(open.lastIndex(of: "/") ?? open.startIndex)])
                if open == "/tmp" || open.isEmpty { break }
            }
            chmod(path, 0o666)
            let script =
                #"use IO::Socket::UNIX; my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die "no connection: $!\n"; "#
                + #"$s->print("ab\n"); $s->flush; print "answer: ", ($s->getline // "none\n");"#
            #expect(try run(["/usr/bin/perl", "-e", script, path]) == "answer: ba")
            let other = ["/usr/bin/setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--"]
            #expect(try run(other + ["/usr/bin/perl", "-e", script, path]) == "answer: none")
            #expect(lines.all == [1])
            server.close()
        }
    }
}
