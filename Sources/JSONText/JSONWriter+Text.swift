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
            bytes.append(contentsOf: digits[first...])
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
        var i = 0
        while i < text.count {
            let plain = scanner.inertPrefix(at: i)
            bytes.append(contentsOf: text[i..<i + plain])
            i += plain
            guard i < text.count else { return }
            if text[i] < 0x80 {
                appendEscape(ofASCII: text[i])
                i += 1
            } else {
                i = appendCharacter(at: i, in: scanner)
            }
        }
    }

    /// Appends checked JSON `text` with its strings made inert, and without white space outside them.
    ///
    /// What stands outside strings is ASCII, and no quote; in strings, escapes are copied as they are.
    mutating func appendInert(_ text: UnsafeBufferPointer<UInt8>) {
        let scanner = JSONScanner(text: text)
        var isInString = false
        var i = 0
        while i < text.count {
            let byte = text[i]
            if byte == UInt8(ascii: "\\"), i + 1 < text.count {
                bytes.append(contentsOf: text[i..<i + 2])
                i += 2
            } else if byte == 0x7F || (isInString && byte < 0x20) {
                appendEscape(ofASCII: byte)
                i += 1
            } else if byte >= 0x80 {
                i = appendCharacter(at: i, in: scanner)
            } else {
                if byte == UInt8(ascii: "\"") { isInString.toggle() }
                if isInString || byte > 0x20 { bytes.append(byte) }
                i += 1
            }
        }
    }

    /// Appends the character outside ASCII at `start` and gives the offset behind it.
    private mutating func appendCharacter(at start: Int, in scanner: JSONScanner) -> Int {
        let length = scanner.characterLength(at: start)
        guard length > 0 else {
            let end = scanner.illFormedEnd(from: start)
            appendScalar(0xFFFD, utf8: [0xEF, 0xBF, 0xBD])
            return end
        }
        let sequence = scanner.text[start..<start + length]
        let scalar = sequence.dropFirst().reduce(UInt32(sequence[start]) & (0x7F >> UInt32(length))) {
            $0 << 6 | UInt32($1 & 0x3F)
        }
        appendScalar(scalar, utf8: sequence)
        return start + length
    }

    private mutating func appendScalar(_ scalar: UInt32, utf8: some Sequence<UInt8>) {
        guard asciiOnly || JSONWriter.isActive(scalar) else { return bytes.append(contentsOf: utf8) }
        if scalar < 0x10000 { return appendEscape(UInt16(scalar)) }
        appendEscape(UInt16(0xD800 + (scalar - 0x10000) >> 10))
        appendEscape(UInt16(0xDC00 + (scalar & 0x3FF)))
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
    /// zero-width characters, line and paragraph separators. (Those inside ASCII are found by the scan.)
    static func isActive(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x7F...0x9F, 0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060, 0x2066...0x2069, 0xFEFF: true
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

    /// Where the ill-formed sequence at `start` ends: the longest start of a well-formed one (Unicode 3.9, "substitution of maximal
    /// subparts"), or the one byte.
    func illFormedEnd(from start: Int) -> Int {
        var decoder = text[start...].makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        if case .error(let length) = parser.parseScalar(from: &decoder) { return start + length }
        return start + 1
    }
}
