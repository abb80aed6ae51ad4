import Glibc
import Synchronization
import Terminal

/// The terminal that keys are read from one by one, without showing them. However the process ends, the terminal is as it was: at its
/// end, by a signal, by a crash; and while it is suspended.
struct RawTerminal {
    private static let input: Int32 = 0
    private static let output: Int32 = 1

    /// The terminal of somebody who looks on while recordings are played; nil where nobody does, or standard input is a recording.
    static func forPlaying(_ paths: [String]) -> RawTerminal? {
        isatty(input) == 1 && isatty(1) == 1 && !paths.contains("-") ? RawTerminal() : nil
    }

    /// The terminal for a full-screen view; nil where there is none that could show one.
    static func forFullScreen() -> RawTerminal? {
        guard isatty(input) == 1, isatty(output) == 1, let kind = getenv("TERM"), kind.pointee != 0 else { return nil }
        return String(cString: kind) == "dumb" ? nil : RawTerminal()
    }

    /// Takes the keys, and the whole screen if that is wanted. A byte is written to `wakeup` when the process goes on after it was
    /// suspended, and when the screen has another size. Once in a process.
    func begin(wakeup: Int32, takesScreen: Bool = false) {
        let modes = UnsafeMutablePointer<termios>.allocate(capacity: 2)
        guard tcgetattr(Self.input, modes) == 0 else { return modes.deallocate() }
        modes[1] = modes[0]
        // Signals stay keys of the terminal's own.
        modes[1].c_lflag &= ~tcflag_t(ICANON | ECHO)
        if takesScreen {
            Self.keep(TerminalModes.begin, in: Self.screenBegin)
            Self.keep(TerminalModes.end, in: Self.screenEnd)
            handle(SIGWINCH)
        }
        // Never freed: a signal may want them at any time.
        Self.wakeup.store(wakeup, ordering: .sequentiallyConsistent)
        Self.modes.store(UInt(bitPattern: modes), ordering: .sequentiallyConsistent)
        for number in [SIGTSTP, SIGCONT, SIGQUIT, SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT] {
            handle(number)
        }
        Self.set(raw: true)
    }

    /// Gives the keys back.
    func end() {
        Self.restore()
        Self.modes.store(0, ordering: .sequentiallyConsistent)
    }

    /// How often the process went on after it was suspended: then nobody knows what is on the screen.
    static var resumes: Int { resumed.load(ordering: .relaxed) }

    /// Makes the terminal what it was. May be called in a signal's handler, and when nothing was taken.
    static func restore() { set(raw: false) }

    // MARK: - Signals

    // A signal handler may interrupt anything: it touches atomics, and calls what may be called in one (signal-safety(7)).
    /// Address of the terminal's mode before and of the one with single keys; 0 while there are none.
    private static let modes = Atomic<UInt>(0)

    private static let wakeup = Atomic<Int32>(-1)
    private static let resumed = Atomic<Int>(0)
    /// Addresses of what is sent when the screen is taken, and when it is given back: a count of bytes and the bytes; 0 while it is
    /// not taken.
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
            // The signal that cannot be caught; what follows runs when the process goes on.
            kill(getpid(), SIGSTOP)
        case SIGCONT:
            set(raw: true)
            resumed.add(1, ordering: .relaxed)
            wake()
        case SIGWINCH: wake()
        default:
            set(raw: false)
            // As if it had not been caught.
            signal(number, SIG_DFL)
            kill(getpid(), number)
        }
        errno = before
    }
}
