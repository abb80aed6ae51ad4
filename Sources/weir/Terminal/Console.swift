import Glibc
import WeirLive
import WeirNetwork
import WeirTerminal
import WeirWire

/// The output of the commands themselves: help on standard output, everything else on standard error.
enum Console {
    /// Prints on standard output. A reader that has closed it is a normal end.
    static func print(_ text: String) -> ExitCode {
        do {
            try DescriptorWriter(descriptor: 1, name: "standard output").write(Array(text.utf8))
            return .done
        } catch {
            return error == .closedByReader ? .done : fail(error)
        }
    }

    /// Prints one line on standard error, with control characters escaped.
    static func note(_ text: String) {
        Progress.clear()
        try? StatusPrinter(colour: TerminalDevice.showsColour(2)).write(lines: [text])
    }

    /// Prints one line after a badge. `isGrave` is true if others would see a mistake.
    static func note(_ text: String, badge: String?, isGrave: Bool) {
        guard let badge else { return note(text) }
        try? StatusPrinter(colour: TerminalDevice.showsColour(2)).write(badge: badge, isGrave: isGrave, line: text)
    }

    /// Prints an error, which stands out on a terminal.
    static func complain(_ text: String) { note(text, badge: "weir:", isGrave: true) }

    /// Prints the error that ends a command, and returns its exit code.
    static func fail(_ error: any Error) -> ExitCode {
        let trouble = CommandError(error)
        complain(trouble.sentence)
        return trouble.code
    }

    /// Prints an error about the arguments, with a pointer to the help.
    static func refuse(_ error: UsageError) -> ExitCode {
        complain(error.message)
        for line in error.details { note("  " + line) }
        note("Try 'weir help\(error.command.map { " " + $0.name } ?? "")'.")
        return .usage
    }
}

/// Prints lines on standard output.
struct StandardOutput {
    private let writer = DescriptorWriter(descriptor: 1, name: "standard output")

    /// Prints each line unchanged, followed by a line feed.
    func write(_ lines: [String]) throws(OutletError) {
        guard !lines.isEmpty else { return }
        Progress.clear()
        try writer.write(Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    /// Returns text that may come from a peer, escaped for the terminal.
    static func escaped(_ text: String) -> String { TerminalText.escaped(text) }
}

/// Standard input as the source of a message's text or of a password.
enum StandardInput {
    /// The reason for a missing text.
    struct Problem: Error {
        var message: String
    }

    /// Reads all of standard input, without the line feeds at its end.
    static func text() -> Result<String, Problem> {
        guard isatty(0) == 0 else {
            return .failure(Problem(message: "TEXT is missing: give it as an argument or on standard input"))
        }
        do throws(TextFile.Problem) {
            var text = try TextFile.read(STDIN_FILENO)
            while text.last == "\n" { text.removeLast() }
            guard !text.isEmpty else { return .failure(Problem(message: "the text on standard input is empty")) }
            return .success(text)
        } catch {
            return .failure(Problem(message: "standard input: " + error.message))
        }
    }

    /// Reads the first line as a secret. Prints the question on a terminal, and hides the input there. Blocks.
    static func secret(asking question: String) throws(TokenError) -> Secret {
        let isTerminal = isatty(0) != 0
        var before = termios()
        let hides = isTerminal && tcgetattr(0, &before) == 0
        if hides {
            var hidden = before
            hidden.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(0, TCSAFLUSH, &hidden)
        }
        defer {
            if hides {
                tcsetattr(0, TCSAFLUSH, &before)
                _ = write(2, "\n", 1)
            }
        }
        if isTerminal { _ = question.withCString { write(2, $0, strlen($0)) } }
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count < 4096 {
            let count = Glibc.read(0, &byte, 1)
            if count < 0, errno == EINTR { continue }
            if count <= 0 || byte == UInt8(ascii: "\n") { break }
            bytes.append(byte)
        }
        if bytes.isEmpty { throw TokenError(message: "standard input contains no password", isUsage: true) }
        return try TokenReference.secret(in: bytes, of: "standard input", "password")
    }
}
