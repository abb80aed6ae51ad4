public import Glibc
import Network
import Synchronization
import Testing

/// A program that runs beside the test; it is killed when the peer is let go.
public final class Peer: Sendable {
    /// Its process.
    public let pid: pid_t
    private let output: Int32
    /// Its exit status, or 128 and the signal, once somebody waited for it: a process can be waited for once.
    private let ended = Mutex<Int32?>(nil)

    /// Starts `arguments` (the first found on the path), with `environment` added to the test's own.
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
            // Of two of one name a shell takes the last.
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

    /// The next line of its standard output; nil at the end.
    public func readLine() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(output, &byte, 1) == 1 {
            if byte == 10 { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }

    /// Reads lines until one begins with `prefix`; the test fails when none does.
    @discardableResult
    public func readLine(startingWith prefix: String) throws -> String {
        while let line = readLine() {
            if line.hasPrefix(prefix) { return line }
        }
        throw PeerEnded(waitedFor: prefix)
    }

    /// Reads away what it says from now on: a pipe that nobody reads is full one day, and whoever writes into it waits, even to end.
    public func drain() {
        // Its own: the other is closed as soon as somebody has waited for the end.
        let rest = fcntl(output, F_DUPFD_CLOEXEC, 0)
        runOnThread(named: "drain") {
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            while read(rest, &bytes, bytes.count) > 0 {}
            close(rest)
        }
    }

    /// Waits for its `listening PORT` line.
    public func listeningPort() throws -> UInt16 {
        let words = try readLine(startingWith: "listening ").split(separator: " ")
        return try #require(words.last.flatMap { UInt16($0) }, "no port in \(words)")
    }

    // A child that nobody waited for would be found by whoever waits for any child, as the runner of exit tests does, for ever.
    deinit { stop() }

    /// Waits for its end; gives its exit status, or 128 and the signal.
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

    /// Ends it at once, if it has not ended.
    public func stop() {
        if ended.withLock({ $0 }) == nil { kill(pid, SIGKILL) }
        wait()
    }
}

/// A peer ended before it said what was waited for.
public struct PeerEnded: Error {
    /// What was waited for.
    public var waitedFor: String
}

/// Runs a program to its end and gives what it printed; the test fails when it does.
@discardableResult
public func run(_ arguments: [String]) throws -> String {
    let peer = try Peer(arguments)
    var lines: [String] = []
    while let line = peer.readLine() { lines.append(line) }
    let status = peer.wait()
    try #require(status == 0, "\(arguments.joined(separator: " ")) ended with \(status)")
    return lines.joined(separator: "\n")
}
