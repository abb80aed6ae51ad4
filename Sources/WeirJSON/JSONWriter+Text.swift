import CWeirJSONScan

extension JSONWriter {
    /// Writes a string and then `mark`, which is a comma or the colon of a key.
    ///
    /// The colon is not written over the comma: the optimizer of Swift 6.3 loses the first store in `p[-1] = a; p[0] =
    /// b`, because it takes a negative index for the same location.
    @inline(__always)
    mutating func putString(_ value: String, then mark: UInt8) {
        // A small string is copied to memory that can be read; any other string is already contiguous.
        let isWritten: Void? = value.utf8.withContiguousStorageIfAvailable { putString($0, then: mark) }
        if isWritten == nil { value.utf8.span.withUnsafeBufferPointer { putString($0, then: mark) } }
    }

    /// Writes `text`, which need not be UTF-8, as a string.
    @inline(__always)
    mutating func putString(_ text: UnsafeBufferPointer<UInt8>, then mark: UInt8 = UInt8(ascii: ",")) {
        makeRoom(for: text.count)
        next[0] = UInt8(ascii: "\"")
        next += 1
        if let base = text.baseAddress {
            let inert = json_copy_inert(next, base, text.count)
            if inert == text.count { next += inert } else { putContents(text, base, copied: inert) }
        }
        endString(then: mark)
    }

    /// Writes the contents of a string that are not all safe ASCII.
    ///
    /// The first `copied` bytes are already in the buffer. The buffer has room for everything that needs no escapes.
    @inline(never)
    private mutating func putContents(
        _ text: UnsafeBufferPointer<UInt8>, _ base: UnsafePointer<UInt8>, copied: Int
    ) {
        var (start, copied) = (0, copied)
        while true {
            let rest = text.count - start
            let inert =
                asciiOnly
                ? copied + json_copy_inert(next + copied, base + start + copied, rest - copied)
                : json_copy_inert_text(next, base + start, rest, copied)
            next += inert
            if inert == rest { return }
            start = putEscaped(at: start + inert, in: JSONScanner(text: text))
            copied = 0
            makeRoom(for: text.count - start)
        }
    }

    /// Returns the offset of the first character at or after `start` that must be escaped in a string, or the end of
    /// the text.
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

    /// Appends checked JSON `text`. Escapes unsafe characters in its strings, and drops white space outside them.
    ///
    /// Text outside strings is ASCII without quotes. Escapes inside strings are copied unchanged.
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
            default:
                append(text, from: run, to: i)
                i = putEscaped(at: i, in: scanner)
                makeRoomIfNone()
                run = i
            }
        }
        append(text, from: run, to: i)
    }

    /// Escapes the character at `start` and returns the offset after it. The buffer has room for the escape.
    private mutating func putEscaped(at start: Int, in scanner: JSONScanner) -> Int {
        let length = scanner.text[start] < 0x80 ? 1 : scanner.characterLength(at: start)
        if length > 0 {
            next += Self.escape(scanner.scalar(at: start, length: length), at: next)
            return start + length
        }
        next += asciiOnly ? Self.escape(0xFFFD, at: next) : Self.copy("\u{FFFD}", at: next)
        return scanner.illFormedEnd(from: start)
    }

    private mutating func append(_ text: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) {
        append(UnsafeBufferPointer(rebasing: text[start..<end]))
    }

    /// Appends bytes unchanged, and grows the buffer if needed.
    @inline(__always)
    mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
        makeRoom(for: text.count)
        guard let base = text.baseAddress else { return }
        json_copy(next, base, text.count)
        next += text.count
    }

    /// Writes an escaped character and returns its length, at most 12 bytes.
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
}

extension JSONScanner {
    /// Returns the number of bytes from `start` that a string can contain unescaped, as far as the scan for safe ASCII
    /// reaches. DEL is not one of them.
    func inertPrefix(at start: Int) -> Int {
        guard let base = text.baseAddress, start < text.count else { return 0 }
        return json_inert_prefix(base + start, text.count - start)
    }

    /// Returns the length of the non-ASCII character at `start` if a string can contain it unescaped, or 0 otherwise.
    @inline(__always)
    func inertCharacterLength(at start: Int) -> Int {
        guard let base = text.baseAddress else { return 0 }
        return json_inert_character(json_four(base + start, text.count - start))
    }

    /// Returns the character of a well-formed sequence of `length` bytes at `start`.
    func scalar(at start: Int, length: Int) -> UInt32 {
        var scalar = UInt32(text[start])
        guard length > 1 else { return scalar }
        scalar &= 0x7F >> UInt32(length)
        for place in start + 1..<start + length { scalar = scalar << 6 | UInt32(text[place] & 0x3F) }
        return scalar
    }

    /// Returns the end of the ill-formed sequence at `start`: the longest prefix of a well-formed one (Unicode 3.9,
    /// "substitution of maximal subparts"), or one byte.
    func illFormedEnd(from start: Int) -> Int {
        var decoder = text[start...].makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        if case .error(let length) = parser.parseScalar(from: &decoder) { return start + length }
        return start + 1
    }
}
