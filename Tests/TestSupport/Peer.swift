public import Glibc
import Synchronization
import Testing
import WeirNetwork
import WeirThreads

/// A program that runs alongside the test. It is killed when the peer is released.
public final class Peer: Sendable {
    /// The process id of the program.
    public let pid: pid_t
    private let output: Int32
    /// The exit status, or 128 plus the signal, once the process was waited for. A process can be waited for only once.
    private let ended = Mutex<Int32?>(nil)

    /// Starts the program `arguments[0]`, found on the path, with `environment` added to the test's own. With
    /// `errorsToo`, its standard error is read too.
    public init(_ arguments: [String], environment: [String: String] = [:], errorsToo: Bool = false) throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        if errorsToo { posix_spawn_file_actions_adddup2(&actions, ends[1], 2) }
        posix_spawn_file_actions_addclose(&actions, ends[0])
        posix_spawn_file_actions_addclose(&actions, ends[1])
        var pid = pid_t()
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") }
        let added = variables.count
        var inherited = environ
        while let variable = inherited.pointee {
            // With two variables of the same name, a shell uses the last one.
            let name = String(String(cString: variable).prefix { $0 != "=" })
            if environment[name] == nil { variables.append(variable) }
            inherited += 1
        }
        variables.append(nil)
        defer {
            for word in words { free(word) }
            for variable in variables[..<added] { free(variable) }
        }
        let failure = posix_spawnp(&pid, arguments[0], &actions, nil, &words, variables)
        close(ends[1])
        try #require(failure == 0, "\(arguments[0]) cannot be started: \(String(cString: strerror(failure)))")
        self.pid = pid
        output = ends[0]
        _ = fcntl(output, F_SETFD, FD_CLOEXEC)
    }

    /// Returns the next line of the program's output, or `nil` at the end.
    public func readLine() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(output, &byte, 1) == 1 {
            if byte == 10 { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }

    /// Reads lines until one begins with `prefix`. The test fails if none does.
    @discardableResult
    public func readLine(startingWith prefix: String) throws -> String {
        while let line = readLine() {
            if line.hasPrefix(prefix) { return line }
        }
        throw PeerEnded(waitedFor: prefix)
    }

    /// Discards the program's output from now on. Otherwise the pipe would fill up and block the program, even at its
    /// end.
    public func drain() {
        // A separate descriptor, since `wait` closes the other one.
        let rest = fcntl(output, F_DUPFD_CLOEXEC, 0)
        runOnThread(named: "drain") {
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            while read(rest, &bytes, bytes.count) > 0 {}
            close(rest)
        }
    }

    /// Reads the line `listening PORT` and returns the port.
    public func listeningPort() throws -> UInt16 {
        let words = try readLine(startingWith: "listening ").split(separator: " ")
        return try #require(words.last.flatMap { UInt16($0) }, "no port in \(words)")
    }

    // Waiting is required: otherwise code that waits for any child, such as the runner of exit tests, would find this
    // one again and again.
    deinit { stop() }

    /// Waits for the program's end. Returns its exit status, or 128 plus the signal.
    @discardableResult
    public func wait() -> Int32 {
        ended.withLock { ended in
            if let ended { return ended }
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
            close(output)
            let result = status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
            ended = result
            return result
        }
    }

    /// Kills the program, unless it has ended, and waits for it.
    public func stop() {
        if ended.withLock({ $0 }) == nil { kill(pid, SIGKILL) }
        wait()
    }
}

/// An error when a peer ended before it printed an expected line.
public struct PeerEnded: Error {
    /// The expected prefix of the line.
    public var waitedFor: String
}

/// Runs a program to its end and returns its output. The test fails if the program does.
@discardableResult
public func run(_ arguments: [String]) throws -> String {
    let peer = try Peer(arguments)
    var lines: [String] = []
    while let line = peer.readLine() { lines.append(line) }
    let status = peer.wait()
    try #require(status == 0, "\(arguments.joined(separator: " ")) ended with \(status)")
    return lines.joined(separator: "\n")
}
