import Glibc
import Network
import Wire

/// A program that is run for a secret or a report, and is ended with everything it has started when it takes too long or is not wanted
/// any more. Whatever ends the process, `endAll` leaves none of them behind.
package struct ChildProgram: Sendable {
    /// How it ended.
    enum Ending: Hashable, Sendable {
        /// With this status, 128 and its number where a signal ended it.
        case ended(Int32)
        /// It took too long, and was killed.
        case timedOut
        /// Nobody wanted it any more, and it was killed.
        case unwanted
    }

    /// How often it is looked whether a program has ended.
    private static let step: Int32 = 5

    private static let running = Monitor<[pid_t: Bool]>([:])

    private let process: pid_t
    /// Whether it and what it starts are a group of their own. One that may ask somebody at the terminal cannot be.
    private let leadsGroup: Bool

    /// Starts a program with these descriptors as standard input and output; nil when it cannot be started. Without `variables` it has the
    /// environment of this process.
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
        // No signal stays ignored.
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

    /// Waits for its end, up to a time of the monotonic clock, and as long as it is wanted. Nothing of it is left afterwards.
    func end(by deadline: Moment, while isWanted: () -> Bool = { true }) -> Ending {
        defer { Self.running.change { $0[process] = nil } }
        var status: Int32 = 0
        while true {
            let found = waitpid(process, &status, WNOHANG)
            if found == process { return .ended(status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F) }
            // Somebody else has waited for it.
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

    /// Kills all that run. For the end of the process.
    package static func endAll() {
        for (process, leadsGroup) in running.change({ $0 }) { kill(process, leadsGroup: leadsGroup) }
    }

    /// Kills a program and what it has started. Where that is no group, none of them may start another while they are looked for.
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
