import Glibc
import TestSupport
import Testing
import Wire

@testable import Network

/// A folder that a control socket may be in.
private func privateFolder() throws -> String {
    let folder = try temporaryFolder()
    chmod(folder, 0o700)
    return folder
}

/// Answers each line with itself, reversed.
private let reversing: LocalServerCore.Handler = { line, reply in reply(line.reversed()) }

@Suite struct LocalSocketTests {
    @Test("A line is answered with a line, again and again")
    func exchange() throws {
        let path = try privateFolder() + "/control.sock"
        try withLoop { loop in
            let server = try LocalSocketServer(on: loop, path: path, handler: reversing)
            for length in [0, 1, 1000, 1 << 16] {
                let line = (0..<length).map { UInt8($0 % 200 + 11) }
                #expect(try LocalSocketClient.ask(path: path, line: line) == line.reversed())
            }
            server.close()
        }
    }

    @Test("The socket is for its user only, and gone when it is closed")
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

    @Test("A folder that others may look into is refused", arguments: [0o755, 0o770, 0o701])
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

    @Test("A socket left by a process that ended is replaced; one that is listened at is not")
    func stale() throws {
        let path = try privateFolder() + "/control.sock"
        // A bound socket whose process forgot it.
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
            #expect(throws: NetworkError.cannotListen(address: path, message: "there is a file that is not a socket")) {
                try LocalSocketServer(on: loop, path: path, handler: reversing)
            }
        }
        #expect(access(path, F_OK) == 0)
    }

    @Test("A line longer than 64 KiB ends the connection without an answer")
    func longLine() throws {
        let path = try privateFolder() + "/control.sock"
        try withLoop { loop in
            let server = try LocalSocketServer(on: loop, path: path, handler: reversing)
            let line = [UInt8](repeating: 65, count: 1 << 16 + 1)
            #expect(throws: NetworkError.self) { try LocalSocketClient.ask(path: path, line: line) }
            #expect(try LocalSocketClient.ask(path: path, line: [1, 2]) == [2, 1])
            server.close()
        }
    }

    @Test("The client waits for an answer that comes later, and no longer than it was told")
    func lateAnswer() throws {
        let path = try privateFolder() + "/control.sock"
        try withLoop { loop in
            let server = try LocalSocketServer(on: loop, path: path) { line, reply in
                guard line == [1] else { return }
                _ = loop.schedule(at: loop.now + .milliseconds(50)) { reply([2]) }
            }
            #expect(try LocalSocketClient.ask(path: path, line: [1]) == [2])
            #expect(throws: NetworkError.localSocket(path: path, message: "no answer in time")) {
                try LocalSocketClient.ask(path: path, line: [3], timeout: .milliseconds(100))
            }
            server.close()
        }
    }
}
