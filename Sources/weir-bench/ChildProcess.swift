import Glibc

/// A program that runs alongside the benchmark. It is killed when this object is released.
final class ChildProcess {
    /// The process id of the program.
    let pid: pid_t
    /// The read end of the program's standard output, valid as long as this object.
    let output: Int32
    private var hasEnded = false

    /// Starts the program `arguments[0]`, found on the path. `variables` are added to this process's environment. Both
    /// share standard error.
    init(_ arguments: [String], variables: [String] = []) throws(BenchmarkError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw .failed("no pipe can be made") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        var words = arguments.map { strdup($0) } + [nil]
        let added = variables.map { strdup($0) }
        defer { for word in words + added { free(word) } }
        var environment = added
        var inherited = environ
        while let variable = inherited.pointee {
            environment.append(variable)
            inherited += 1
        }
        environment.append(nil)
        var pid = pid_t()
        let failure = posix_spawnp(&pid, arguments[0], &actions, nil, &words, environment)
        close(ends[1])
        guard failure == 0 else {
            close(ends[0])
            throw .failed("\(arguments[0]) cannot be started: \(String(cString: strerror(failure)))")
        }
        self.pid = pid
        output = ends[0]
    }

    deinit {
        if !hasEnded { kill(pid, SIGKILL) }
        close(output)
        wait()
    }

    /// Returns the next line of the program's standard output, or `nil` at the end.
    func readLine() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(output, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }

    private func wait() {
        guard !hasEnded else { return }
        hasEnded = true
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    }

    /// Returns the path of a program from the same build.
    static func program(builtAs name: String) throws(BenchmarkError) -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let program = path[..<(path.lastIndex(of: "/") ?? path.startIndex)] + "/" + name
        guard access(String(program), X_OK) == 0 else {
            throw .failed("\(program) is not here: build it first, with the same configuration")
        }
        return String(program)
    }
}
