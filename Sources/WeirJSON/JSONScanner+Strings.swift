import CWeirJSONScan

extension JSONScanner {
    /// Returns the contents of the string whose opening quote is at `start`. They end at the closing quote.
    @inline(__always)
    func contents(from start: Int) throws(JSONError) -> JSONStringRange {
        let end = start + 1 + plainPrefix(at: start + 1)
        if end < text.count, text[end] == UInt8(ascii: "\"") {
            return JSONStringRange(Range(uncheckedBounds: (start + 1, end)), .ascii)
        }
        return try contentsSlowly(from: start, at: end)
    }

    /// Returns the contents of a string whose first byte that is not plain is at `first`.
    ///
    /// A character never spans an escape, so each segment between escapes must be UTF-8 by itself.
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

    /// Returns the contents if they are valid and contain no `\u` escapes. Returns `nil` otherwise.
    @inline(__always)
    private func usualContents(from start: Int, at first: Int) -> JSONStringRange? {
        guard let base = text.baseAddress else { return nil }
        var hasEscapes = false
        let length = json_string_end(base + first, text.count - first, &hasEscapes)
        guard length >= 0 else { return nil }
        return JSONStringRange(start + 1..<first + length, hasEscapes ? .escaped : .characters)
    }

    /// Passes over characters without escapes and checks that they are UTF-8.
    private func segmentEnd(from start: Int) throws(JSONError) -> Int {
        guard let base = text.baseAddress else { return start }
        let length = json_segment_prefix(base + start, text.count - start)
        guard json_is_utf8(base + start, length) else { throw JSONError(.invalidUTF8, at: illFormedByte(from: start)) }
        return start + length
    }

    /// Returns the offset of the first sequence at or after `start` that is not UTF-8.
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

    /// Passes over one escape, or over the two escapes of a surrogate pair.
    ///
    /// A surrogate may stand alone: JavaScript writes one when it has cut a character in half (RFC 8259 section 8.2
    /// leaves this open).
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

    /// Returns the second half of the surrogate pair whose escapes begin at `start` with `unit`, or `nil` if `unit`
    /// stands alone.
    private func partner(of unit: UInt32, at start: Int) -> UInt32? {
        guard unit & 0xFC00 == 0xD800, let second = try? codeUnit(at: start + 6), second & 0xFC00 == 0xDC00 else {
            return nil
        }
        return second
    }

    /// Returns the UTF-16 code unit of the escape `\uXXXX` at `start`.
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

    /// Returns the length in bytes of the well-formed UTF-8 sequence at `start`, or 0 if it is not well-formed. The
    /// character is outside ASCII.
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

    /// Returns the value of checked contents, with escapes resolved.
    func string(_ contents: JSONStringRange) -> String {
        switch contents.form {
        case .ascii: return plainString(contents.range, isASCII: true)
        case .characters: return plainString(contents.range, isASCII: false)
        case .escaped, .broken: break
        }
        // An escape is never shorter than the character it encodes, so the length of the contents is enough.
        return usualValue(of: contents.range)
            ?? String(unsafeUninitializedCapacity: contents.range.count) { resolve(contents, into: $0) }
    }

    /// Returns the value of checked contents, or `nil` if they contain `\u` escapes.
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

    /// Returns the characters at `range`. The scan that produced the range has checked that they are UTF-8.
    @inline(__always)
    private func plainString(_ range: Range<Int>, isASCII: Bool) -> String {
        String(copying: UTF8Span(unchecked: text.span.extracting(range), isKnownASCII: isASCII))
    }

    /// Writes the value of checked contents, with escapes resolved, and returns its length.
    ///
    /// Bytes that do not fit are left out. This happens only if the range does not belong to a string of this text.
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

    /// Copies the bytes if they fit, and returns how many were copied.
    private func copy(_ range: Range<Int>, to target: UnsafeMutableBufferPointer<UInt8>) -> Int {
        range.count <= target.count ? target.initialize(fromContentsOf: text[range]) : 0
    }

    /// Returns the number of bytes from the start of `range` that are not part of an escape.
    private func segmentLength(_ range: Range<Int>) -> Int {
        guard let base = text.baseAddress else { return 0 }
        return json_segment_prefix(base + range.lowerBound, range.count)
    }

    /// Returns the character of the checked escape at `start`, or `nil` for a lone surrogate, and the length of the
    /// escape.
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
