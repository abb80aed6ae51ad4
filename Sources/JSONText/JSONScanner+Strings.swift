import CJSONScan

extension JSONScanner {
    /// Where the contents of the string end whose opening quote is at `start`: the offset of the closing quote.
    @inline(__always)
    func contents(from start: Int) throws(JSONError) -> JSONStringRange {
        let end = start + 1 + plainPrefix(at: start + 1)
        if end < text.count, text[end] == UInt8(ascii: "\"") {
            return JSONStringRange(Range(uncheckedBounds: (start + 1, end)), .ascii)
        }
        return try contentsSlowly(from: start, at: end)
    }

    /// The same, for a string with something else than plain characters at `first`.
    ///
    /// A character never reaches across an escape, so each segment between them must be UTF-8 by itself.
    @inline(never)
    private func contentsSlowly(from start: Int, at first: Int) throws(JSONError) -> JSONStringRange {
        if let contents = usualContents(from: start, at: first) { return contents }
        var i = first
        var form = JSONStringRange.Form.characters
        while true {
            guard i < text.count else { throw JSONError(.unexpectedEnd, at: text.count) }
            switch text[i] {
            case UInt8(ascii: "\""): return JSONStringRange(start + 1..<i, form)
            case UInt8(ascii: "\\"):
                let escape = try escape(from: i)
                if escape.isLone { form = .broken } else if form == .characters { form = .escaped }
                i = escape.end
            case 0..<0x20: throw JSONError(.invalidString, at: i)
            default: i = try segmentEnd(from: i)
            }
        }
    }

    /// The same; nil for what is wrong, and for code units' escapes.
    @inline(__always)
    private func usualContents(from start: Int, at first: Int) -> JSONStringRange? {
        guard let base = text.baseAddress else { return nil }
        var hasEscapes = false
        let length = json_string_end(base + first, text.count - first, &hasEscapes)
        guard length >= 0 else { return nil }
        return JSONStringRange(start + 1..<first + length, hasEscapes ? .escaped : .characters)
    }

    /// Passes over characters that are not escaped and checks that they are UTF-8.
    private func segmentEnd(from start: Int) throws(JSONError) -> Int {
        guard let base = text.baseAddress else { return start }
        let length = json_segment_prefix(base + start, text.count - start)
        guard json_is_utf8(base + start, length) else { throw JSONError(.invalidUTF8, at: illFormedByte(from: start)) }
        return start + length
    }

    /// Where the first sequence at or after `start` begins that is not UTF-8.
    private func illFormedByte(from start: Int) -> Int {
        var i = start
        while i < text.count {
            let length = text[i] < 0x80 ? 1 : characterLength(at: i)
            if length == 0 { break }
            i += length
        }
        return i
    }

    @inline(__always)
    func plainPrefix(at start: Int) -> Int {
        guard let base = text.baseAddress, start < text.count else { return 0 }
        return json_plain_prefix(base + start, text.count - start)
    }

    /// Passes over one escape, or over the two that make up a surrogate pair. A surrogate may stand alone: JavaScript writes it so when it has
    /// cut a character in half (RFC 8259 section 8.2 leaves it open).
    private func escape(from start: Int) throws(JSONError) -> (end: Int, isLone: Bool) {
        guard start + 1 < text.count else { throw JSONError(.unexpectedEnd, at: text.count) }
        switch text[start + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"),
            UInt8(ascii: "r"), UInt8(ascii: "t"):
            return (start + 2, false)
        case UInt8(ascii: "u"):
            let unit = try codeUnit(at: start)
            if unit & 0xF800 != 0xD800 { return (start + 6, false) }
            return partner(of: unit, at: start) == nil ? (start + 6, true) : (start + 12, false)
        default: throw JSONError(.invalidString, at: start)
        }
    }

    /// The second half of the surrogate pair whose escapes begin at `start` with `unit`; nil when `unit` stands alone.
    private func partner(of unit: UInt32, at start: Int) -> UInt32? {
        guard unit & 0xFC00 == 0xD800, let second = try? codeUnit(at: start + 6), second & 0xFC00 == 0xDC00 else {
            return nil
        }
        return second
    }

