import Glibc
import Testing

/// A program that runs beside the test.
final class Peer: Sendable {
    let pid: pid_t
    private let output: Int32

    /// Starts `arguments` (the first found on the path).
    init(_ arguments: [String]) throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addclose(&actions, ends[0])
        posix_spawn_file_actions_addclose(&actions, ends[1])
        var pid = pid_t()
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        let failure = posix_spawnp(&pid, arguments[0], &actions, nil, &words, environ)
        close(ends[1])
        try #require(failure == 0, "\(arguments[0]) cannot be started: \(String(cString: strerror(failure)))")
        self.pid = pid
        output = ends[0]
        _ = fcntl(output, F_SETFD, FD_CLOEXEC)
    }

    /// The next line of its standard output; nil at the end.
    func readLine() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(output, &byte, 1) == 1 {
            if byte == 10 { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }

    /// Waits for its `listening PORT` line.
    func listeningPort() throws -> UInt16 {
        let line = try #require(readLine(), "the peer ended before it listened")
        let words = line.split(separator: " ")
        return try #require(words.first == "listening" ? words.last.flatMap { UInt16($0) } : nil, "unexpected: \(line)")
    }

    /// Waits for its end; gives its exit status.
    @discardableResult
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        close(output)
        return (status >> 8) & 0xff
    }

    /// Ends it.
    func stop() {
        kill(pid, SIGKILL)
        wait()
    }
}

/// Runs a program to its end; the test fails when it does.
func run(_ arguments: [String]) throws {
    let peer = try Peer(arguments)
    while peer.readLine() != nil {}
    let status = peer.wait()
    try #require(status == 0, "\(arguments.joined(separator: " ")) ended with \(status)")
}

/// A new folder under the system's temporary one, for this user only.
func temporaryFolder() throws -> String {
    var template = Array("/tmp/weir-test-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
}

func writeFile(_ path: String, _ text: String) throws {
    let file = try #require(fopen(path, "w"))
    fputs(text, file)
    fclose(file)
}

/// The folder of the Python peers.
let peersFolder: String = {
    let parts = #filePath.split(separator: "/").dropLast(2)
    return "/" + parts.joined(separator: "/") + "/Peers"
}()
