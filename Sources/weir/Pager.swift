import Glibc
import Live

/// Shows a long text a screen at a time: by `$PAGER`, else less. What goes to a file or a pipe is printed as it is.
enum Pager {
    /// Shows a text; a manual page is set by `man`.
    static func show(_ text: String, asManual: Bool = false) -> ExitCode {
        let rows = TerminalDevice.height(of: 1) ?? 0
        let isLong = text.utf8.count { $0 == UInt8(ascii: "\n") } >= rows
        guard isatty(0) == 1, isatty(1) == 1, rows > 0, isLong || asManual else { return Console.print(text) }
        let pager = getenv("PAGER").map { String(cString: $0) } ?? "less -FRX"
        // The pager may have options; man finds it itself.
        guard !pager.isEmpty, let stream = popen(asManual ? "man -l -" : pager, "w") else { return Console.print(text) }
        signal(SIGPIPE, SIG_IGN)
        fputs(text, stream)
        // 127: the shell has found no such program.
        return pclose(stream) >> 8 == 127 ? Console.print(text) : .done
    }
}
