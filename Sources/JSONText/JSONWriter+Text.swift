import CJSONScan

extension JSONWriter {
    mutating func append(_ word: StaticString) { word.withUTF8Buffer { bytes.append(contentsOf: $0) } }

    /// Whether a key needs no escapes.
    static func isInert(_ key: StaticString) -> Bool {
        key.withUTF8Buffer { JSONScanner(text: $0).inertPrefix(at: 0) == $0.count }
    }

    /// Writes a key and its colon; gives how many bytes they are.
    @inline(__always)
    static func spell(key name: StaticString, at target: UnsafeMutablePointer<UInt8>) -> Int {
        let length = name.utf8CodeUnitCount
        target[0] = UInt8(ascii: "\"")
        json_copy(target + 1, name.utf8Start, length)
        target[length + 1] = UInt8(ascii: "\"")
        target[length + 2] = UInt8(ascii: ":")
        return length + 3
    }

    /// Writes a string of so many bytes, which `fill` writes; gives how many they are with its quotes.
    @inline(__always)
    static func quote(
        _ count: Int, _ fill: (UnsafeMutableBufferPointer<UInt8>) -> Void, at target: UnsafeMutablePointer<UInt8>
    ) -> Int {
        target[0] = UInt8(ascii: "\"")
        fill(UnsafeMutableBufferPointer(start: target + 1, count: count))
        target[count + 1] = UInt8(ascii: "\"")
        return count + 2
    }

    /// How many bytes an integer has at most: 20 digits, or 19 and a sign.
    static let mostInteger = 20

    /// Writes an integer where there is room for the longest; gives how many bytes it has.
    @inline(__always)
    static func spell(_ value: Int64, at target: UnsafeMutablePointer<UInt8>) -> Int {
        target[0] = UInt8(ascii: "-")
        let sign = value < 0 ? 1 : 0
        return sign + spell(value.magnitude, at: target + sign)
    }

    /// Writes the digits of a number where there is room for the most; gives how many they are.
    static func spell(_ value: UInt64, at target: UnsafeMutablePointer<UInt8>) -> Int {
        let (rest, last) = value.quotientAndRemainder(dividingBy: 100_000_000)
        let digits = eightDigits(last)
        if rest == 0 {
            let zeros = min(digits.trailingZeroBitCount / 8, 7)
            store(digits >> (8 * UInt64(zeros)), at: target)
            return 8 - zeros
        }
        let count = spell(rest, at: target)
        store(digits, at: target + count)
        return count + 8
    }

    /// The eight digits of a number below 100,000,000 as numbers, the first in the lowest byte: halved twice, and then to single digits, all
    /// parts at once. The factors are the quotients by 100 and 10, near enough for what can be there.
    private static func eightDigits(_ value: UInt64) -> UInt64 {
        let fours = value / 10000 | (value % 10000) << 32
        let hundreds = (fours &* 10486) >> 20 & 0x0000_007F_0000_007F
        let twos = hundreds | (fours &- hundreds &* 100) << 16
        let tens = (twos &* 103) >> 10 & 0x000F_000F_000F_000F
        return tens | (twos &- tens &* 10) << 8
    }

    private static func store(_ digits: UInt64, at target: UnsafeMutablePointer<UInt8>) {
        let text = (digits | 0x3030_3030_3030_3030).littleEndian
        UnsafeMutableRawPointer(target).storeBytes(of: text, as: UInt64.self)
    }

    /// Writes `text`, which need not be UTF-8, as a string, behind a key if there is one.
    @inline(__always)
    mutating func putQuoted(_ text: UnsafeBufferPointer<UInt8>, behind key: StaticString? = nil) {
        let inert = inertEnd(of: text, from: 0)
        put(behind: key, atMost: inert + 2) { target in
            target[0] = UInt8(ascii: "\"")
            if let base = text.baseAddress { json_copy(target + 1, base, inert) }
            target[inert + 1] = UInt8(ascii: "\"")
            return inert + (inert == text.count ? 2 : 1)
        }
        guard inert < text.count else { return }
        appendEscaped(text, from: inert)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Where the first character at or after `start` stands that cannot be written into a string as it is; the end when there is none.
    @inline(__always)
    private func inertEnd(of text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let scanner = JSONScanner(text: text)
        var i = start
        while true {
            i += scanner.inertPrefix(at: i)
            guard i < text.count, text[i] >= 0x80, !asciiOnly else { return i }
            repeat {
                let length = scanner.inertCharacterLength(at: i)
                guard length > 0 else { return i }
                i += length
            } while i < text.count && text[i] >= 0x80
        }
    }

    /// Appends `text`, which need not be UTF-8, from `start` on as the contents of a string.
    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>, from start: Int) {
        let scanner = JSONScanner(text: text)
        var run = start
        var i = start
        while i < text.count {
            i = appendSpecial(at: i, in: scanner, after: &run)
            i = inertEnd(of: text, from: i)
        }
        append(text, from: run, to: i)
    }

