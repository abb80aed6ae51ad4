import CJSONScan

/// The JSON grammar over raw memory. Each function takes the start offset of an element and returns the offset after
/// it.
///
/// It is only used inside `Span.withUnsafeBufferPointer`, so the pointer never outlives the bytes. Every read follows a
/// comparison with `text.count`.
struct JSONScanner {
    let text: UnsafeBufferPointer<UInt8>

    /// Returns the offset of the next byte that is not white space. Throws at the end of the text.
    @inline(__always)
    func afterSpace(_ start: Int) throws(JSONError) -> Int {
        if start < text.count, text[start] > UInt8(ascii: " ") { return start }
        return try afterSpaceSlowly(start)
    }

    @inline(never)
    private func afterSpaceSlowly(_ start: Int) throws(JSONError) -> Int {
        var i = start
        while i < text.count {
            if !JSONByte.isSpace(text[i]) { return i }
            i += 1
        }
        throw JSONError(.unexpectedEnd, at: i)
    }

    /// Returns the error for a byte at `offset` that the grammar does not allow.
    @inline(never)
    func unexpected(at offset: Int) -> JSONError {
        offset < text.count
            ? JSONError(.unexpectedByte(text[offset]), at: offset) : JSONError(.unexpectedEnd, at: offset)
    }

    /// Returns the end of `true`, `false` or `null` at `start`. The caller has checked the first letter.
    @inline(__always)
    func literalEnd(from start: Int, _ word: StaticString) throws(JSONError) -> Int {
        let length = word.utf8CodeUnitCount
        if text.count - start >= length, let base = text.baseAddress,
            json_same_bytes(base + start, word.utf8Start, length)
        {
            return start + length
        }
        throw wrongLiteral(from: start, word)
    }

    @inline(never)
    private func wrongLiteral(from start: Int, _ word: StaticString) -> JSONError {
        for i in 0..<word.utf8CodeUnitCount where start + i >= text.count || text[start + i] != word.utf8Start[i] {
            return unexpected(at: start + i)
        }
        return unexpected(at: start)
    }
}

/// Tests for classes of bytes in JSON text.
enum JSONByte {
    @inline(__always)
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}

extension UInt8 {
    /// The value of a hexadecimal digit in either case, or `nil` for any other byte.
    @inlinable
    package var hexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
