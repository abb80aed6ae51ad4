import Glibc
import Network
import Wire

/// A program that is run for a report.
enum HookProcess {
    enum Outcome { case done, failed, timedOut }

    /// How often it is looked whether the program has ended.
    private static let step: Int64 = 5_000

    /// Runs a program with `input` on standard input, and waits for its end, so many microseconds at most. What it prints goes to standard
    /// error: standard output is for events.
    static func run(_ words: [String], input: [UInt8], variables: [String], timeout: Int64) -> Outcome {
        guard let program = words.first, let file = tmpfile() else { return .failed }
        defer { fclose(file) }
        // A file, not a pipe: a program that does not read cannot hold anybody up.
        guard fwrite(input, 1, input.count, file) == input.count, fflush(file) == 0 else { return .failed }
        rewind(file)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, fileno(file), STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A group of its own, so that what it started can be ended with it; and no signal stays ignored.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF))
        var pid = pid_t()
        let code = withStrings(words) { arguments in
            withStrings(variables) { posix_spawnp(&pid, program, &actions, &attributes, arguments, $0) }
        }
        return code == 0 ? wait(for: pid, timeout) : .failed
    }

    private static func wait(for pid: pid_t, _ timeout: Int64) -> Outcome {
        let end = MachineClock.monotonic + .microseconds(timeout)
        var status: Int32 = 0
        while true {
            let found = waitpid(pid, &status, WNOHANG)
            if found == pid { return status == 0 ? .done : .failed }
            if found < 0, errno != EINTR { return .failed }
            if MachineClock.monotonic >= end {
                kill(-pid, SIGKILL)
                while waitpid(pid, &status, 0) < 0, errno == EINTR {}
                return .timedOut
            }
            usleep(UInt32(step))
        }
    }

    private static func withStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        return withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<CChar>?.self, capacity: copies.count) { buffer in
            for (index, copy) in copies.enumerated() { buffer.initializeElement(at: index, to: copy) }
            guard let base = buffer.baseAddress else { preconditionFailure("a list that ends with nil is not empty") }
            return body(UnsafePointer(base))
        }
    }
}
