import Glibc
import WeirNetwork
import WeirThreads
import WeirWire

/// A program that runs for a secret or a report. If it takes too long or is no longer wanted, it is killed together
/// with everything it started. Call `endAll` when the process exits, so that no program is left running.
package struct ChildProgram: Sendable {
    /// The way in which a program ended.
    enum Ending: Hashable, Sendable {
        /// The program exited with this status; 128 plus the signal number if a signal ended it.
        case ended(Int32)
        /// The program exceeded its time limit and was killed.
        case timedOut
        /// The result was no longer wanted, and the program was killed.
        case unwanted
    }

    /// The interval between two checks for the program's end, in milliseconds.
    private static let step: Int32 = 5

    private static let running = Monitor<[pid_t: Bool]>([:])

    private let process: pid_t
    /// Whether the program leads its own process group. A program that may prompt at the terminal cannot.
    private let leadsGroup: Bool

    /// Starts a program with these descriptors as standard input and output. Returns `nil` if it cannot be started.
    /// Without `variables` it inherits the environment of this process.
    init?(_ words: [String], input: Int32? = nil, output: Int32, variables: [String]? = nil, leadsGroup: Bool) {
        guard let program = words.first else { return nil }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // This process ignores SIGPIPE. The program gets the default action back.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16((leadsGroup ? POSIX_SPAWN_SETPGROUP : 0) | POSIX_SPAWN_SETSIGDEF))
        var pid = pid_t()
        let code = withStrings(words) { arguments in
            guard let variables else { return posix_spawnp(&pid, program, &actions, &attributes, arguments, environ) }
            return withStrings(variables) { posix_spawnp(&pid, program, &actions, &attributes, arguments, $0) }
        }
        guard code == 0 else { return nil }
        (process, self.leadsGroup) = (pid, leadsGroup)
        Self.running.change { $0[pid] = leadsGroup }
    }

    /// Waits for the program to end, until a time of the monotonic clock, and as long as it is wanted. After the call
    /// the program no longer runs.
    func end(by deadline: Moment, while isWanted: () -> Bool = { true }) -> Ending {
        defer { Self.running.change { $0[process] = nil } }
        var status: Int32 = 0
        while true {
            let found = waitpid(process, &status, WNOHANG)
            if found == process { return .ended(status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F) }
            // Other code has already waited for the process.
            if found < 0, errno != EINTR { return .ended(-1) }
            let isLate = MachineClock.monotonic >= deadline
            if isLate || !isWanted() {
                Self.kill(process, leadsGroup: leadsGroup)
                while waitpid(process, &status, 0) < 0, errno == EINTR {}
                return isLate ? .timedOut : .unwanted
            }
            poll(nil, 0, Self.step)
        }
    }

    /// Kills all running programs. Call it at the end of the process.
    package static func endAll() {
        for (process, leadsGroup) in running.change({ $0 }) { kill(process, leadsGroup: leadsGroup) }
    }

    /// Kills a program and everything it started. Without a group, each process is stopped first, so that it cannot
    /// start another while its children are listed.
    private static func kill(_ process: pid_t, leadsGroup: Bool) {
        if leadsGroup {
            Glibc.kill(-process, SIGKILL)
            return
        }
        Glibc.kill(process, SIGSTOP)
        for child in children(of: process) { kill(child, leadsGroup: false) }
        Glibc.kill(process, SIGKILL)
    }

    private static func children(of process: pid_t) -> [pid_t] {
        guard let file = fopen("/proc/\(process)/task/\(process)/children", "r") else { return [] }
        defer { fclose(file) }
        var children: [pid_t] = []
        var digits = 0
        var value: pid_t = 0
        while case let byte = fgetc(file), byte != EOF {
            if (48...57).contains(byte) {
                value = value &* 10 &+ (byte - 48)
                digits += 1
            } else if digits > 0 {
                children.append(value)
                (value, digits) = (0, 0)
            }
        }
        return children
    }
}

private func withStrings<Result>(
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
