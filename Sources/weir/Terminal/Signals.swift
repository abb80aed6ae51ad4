import Glibc
import Synchronization
import WeirLive
import WeirNetwork
import WeirThreads

/// The handling of SIGINT, SIGTERM and SIGHUP. The first signal ends a run in order. A second SIGINT or SIGTERM ends
/// the process at once; a further SIGHUP is ignored, since a closing terminal sends several.
enum Signals {
    /// Calls `handler` with the first signal, on a dedicated thread. Call it once per process.
    ///
    /// After SIGTERM and SIGHUP, `patience` with the reader of the output ends, since the sender wants a quick end.
    /// After SIGINT it does not, since a user at a terminal may be paging through the output. A process that inherited
    /// an ignored SIGHUP (nohup) keeps ignoring it.
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

    /// Calls `handler` at each signal with that number, on a dedicated thread. Call it once per number.
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

    /// Calls `handler` at each SIGHUP, except when the terminal has gone away: that SIGHUP ends the run as in
    /// `onFirst`.
    static func onEachHangUp(_ handler: @escaping @Sendable () -> Void) {
        onEach(SIGHUP) {
            if hadTerminal.load(ordering: .relaxed), !hasTerminal { receive(SIGHUP) } else { handler() }
        }
    }

    private static let hadTerminal = Atomic<Bool>(false)

    /// Whether the process has a controlling terminal that still exists.
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

    // A signal handler may interrupt any code. It uses only atomics, which `onFirst` has initialised, and calls only
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
