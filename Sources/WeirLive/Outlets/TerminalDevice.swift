import Glibc
import WeirNetwork
package import WeirTerminal
import WeirThreads

/// Properties of the terminal at a descriptor, and the choice of colours.
package enum TerminalDevice {
    /// The cases in which colours are used.
    package enum ColourChoice: String, CaseIterable, Sendable {
        /// Colours on a terminal, unless the environment decides otherwise.
        case auto
        /// Colours everywhere, also in a file or a pipe.
        case always
        case never
    }

    /// Sets the choice for the process. Call it before anything is printed.
    package static func choose(_ choice: ColourChoice, _ theme: TerminalTheme) {
        chosen.change { $0 = (choice, theme) }
    }

    private static let chosen = Monitor((choice: ColourChoice.auto, theme: TerminalTheme(.auto)))

    /// The appearance of colours where they are used.
    package static var theme: TerminalTheme { chosen.change { $0.theme } }

    /// Returns the theme for `descriptor`; `nil` when colours are not used.
    package static func theme(of descriptor: Int32) -> TerminalTheme? { showsColour(descriptor) ? theme : nil }

    /// Returns whether colours may be sent to `descriptor`.
    ///
    /// An explicit choice comes first. Otherwise `NO_COLOR` turns colours off, then `FORCE_COLOR` or `CLICOLOR_FORCE`
    /// turns them on (off when it is 0), then `CLICOLOR=0` turns them off (no-color.org, force-color.org,
    /// bixense.com/clicolors). Otherwise, colours need a terminal whose `TERM` is not `dumb`.
    package static func showsColour(_ descriptor: Int32) -> Bool {
        switch chosen.change({ $0.choice }) {
        case .always: return true
        case .never: return false
        case .auto: break
        }
        if variable("NO_COLOR") != nil { return false }
        if let force = variable("FORCE_COLOR") ?? variable("CLICOLOR_FORCE") { return force != "0" }
        if variable("CLICOLOR") == "0" { return false }
        return isatty(descriptor) == 1 && variable("TERM") != "dumb"
    }

    /// Returns the value of an environment variable; `nil` when it is empty or not set.
    package static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// Returns whether lines can be redrawn on `descriptor`. This needs a terminal whose `TERM` is not `dumb`.
    package static func redraws(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 && variable("TERM") != "dumb" }

    /// Returns the columns of the terminal at `descriptor`; `nil` when it is not a terminal or its size is unknown.
    package static func width(of descriptor: Int32) -> Int? {
        size(of: descriptor).flatMap { $0.ws_col > 0 ? Int($0.ws_col) : nil }
    }

    /// Returns the rows of the terminal at `descriptor`; `nil` when it is not a terminal or its size is unknown.
    package static func height(of descriptor: Int32) -> Int? {
        size(of: descriptor).flatMap { $0.ws_row > 0 ? Int($0.ws_row) : nil }
    }

    private static func size(of descriptor: Int32) -> winsize? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 ? size : nil
    }
}

/// Wakes a thread that waits for descriptors. Any thread may wake it; the waiting thread clears the signal.
final class Wakeup: Sendable {
    /// A descriptor that is readable after a wake-up; -1 if the system could not create a pipe, and then no thread is
    /// woken.
    let descriptor: Int32
    /// The end of the pipe to write to. A byte written here wakes the thread.
    let writeEnd: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        if pipe(&ends) == 0 {
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
        }
        (descriptor, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        if descriptor >= 0 {
            close(descriptor)
            close(writeEnd)
        }
    }

    /// Wakes the waiting thread, or the next one that waits.
    func wake() {
        var byte: UInt8 = 1
        _ = write(writeEnd, &byte, 1)
    }

    /// Waits until one of `descriptors` is readable, `wake()` is called, or `timeout` microseconds have passed; `nil`
    /// waits without a limit. A signal may end the wait as well.
    ///
    /// - Returns: `true` if the wait ended, at least in part, because of `wake()`.
    func wait(for descriptors: [Int32], timeout: Int64?) -> Bool {
        var watched = ([descriptor] + descriptors).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let span = timeout.map { min(max($0, 0), 3_600_000_000) }
        if let span, span < 1000 {
            // poll(2) counts whole milliseconds.
            usleep(UInt32(span))
        }
        _ = poll(&watched, nfds_t(watched.count), span.map { Int32($0 / 1000) } ?? -1)
        var bytes = [UInt8](repeating: 0, count: 64)
        return watched[0].revents != 0 && read(descriptor, &bytes, bytes.count) > 0
    }
}

extension LineSettings.Zone {
    /// The zone of the process: `TZ`, or the machine's zone.
    public static let local = Self { seconds in
        var (time, parts) = (time_t(seconds), tm())
        // A time outside the calendar has no offset.
        return localtime_r(&time, &parts) == nil ? 0 : Int64(parts.tm_gmtoff) * 1_000_000
    }
}
