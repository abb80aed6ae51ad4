import Glibc
import Synchronization

/// The terminal that keys are read from one by one, without showing them. However the process ends, the terminal is as it was: at its
/// end, by a signal, by a crash; and while it is suspended.
struct RawTerminal {
    private static let input: Int32 = 0

    /// The terminal of somebody who looks on while recordings are played; nil where nobody does, or standard input is a recording.
    static func forPlaying(_ paths: [String]) -> RawTerminal? {
        isatty(input) == 1 && isatty(1) == 1 && !paths.contains("-") ? RawTerminal() : nil
    }

    /// Takes the keys. A byte is written to `wakeup` when the process goes on after it was suspended. Once in a process.
    func begin(wakeup: Int32) {
        let modes = UnsafeMutablePointer<termios>.allocate(capacity: 2)
        guard tcgetattr(Self.input, modes) == 0 else { return modes.deallocate() }
        modes[1] = modes[0]
        // Signals stay keys of the terminal's own.
        modes[1].c_lflag &= ~tcflag_t(ICANON | ECHO)
        // Never freed: a signal may want them at any time.
        Self.wakeup.store(wakeup, ordering: .sequentiallyConsistent)
        Self.modes.store(UInt(bitPattern: modes), ordering: .sequentiallyConsistent)
        for number in [SIGTSTP, SIGCONT, SIGQUIT, SIGHUP, SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT] {
            handle(number)
        }
        Self.set(raw: true)
    }

    /// Gives the keys back.
    func end() {
        Self.restore()
        Self.modes.store(0, ordering: .sequentiallyConsistent)
    }

    /// Makes the terminal what it was. May be called in a signal's handler, and when nothing was taken.
    static func restore() { set(raw: false) }

    // MARK: - Signals

    // A signal handler may interrupt anything: it touches atomics, and calls what may be called in one (signal-safety(7)).
    /// Address of the terminal's mode before and of the one with single keys; 0 while there are none.
    private static let modes = Atomic<UInt>(0)

    private static let wakeup = Atomic<Int32>(-1)

    private static func set(raw: Bool) {
        guard let modes = UnsafePointer<termios>(bitPattern: modes.load(ordering: .sequentiallyConsistent)) else {
            return
        }
        tcsetattr(input, TCSANOW, raw ? modes + 1 : modes)
    }

    private func handle(_ number: Int32) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = Self.receive
        action.sa_flags = SA_RESTART
        sigaction(number, &action, nil)
    }

    private static let receive: @convention(c) @Sendable (Int32) -> Void = { number in
        let before = errno
        switch number {
        case SIGTSTP:
            set(raw: false)
            // The signal that cannot be caught; what follows runs when the process goes on.
            kill(getpid(), SIGSTOP)
        case SIGCONT:
            set(raw: true)
            var byte: UInt8 = 1
            _ = write(wakeup.load(ordering: .sequentiallyConsistent), &byte, 1)
        default:
            set(raw: false)
            // As if it had not been caught.
            signal(number, SIG_DFL)
            kill(getpid(), number)
        }
        errno = before
    }
}
