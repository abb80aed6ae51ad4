import Glibc
import Live
import Wire

/// What is read from standard input: a message's text, or a password.
enum StandardInput {
    /// Largest text read, in bytes: more is no message.
    private static let maximum = 1 << 20

    /// Why there is no text.
    struct Problem: Error {
        var message: String
    }

    /// All of it, without the line feed at its end.
    static func text() -> Result<String, Problem> {
        guard isatty(0) == 0 else {
            return .failure(Problem(message: "TEXT is missing: give it as an argument or on standard input"))
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(0, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return .failure(Problem(message: "standard input cannot be read")) }
            if count == 0 { break }
            bytes += buffer[..<count]
            guard bytes.count <= maximum else {
                return .failure(Problem(message: "the text on standard input is longer than \(maximum) bytes"))
            }
        }
        while bytes.last == UInt8(ascii: "\n") || bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty else { return .failure(Problem(message: "the text on standard input is empty")) }
        return .success(String(decoding: bytes, as: UTF8.self))
    }

    /// The first line, for a secret; asked for when somebody sits there, and then not shown. Blocks.
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
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty else { throw TokenError(message: "standard input gives no password") }
        return Secret(String(decoding: bytes, as: UTF8.self))
    }
}
