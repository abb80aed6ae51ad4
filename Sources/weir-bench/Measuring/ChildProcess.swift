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

/// A program that ran to its end, with its resource use as counted by the kernel.
struct MeasuredProcess {
    /// The time from the program's start to its end.
    let span: Span
    /// The program's peak memory, in megabytes of 1,000,000 bytes.
    let peak: Double
    /// The last line of the program's standard output.
    let answer: String

    /// Runs the program `arguments[0]`, found on the path, and waits for its end. With `keepsOutput` it may write only
    /// a few lines, since they are read after the end. Otherwise its output goes to `/dev/null`.
    init(_ arguments: [String], keepsOutput: Bool) throws(BenchmarkError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .failed("no pipe can be made") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        let output = keepsOutput ? ends[1] : open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { for end in keepsOutput ? ends : ends + [output] { close(end) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        var words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var pid = pid_t()
        let start = Clock.wall.nanoseconds
        let failure = posix_spawnp(&pid, arguments[0], &actions, nil, &words, environ)
        guard failure == 0 else {
            throw .failed("\(arguments[0]) cannot be started: \(String(cString: strerror(failure)))")
        }
        var status: Int32 = 0
        var usage = rusage()
        while wait4(pid, &status, 0, &usage) < 0, errno == EINTR {}
        let seconds = (Clock.wall.nanoseconds - start) / 1e9
        guard status == 0 else { throw .failed("\(arguments[0]) failed: \(arguments.joined(separator: " "))") }
        span = Span(seconds: seconds, processor: usage.ru_utime.seconds + usage.ru_stime.seconds)
        peak = Double(usage.ru_maxrss) * 1024 / 1e6
        answer = Self.lastLine(of: ends[0])
    }

    private static func lastLine(of pipe: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(pipe, &bytes, bytes.count)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        return text.split(separator: "\n").last.map(String.init) ?? ""
    }
}

extension timeval {
    fileprivate var seconds: Double { Double(tv_sec) + Double(tv_usec) / 1e6 }
}

/// Figures that the kernel keeps about another process.
struct ProcessFacts: Sendable {
    let pid: pid_t

    /// Returns a figure of `/proc/PID/status` in megabytes of 1,000,000 bytes. The file contains it in kilobytes.
    func megabytes(_ name: String) -> Double? {
        let lines = contents("status").split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix(name) }),
            let kilobytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({
                Double($0)
            })
        else { return nil }
        return kilobytes * 1024 / 1e6
    }

    /// The user and system time of all threads, in seconds.
    var processorSeconds: Double? {
        // The name, in parentheses, may contain any text. The fields after it are numbers; the 12th and 13th are the
        // times.
        let words = contents("stat").split(separator: ")").last?.split(separator: " ") ?? []
        guard words.count > 12, let user = Double(words[11]), let system = Double(words[12]) else { return nil }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The number of threads of the process.
    var threads: Int { entries(of: "task") }

    /// The number of open file descriptors.
    var descriptors: Int { entries(of: "fd") }

    /// The number of memory mappings of the process.
    var mappings: Int { contents("maps").utf8.count { $0 == UInt8(ascii: "\n") } }

    private func entries(of name: String) -> Int {
        guard let folder = opendir("/proc/\(pid)/\(name)") else { return 0 }
        defer { closedir(folder) }
        // The entries "." and ".." do not count.
        var count = -2
        while readdir(folder) != nil { count += 1 }
        return count
    }

    private func contents(_ name: String) -> String {
        guard let file = fopen("/proc/\(pid)/\(name)", "r") else { return "" }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 8192)
        while case let count = fread(&part, 1, part.count, file), count > 0 { bytes += part[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
