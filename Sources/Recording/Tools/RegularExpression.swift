import Glibc

/// A POSIX extended regular expression, as the C library has it, compiled. Not for several threads at once.
package struct RegularExpression: ~Copyable {
    /// Why an expression cannot be used.
    package enum Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        case repeatsTooMuch
        /// What the C library says of it.
        case malformed(String)

        /// What follows "the expression".
        package var description: String {
            switch self {
            case .repeatsTooMuch: "repeats too much"
            case .malformed(let message): "is malformed: \(message)"
            }
        }
    }

    private let compiled: UnsafeMutablePointer<regex_t>

    /// Compiles an expression (regcomp(3)). One that does not tell where it matches is faster.
    package init(_ text: String, ignoresCase: Bool = false, tellsWhere: Bool = false) throws(Refusal) {
        compiled = try Self.compile(
            text, REG_EXTENDED | (ignoresCase ? REG_ICASE : 0) | (tellsWhere ? 0 : REG_NOSUB))
    }

    private static func compile(
        _ text: String, _ flags: Int32
    ) throws(Refusal) -> UnsafeMutablePointer<regex_t> {
        guard !text.utf8.contains(0) else { throw .malformed("A zero byte cannot be looked for") }
        guard !RepetitionCount.isTooMuch(in: text) else { throw .repeatsTooMuch }
        let compiled = UnsafeMutablePointer<regex_t>.allocate(capacity: 1)
        compiled.initialize(to: regex_t())
        let code = regcomp(compiled, text, flags)
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
    package func matchesLine(of text: [UInt8]) -> Bool {
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

    /// Whether it matches somewhere in a text, whatever bytes are in it.
    package func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool { run(on: text, from: 0) != nil }

    /// The first match that begins at `start` or behind it, for an expression that tells where. A line begins where the text does, and
    /// not at another `start`.
    func match(in text: [UInt8], from start: Int) -> Range<Int>? {
        guard let place = text.withUnsafeBufferPointer({ run(on: $0, from: start) }), place.rm_so >= 0,
            place.rm_so <= place.rm_eo
        else { return nil }
        return Int(place.rm_so)..<Int(place.rm_eo)
    }

    /// The C library is given where the text ends (`REG_STARTEND`), so that it need not be copied to have a zero behind it.
    private func run(on text: UnsafeBufferPointer<UInt8>, from start: Int) -> regmatch_t? {
        var place = regmatch_t(rm_so: regoff_t(clamping: start), rm_eo: regoff_t(clamping: text.count))
        let flags = REG_STARTEND | (start > 0 ? REG_NOTBOL : 0)
        guard let base = text.baseAddress else {
            return regexec(compiled, "", 1, &place, flags) == 0 ? place : nil
        }
        return base.withMemoryRebound(to: CChar.self, capacity: text.count) { base in
            regexec(compiled, base, 1, &place, flags) == 0 ? place : nil
        }
    }
}
