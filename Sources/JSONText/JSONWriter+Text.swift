import CJSONScan

extension JSONWriter {
    mutating func append(_ word: StaticString) { word.withUTF8Buffer { bytes.append(contentsOf: $0) } }

    mutating func appendDigits(_ value: UInt64) {
        var rest = value
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var first = 20
            repeat {
                first -= 1
                digits[first] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            } while rest > 0
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[first...]))
        }
    }

    mutating func appendQuoted(_ string: String) {
        var string = string
        bytes.append(UInt8(ascii: "\""))
        string.withUTF8 { appendEscaped($0) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends `text`, which need not be UTF-8, as the contents of a string.
    mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        let scanner = JSONScanner(text: text)
        var run = 0
        var i = 0
        while true {
            i += scanner.inertPrefix(at: i)
            guard i < text.count else { break }
            i = appendSpecial(at: i, in: scanner, after: &run)
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
            i += scanner.inertPrefix(at: i)
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

    /// Goes over the character at `start`, which may have to be escaped, and gives the offset behind it. When it must be, `run` (where what is
    /// not yet appended begins) is appended with the escape; else the character joins the run.
    private mutating func appendSpecial(at start: Int, in scanner: JSONScanner, after run: inout Int) -> Int {
        let text = scanner.text
        let length = text[start] < 0x80 ? 1 : scanner.characterLength(at: start)
        let scalar = length == 0 ? 0xFFFD : scanner.scalar(at: start, length: length)
        let isKept = length > 1 && !asciiOnly && !JSONWriter.isActive(scalar)
        if isKept { return start + length }
        append(text, from: run, to: start)
        run = length == 0 ? scanner.illFormedEnd(from: start) : start + length
        if length == 0, !asciiOnly {
            append("\u{FFFD}")
        } else if scalar < 0x80 {
            appendEscape(ofASCII: UInt8(scalar))
        } else if scalar < 0x10000 {
            appendEscape(UInt16(scalar))
        } else {
            appendEscape(UInt16(0xD800 + (scalar - 0x10000) >> 10))
            appendEscape(UInt16(0xDC00 + (scalar & 0x3FF)))
        }
        return run
    }

    private mutating func append(_ text: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) {
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<end]))
    }

    private mutating func appendEscape(ofASCII byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append(#"\""#)
        case UInt8(ascii: "\\"): append(#"\\"#)
        case 0x08: append(#"\b"#)
        case 0x09: append(#"\t"#)
        case 0x0A: append(#"\n"#)
        case 0x0C: append(#"\f"#)
        case 0x0D: append(#"\r"#)
        default: appendEscape(UInt16(byte))
        }
    }

    private mutating func appendEscape(_ unit: UInt16) {
        append(#"\u"#)
        for shift in [12, 8, 4, 0] as [UInt16] {
            let digit = UInt8(unit >> shift & 0xF)
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
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

    /// The character of a well-formed sequence of `length` bytes at `start`.
    func scalar(at start: Int, length: Int) -> UInt32 {
        let lead = UInt32(text[start])
        guard length > 1 else { return lead }
        return text[start + 1..<start + length].reduce(lead & (0x7F >> UInt32(length))) { $0 << 6 | UInt32($1 & 0x3F) }
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
