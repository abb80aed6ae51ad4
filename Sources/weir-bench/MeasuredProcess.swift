import Glibc

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
