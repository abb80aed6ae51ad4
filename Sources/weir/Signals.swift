import Glibc
import Live
import Network
import Synchronization

/// SIGINT, SIGTERM and SIGHUP: the first one ends a run in order, a second SIGINT or SIGTERM ends the process at once. A terminal that
/// goes away sends more than one SIGHUP.
enum Signals {
    /// Calls `handler` with the first signal, on a thread of its own. Once in a process.
    ///
    /// Who sends SIGTERM wants an end soon, and `patience` with whoever reads the output has one, as after SIGHUP; who interrupts at a
    /// terminal may be paging through it. A process that was told to ignore SIGHUP (nohup) does.
    static func onFirst(ending patience: WritePatience? = nil, _ handler: @escaping @Sendable (Int32) -> Void) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let readEnd = ends[0]
        writeEnd.store(ends[1], ordering: .sequentiallyConsistent)
        count.store(0, ordering: .sequentiallyConsistent)
        signal(SIGINT, receive)
        signal(SIGTERM, receive)
        if unsafeBitCast(signal(SIGHUP, receive), to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
            signal(SIGHUP, SIG_IGN)
        }
        hadTerminal.store(hasTerminal, ordering: .sequentiallyConsistent)
        runOnThread(named: "weir-signals") {
            var number: UInt8 = 0
            while read(readEnd, &number, 1) < 0, errno == EINTR {}
            if number == SIGTERM || number == SIGHUP { patience?.end() }
            if number != 0 { handler(Int32(number)) }
        }
    }

    /// Calls `handler` at each signal of that number, on a thread of its own. Once for a number.
    static func onEach(_ number: Int32, _ handler: @escaping @Sendable () -> Void) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let readEnd = ends[0]
        switch number {
        case SIGHUP: hangUpEnd.store(ends[1], ordering: .sequentiallyConsistent)
        case SIGUSR1: statisticsEnd.store(ends[1], ordering: .sequentiallyConsistent)
        default: dumpEnd.store(ends[1], ordering: .sequentiallyConsistent)
        }
        signal(number, pass)
        runOnThread(named: "weir-signal-\(number)") {
            var byte: UInt8 = 0
            while true {
                let count = read(readEnd, &byte, 1)
                if count == 1 { handler() } else if count == 0 || errno != EINTR { return }
            }
        }
    }

    /// Calls `handler` at each SIGHUP, as long as it does not mean that the terminal went away: that ends the run, as `onFirst` has it.
    static func onEachHangUp(_ handler: @escaping @Sendable () -> Void) {
        onEach(SIGHUP) {
            if hadTerminal.load(ordering: .relaxed), !hasTerminal { receive(SIGHUP) } else { handler() }
        }
    }

    private static let hadTerminal = Atomic<Bool>(false)

    /// Whether the process has a terminal that is there.
    private static var hasTerminal: Bool {
        let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
        if terminal >= 0 { close(terminal) }
        return terminal >= 0
    }

    private static let hangUpEnd = Atomic<Int32>(-1)
    private static let statisticsEnd = Atomic<Int32>(-1)
    private static let dumpEnd = Atomic<Int32>(-1)

    private static let pass: @convention(c) @Sendable (Int32) -> Void = { number in
        let before = errno
        var byte = UInt8(truncatingIfNeeded: number)
        let end =
            switch number {
            case SIGHUP: hangUpEnd.load(ordering: .relaxed)
            case SIGUSR1: statisticsEnd.load(ordering: .relaxed)
            default: dumpEnd.load(ordering: .relaxed)
            }
        _ = write(end, &byte, 1)
        errno = before
    }

    // A signal handler may interrupt anything: it only touches atomics, which `onFirst` has initialised, and calls
    // write and _exit.
    private static let writeEnd = Atomic<Int32>(-1)
    private static let count = Atomic<Int>(0)

    private static let receive: @convention(c) @Sendable (Int32) -> Void = { number in
        let before = errno
        if count.add(1, ordering: .relaxed).newValue > 1 {
            if number == SIGHUP { return }
            RawTerminal.restore()
            _exit(128 + number)
        }
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(writeEnd.load(ordering: .relaxed), &byte, 1)
        errno = before
    }
}
