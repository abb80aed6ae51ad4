import Glibc
import Recording

/// A POSIX extended regular expression, for lines of text.
struct LinePattern: ~Copyable {
    /// Why an expression cannot be used.
    enum Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        case repeatsTooMuch
        /// What the C library says of it.
        case malformed(String)

        /// What follows "the expression".
        var description: String {
            switch self {
            case .repeatsTooMuch: "repeats too much"
            case .malformed(let message): "is malformed: \(message)"
            }
        }
    }

    private let compiled: UnsafeMutablePointer<regex_t>

    /// Compiles an expression (regcomp(3)).
    init(_ text: String) throws(Refusal) { compiled = try Self.compile(text) }

    private static func compile(_ text: String) throws(Refusal) -> UnsafeMutablePointer<regex_t> {
        guard !text.utf8.contains(0) else { throw .malformed("A zero byte cannot be looked for") }
        guard !RegularExpression.repeatsTooMuch(text) else { throw .repeatsTooMuch }
        let compiled = UnsafeMutablePointer<regex_t>.allocate(capacity: 1)
        compiled.initialize(to: regex_t())
        let code = regcomp(compiled, text, REG_EXTENDED | REG_NOSUB)
        guard code != 0 else { return compiled }
        var message = [CChar](repeating: 0, count: 200)
        regerror(code, compiled, &message, message.count)
        compiled.deallocate()
        let bytes = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        throw .malformed(String(decoding: bytes, as: UTF8.self))
    }

    deinit {
        regfree(compiled)
        compiled.deallocate()
    }

    /// Whether one of the lines matches.
    func matchesLine(of text: [UInt8]) -> Bool {
        text.withUnsafeBufferPointer { text in
            var start = 0
            while start < text.count {
                let end = text[start...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
                if matches(UnsafeBufferPointer(rebasing: text[start..<end])) { return true }
                start = end + 1
            }
            return false
        }
    }

    /// Whether it matches somewhere in a text, whatever bytes are in it. The C library is given where the text ends (`REG_STARTEND`), so that
    /// it need not be copied to have a zero behind it.
    func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let base = text.baseAddress else { return regexec(compiled, "", 0, nil, 0) == 0 }
        return base.withMemoryRebound(to: CChar.self, capacity: text.count) { start in
            var range = regmatch_t(rm_so: 0, rm_eo: regoff_t(clamping: text.count))
            return regexec(compiled, start, 1, &range, REG_STARTEND) == 0
        }
    }
}
