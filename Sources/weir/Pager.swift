import Glibc
import Live

/// Shows a long text page by page, with `$PAGER`, otherwise less. Output to a file or a pipe is printed directly.
enum Pager {
    /// Shows a text. A manual page is formatted by `man`.
    static func show(_ text: String, asManual: Bool = false) -> ExitCode {
        let rows = TerminalDevice.height(of: 1) ?? 0
        let isLong = text.utf8.count { $0 == UInt8(ascii: "\n") } >= rows
        guard isatty(0) == 1, isatty(1) == 1, rows > 0, isLong || asManual else { return Console.print(text) }
        let pager = getenv("PAGER").map { String(cString: $0) } ?? "less -FRX"
        // The pager may contain options; man uses its own.
        guard !pager.isEmpty, let stream = popen(asManual ? "man -l -" : pager, "w") else { return Console.print(text) }
        signal(SIGPIPE, SIG_IGN)
        fputs(text, stream)
        // Exit code 127: the shell found no such program.
        return pclose(stream) >> 8 == 127 ? Console.print(text) : .done
    }
}