    /// Appends checked JSON `text` with its strings made inert, and without white space outside them.
    ///
    /// What stands outside strings is ASCII, and no quote; in strings, escapes are copied as they are.
    mutating func appendInert(_ text: UnsafeBufferPointer<UInt8>) {
        let scanner = JSONScanner(text: text)
        var isInString = false
        var run = 0
        var i = 0
        while i < text.count {
            if !isInString {
                isInString = text[i] == UInt8(ascii: "\"")
                if text[i] <= UInt8(ascii: " ") {
                    append(text, from: run, to: i)
                    run = i + 1
                }
                i += 1
                continue
            }
            i = inertEnd(of: text, from: i)
            guard i < text.count else { break }
            switch text[i] {
            case UInt8(ascii: "\""):
                isInString = false
                i += 1
            case UInt8(ascii: "\\"): i += min(2, text.count - i)
            default: i = appendSpecial(at: i, in: scanner, after: &run)
            }
        }
        append(text, from: run, to: i)
    }

    /// Escapes the character at `start` and gives the offset behind it. What is not yet appended begins at `run`; it is appended before, and
    /// then begins behind the character.
    private mutating func appendSpecial(at start: Int, in scanner: JSONScanner, after run: inout Int) -> Int {
        let (text, asciiOnly) = (scanner.text, asciiOnly)
        let length = text[start] < 0x80 ? 1 : scanner.characterLength(at: start)
        let before = UnsafeBufferPointer(rebasing: text[run..<start])
        append(atMost: before.count + Self.mostEscaped) { target in
            if let base = before.baseAddress { json_copy(target, base, before.count) }
            let end = target + before.count
            if length > 0 { return before.count + Self.escape(scanner.scalar(at: start, length: length), at: end) }
            return before.count + (asciiOnly ? Self.escape(0xFFFD, at: end) : Self.copy("\u{FFFD}", at: end))
        }
        run = length == 0 ? scanner.illFormedEnd(from: start) : start + length
        return run
    }

    private mutating func append(_ text: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) {
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<end]))
    }

    /// How many bytes an escaped character has at most.
    private static let mostEscaped = 12

    /// Writes an escaped character where there is room for the longest; gives how many bytes it has.
    private static func escape(_ scalar: UInt32, at target: UnsafeMutablePointer<UInt8>) -> Int {
        switch scalar {
        case 0x22: return copy(#"\""#, at: target)
        case 0x5C: return copy(#"\\"#, at: target)
        case 0x08: return copy(#"\b"#, at: target)
        case 0x09: return copy(#"\t"#, at: target)
        case 0x0A: return copy(#"\n"#, at: target)
        case 0x0C: return copy(#"\f"#, at: target)
        case 0x0D: return copy(#"\r"#, at: target)
        case ..<0x10000: return escape(unit: scalar, at: target)
        default:
            let first = escape(unit: 0xD800 + (scalar - 0x10000) >> 10, at: target)
            return first + escape(unit: 0xDC00 + (scalar & 0x3FF), at: target + first)
        }
    }

    /// Writes a UTF-16 code unit as `\uXXXX`.
    private static func escape(unit: UInt32, at target: UnsafeMutablePointer<UInt8>) -> Int {
        target[0] = UInt8(ascii: "\\")
        target[1] = UInt8(ascii: "u")
        for place in 0..<4 {
            let digit = UInt8(truncatingIfNeeded: unit >> UInt32(12 - 4 * place)) & 0xF
            target[2 + place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        }
        return 6
    }

    private static func copy(_ word: StaticString, at target: UnsafeMutablePointer<UInt8>) -> Int {
        json_copy(target, word.utf8Start, word.utf8CodeUnitCount)
        return word.utf8CodeUnitCount
    }

    /// Characters that change how a terminal shows the text around them, or that nobody sees: C1 controls, bidirectional controls,
    /// zero-width characters, fillers, tags, line and paragraph separators. (Those inside ASCII are found by the scan; variation selectors
    /// belong to emoji.)
    static func isActive(_ scalar: UInt32) -> Bool {
        switch scalar {
        case ..<0x2000:
            switch scalar {
            case 0x7F...0x9F, 0xAD, 0x034F, 0x061C, 0x115F...0x1160, 0x17B4...0x17B5, 0x180B...0x180F: true
            default: false
            }
        case 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0x3164, 0xFEFF, 0xFFA0, 0xFFF0...0xFFFB: true
        case 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE00FF, 0xE01F0...0xE0FFF: true
        default: false
        }
    }
}

extension JSONScanner {
    /// How many bytes from `start` on can be written into a string as they are, seen by the scan: ASCII, and no DEL.
    func inertPrefix(at start: Int) -> Int {
        guard let base = text.baseAddress, start < text.count else { return 0 }
        return json_inert_prefix(base + start, text.count - start)
    }

    /// How long the character at `start` is, if it is one outside ASCII that can be written into a string as it is; else 0.
    @inline(__always)
    func inertCharacterLength(at start: Int) -> Int {
        let length = characterLength(at: start)
        return length > 0 && !JSONWriter.isActive(scalar(at: start, length: length)) ? length : 0
    }

    /// The character of a well-formed sequence of `length` bytes at `start`.
    func scalar(at start: Int, length: Int) -> UInt32 {
        var scalar = UInt32(text[start])
        guard length > 1 else { return scalar }
        scalar &= 0x7F >> UInt32(length)
        for place in start + 1..<start + length { scalar = scalar << 6 | UInt32(text[place] & 0x3F) }
        return scalar
    }

    /// Where the ill-formed sequence at `start` ends: the longest start of a well-formed one (Unicode 3.9, "substitution of maximal
    /// subparts"), or the one byte.
    func illFormedEnd(from start: Int) -> Int {
        var decoder = text[start...].makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        if case .error(let length) = parser.parseScalar(from: &decoder) { return start + length }
        return start + 1
    }
}