    /// The UTF-16 code unit of the escape `\uXXXX` at `start`.
    func codeUnit(at start: Int) throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for i in start..<start + 6 {
            guard i < text.count else { throw JSONError(.unexpectedEnd, at: text.count) }
            switch i - start {
            case 0: guard text[i] == UInt8(ascii: "\\") else { throw JSONError(.invalidString, at: i) }
            case 1: guard text[i] == UInt8(ascii: "u") else { throw JSONError(.invalidString, at: i) }
            default:
                guard let digit = text[i].hexValue else { throw JSONError(.invalidString, at: i) }
                unit = unit << 4 | UInt32(digit)
            }
        }
        return unit
    }

    /// The length of the well-formed UTF-8 sequence of a character outside ASCII at `start`; 0 when it is not well-formed.
    @inline(__always)
    func characterLength(at start: Int) -> Int {
        let lead = text[start]
        let rest = text.count - start
        switch lead {
        case 0xC2...0xDF:
            return rest >= 2 && isContinuation(start + 1) ? 2 : 0
        case 0xE0...0xEF:
            guard rest >= 3, isContinuation(start + 1), isContinuation(start + 2) else { return 0 }
            let second = text[start + 1]
            return (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ? 0 : 3
        case 0xF0...0xF4:
            guard rest >= 4, isContinuation(start + 1), isContinuation(start + 2), isContinuation(start + 3) else {
                return 0
            }
            let second = text[start + 1]
            return (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F) ? 0 : 4
        default: return 0
        }
    }

    @inline(__always)
    private func isContinuation(_ offset: Int) -> Bool { text[offset] & 0xC0 == 0x80 }

    /// The value of checked contents, escapes resolved.
    func string(_ contents: JSONStringRange) -> String {
        switch contents.form {
        case .ascii: return plainString(contents.range, isASCII: true)
        case .characters: return plainString(contents.range, isASCII: false)
        case .escaped, .broken: break
        }
        // No escape is shorter than what it stands for, so the contents' length is enough.
        return usualValue(of: contents.range)
            ?? String(unsafeUninitializedCapacity: contents.range.count) { resolve(contents, into: $0) }
    }

    /// The value of checked contents at a range; nil with code units' escapes.
    private func usualValue(of range: Range<Int>) -> String? {
        let contents = UnsafeBufferPointer(rebasing: text[range])
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: contents.count) { value in
            guard let source = contents.baseAddress, let target = value.baseAddress else { return nil }
            var isASCII = false
            let count = json_string_value(source, contents.count, target, &isASCII)
            guard count >= 0 else { return nil }
            let bytes = UnsafeBufferPointer(start: target, count: count)
            return String(copying: UTF8Span(unchecked: bytes.span, isKnownASCII: isASCII))
        }
    }

    /// The characters at `range`, which are known to be UTF-8: the scan that gave the range has checked them.
    @inline(__always)
    private func plainString(_ range: Range<Int>, isASCII: Bool) -> String {
        String(copying: UTF8Span(unchecked: text.span.extracting(range), isKnownASCII: isASCII))
    }

    /// Writes the value of checked contents, escapes resolved, and says how long it is. What does not fit, because the range is not one of a
    /// string in this text, is left out.
    private func resolve(_ contents: JSONStringRange, into target: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let end = contents.range.upperBound
        var written = 0
        var i = contents.range.lowerBound
        while i < end {
            let rest = UnsafeMutableBufferPointer(rebasing: target[written...])
            if text[i] == UInt8(ascii: "\\") {
                let (scalar, length) = escaped(at: i)
                if let scalar {
                    let bytes = UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
                    if bytes.count <= rest.count { written += rest.initialize(fromContentsOf: bytes) }
                } else {
                    written += copy(i..<i + length, to: rest)
                }
                i += length
            } else {
                let length = max(1, segmentLength(i..<end))
                written += copy(i..<i + length, to: rest)
                i += length
            }
        }
        return written
    }

    /// Copies bytes for which there is room, and says how many.
    private func copy(_ range: Range<Int>, to target: UnsafeMutableBufferPointer<UInt8>) -> Int {
        range.count <= target.count ? target.initialize(fromContentsOf: text[range]) : 0
    }

    /// How many bytes from the start of `range` on stand for themselves.
    private func segmentLength(_ range: Range<Int>) -> Int {
        guard let base = text.baseAddress else { return 0 }
        return json_segment_prefix(base + range.lowerBound, range.count)
    }

    /// The character the checked escape at `start` stands for, nil for a surrogate that stands alone, and the escape's length.
    private func escaped(at start: Int) -> (UnicodeScalar?, length: Int) {
        guard start + 1 < text.count else { return ("\u{FFFD}", 1) }
        switch text[start + 1] {
        case UInt8(ascii: "b"): return ("\u{8}", 2)
        case UInt8(ascii: "f"): return ("\u{C}", 2)
        case UInt8(ascii: "n"): return ("\n", 2)
        case UInt8(ascii: "r"): return ("\r", 2)
        case UInt8(ascii: "t"): return ("\t", 2)
        case UInt8(ascii: "u"):
            let unit = (try? codeUnit(at: start)) ?? 0xFFFD
            guard let second = partner(of: unit, at: start) else { return (UnicodeScalar(unit), 6) }
            return (UnicodeScalar(0x10000 + (unit & 0x3FF) << 10 + second & 0x3FF) ?? "\u{FFFD}", 12)
        default: return (UnicodeScalar(text[start + 1]), 2)
        }
    }
}
