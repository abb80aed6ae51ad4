import JSONText

/// Resolves the escapes of a JSON string.
///
/// `String` could do the same. This type keeps the bytes as bytes and copies eight at a time, since replay spends most
/// of its reading time here.
enum StringEscapes {
    private static let backslash = UInt8(ascii: "\\")

    /// Returns the value of string `contents` that a `JSONReader` has checked. (In unchecked contents a wrong escape
    /// yields arbitrary bytes but never traps.)
    static func resolved(_ contents: Span<UInt8>) -> [UInt8] {
        contents.withUnsafeBytes { source in
            // Eight spare bytes: the loop stores a whole word even if only its start counts. A value is never longer
            // than its spelling.
            [UInt8](unsafeUninitializedCapacity: source.count + 8) { target, count in
                count = resolve(source, into: target)
            }
        }
    }

    private static func resolve(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableBufferPointer<UInt8>) -> Int
    {
        let bytes = UnsafeMutableRawBufferPointer(target)
        var place = 0
        var count = 0
        while place < source.count {
            if source.count &- place >= 8 {
                let word = UInt64(littleEndian: source.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                bytes.storeBytes(of: word.littleEndian, toByteOffset: count, as: UInt64.self)
                let plain = bytesBeforeBackslash(in: word)
                place &+= plain
                count &+= plain
                if plain == 8 { continue }
            } else if source[place] != backslash {
                target[count] = source[place]
                place &+= 1
                count &+= 1
                continue
            }
            // In JSON nested in JSON, nearly all escapes are quotes.
            if place &+ 1 < source.count, source[place &+ 1] == UInt8(ascii: "\"") {
                target[count] = UInt8(ascii: "\"")
                place &+= 2
                count &+= 1
            } else {
                resolveEscape(in: source, &place, to: target, &count)
            }
        }
        return count
    }

    /// Returns how many of the word's eight bytes, in memory order, precede the first backslash.
    private static func bytesBeforeBackslash(in word: UInt64) -> Int {
        let zeroWhereFound = word ^ 0x5C5C_5C5C_5C5C_5C5C
        let marks = (zeroWhereFound &- 0x0101_0101_0101_0101) & ~zeroWhereFound & 0x8080_8080_8080_8080
        return marks.trailingZeroBitCount / 8
    }

    /// Resolves the escape at `place`: one to three bytes from two or six, or four from twelve.
    @inline(never)
    private static func resolveEscape(
        in source: UnsafeRawBufferPointer, _ place: inout Int, to target: UnsafeMutableBufferPointer<UInt8>,
        _ count: inout Int
    ) {
        let letter = place + 1 < source.count ? source[place + 1] : backslash
        if letter == UInt8(ascii: "u") {
            for byte in String(scalar(in: source, &place)).utf8 {
                target[count] = byte
                count += 1
            }
            return
        }
        let value: UInt8
        switch letter {
        case UInt8(ascii: "b"): value = 0x08
        case UInt8(ascii: "f"): value = 0x0C
        case UInt8(ascii: "n"): value = 0x0A
        case UInt8(ascii: "r"): value = 0x0D
        case UInt8(ascii: "t"): value = 0x09
        default: value = letter
        }
        target[count] = value
        count += 1
        place += 2
    }

    /// Returns the character of `\uXXXX`, or of the two that form a surrogate pair.
    private static func scalar(in source: UnsafeRawBufferPointer, _ place: inout Int) -> Unicode.Scalar {
        let first = codeUnit(in: source, at: place)
        place += 6
        if let scalar = Unicode.Scalar(first) { return scalar }
        let second = codeUnit(in: source, at: place)
        guard (0xD800..<0xDC00).contains(first), (0xDC00..<0xE000).contains(second) else { return "\u{FFFD}" }
        place += 6
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) ?? "\u{FFFD}"
    }

    private static func codeUnit(in source: UnsafeRawBufferPointer, at place: Int) -> UInt32 {
        var unit: UInt32 = 0
        for index in place + 2..<place + 6 where index < source.count {
            unit = unit << 4 | UInt32(source[index].hexValue ?? 0)
        }
        return unit
    }
}
