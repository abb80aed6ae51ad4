import Glibc
import Live
import Network
import Wire

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
