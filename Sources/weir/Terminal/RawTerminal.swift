import Glibc
import Synchronization
import WeirTerminal

/// The terminal in a mode that delivers single keys without echo. The terminal is restored however the process ends:
/// normally, by a signal or by a crash. It is also restored while the process is suspended.
struct RawTerminal {
    private static let input: Int32 = 0
    private static let output: Int32 = 1

    /// Returns the terminal of a user who watches a replay; `nil` if the process has no terminal, or standard input is
    /// a recording.
    static func forPlaying(_ paths: [String]) -> RawTerminal? {
        isatty(input) == 1 && isatty(1) == 1 && !paths.contains("-") ? RawTerminal() : nil
    }

    /// Returns the terminal for a full-screen view; `nil` if it cannot show one.
    static func forFullScreen() -> RawTerminal? {
        guard isatty(input) == 1, isatty(output) == 1, let kind = getenv("TERM"), kind.pointee != 0 else { return nil }
        return String(cString: kind) == "dumb" ? nil : RawTerminal()
    }

    /// Switches to single keys, and to the alternate screen if `takesScreen` is true. A byte is written to `wakeup`
    /// when the process resumes after a suspension, and when the size of the screen changes. Call it once per process.
    func begin(wakeup: Int32, takesScreen: Bool = false) {
        let modes = UnsafeMutablePointer<termios>.allocate(capacity: 2)
        guard tcgetattr(Self.input, modes) == 0 else { return modes.deallocate() }
        modes[1] = modes[0]
        // The terminal continues to turn keys into signals.
        modes[1].c_lflag &= ~tcflag_t(ICANON | ECHO)
        if takesScreen {
            Self.keep(TerminalModes.begin, in: Self.screenBegin)
            Self.keep(TerminalModes.end, in: Self.screenEnd)
            handle(SIGWINCH)
        }
        // Never freed, since a signal handler may need them at any time.
        Self.wakeup.store(wakeup, ordering: .sequentiallyConsistent)
        Self.modes.store(UInt(bitPattern: modes), ordering: .sequentiallyConsistent)
        for number in [SIGTSTP, SIGCONT, SIGQUIT, SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT] {
            handle(number)
        }
        Self.set(raw: true)
    }

    /// Restores the terminal, and no longer restores it at signals.
    func end() {
        Self.restore()
        Self.modes.store(0, ordering: .sequentiallyConsistent)
    }

    /// The number of times the process resumed after a suspension. The content of the screen is unknown after each.
    static var resumes: Int { resumed.load(ordering: .relaxed) }

    /// Restores the terminal's mode. May be called in a signal handler, and without `begin`.
    static func restore() { set(raw: false) }

    // MARK: - Signals

    // A signal handler may interrupt any code. It uses only atomics and async-signal-safe functions (signal-safety(7)).
    /// The address of the original and the single-key terminal modes; 0 before `begin`.
    private static let modes = Atomic<UInt>(0)

    private static let wakeup = Atomic<Int32>(-1)
    private static let resumed = Atomic<Int>(0)
    /// The addresses of the sequences that enter and leave the full screen, each a byte count followed by the bytes; 0
    /// while the screen is not taken.
    private static let screenBegin = Atomic<UInt>(0)
    private static let screenEnd = Atomic<UInt>(0)

    private static func keep(_ bytes: [UInt8], in place: borrowing Atomic<UInt>) {
        let kept = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count + 1)
        kept[0] = UInt8(bytes.count)
        for (index, byte) in bytes.enumerated() { kept[index + 1] = byte }
        place.store(UInt(bitPattern: kept), ordering: .sequentiallyConsistent)
    }

    private static func send(_ place: borrowing Atomic<UInt>) {
        guard let kept = UnsafePointer<UInt8>(bitPattern: place.load(ordering: .sequentiallyConsistent)) else { return }
        _ = write(output, kept + 1, Int(kept[0]))
    }

    private static func set(raw: Bool) {
        guard let modes = UnsafePointer<termios>(bitPattern: modes.load(ordering: .sequentiallyConsistent)) else {
            return
        }
        if !raw { send(screenEnd) }
        tcsetattr(input, TCSANOW, raw ? modes + 1 : modes)
        if raw { send(screenBegin) }
    }

    private func handle(_ number: Int32) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = Self.receive
        action.sa_flags = SA_RESTART
        sigaction(number, &action, nil)
    }

    private static func wake() {
        var byte: UInt8 = 1
        _ = write(wakeup.load(ordering: .sequentiallyConsistent), &byte, 1)
    }

    private static let receive: @convention(c) @Sendable (Int32) -> Void = { number in
        let before = errno
        switch number {
        case SIGTSTP:
            set(raw: false)
            // SIGSTOP cannot be caught. The following code runs when the process resumes.
            kill(getpid(), SIGSTOP)
        case SIGCONT:
            set(raw: true)
            resumed.add(1, ordering: .relaxed)
            wake()
        case SIGWINCH: wake()
        default:
            set(raw: false)
            // Repeat the signal with its default action.
            signal(number, SIG_DFL)
            kill(getpid(), number)
        }
        errno = before
    }
}
