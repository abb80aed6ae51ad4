/// One JSON value, kept as its text. It is checked once, copied unchanged, and decoded on demand.
public struct RawJSON: Hashable, Sendable, CustomStringConvertible {
    /// The UTF-8 text of exactly one JSON value.
    public var bytes: ArraySlice<UInt8>
    /// Creates a value from `bytes`. The caller guarantees that they are one valid JSON value.
    public init(unchecked bytes: ArraySlice<UInt8>) { self.bytes = bytes }
    /// Checks that `bytes` are one JSON value, and keeps them without surrounding white space.
    public init(checking bytes: ArraySlice<UInt8>) throws(JSONError) {
        var reader = JSONReader(bytes.span)
        let range = try reader.skip()
        try reader.end()
        self.bytes = bytes[bytes.startIndex + range.lowerBound..<bytes.startIndex + range.upperBound]
    }
    /// The JSON text as a `String`.
    public var description: String { String(decoding: bytes, as: UTF8.self) }

    /// The value of a string or the digits of a number. `nil` for any other kind, and for an empty string.
    package var plainText: String? {
        var reader = JSONReader(bytes.span)
        switch try? reader.peek() {
        case .string: return (try? reader.string()).flatMap { $0.isEmpty ? nil : $0 }
        case .number: return description
        case .object, .array, .bool, .null, nil: return nil
        }
    }

    /// Returns the value at a range that a reader of this text returned. The slice keeps the whole text in memory.
    package func slice(_ range: Range<Int>) -> RawJSON {
        RawJSON(unchecked: bytes[bytes.startIndex + range.lowerBound..<bytes.startIndex + range.upperBound])
    }

    /// Creates an object from the members that `write` writes.
    package static func object(_ write: (inout JSONWriter) -> Void) -> RawJSON {
        var writer = JSONWriter()
        writer.beginObject()
        write(&writer)
        writer.endObject()
        return RawJSON(unchecked: writer.bytes[...])
    }
}

extension RawJSON {
    /// Returns text that contains JSON in readable form: escapes such as `\u00e9` and `\/` become characters.
    ///
    /// A surrogate pair becomes one character. Escapes stay as they are if resolving them would break the JSON (quotes,
    /// backslashes) or if the character cannot be shown (controls, lone surrogates). With `wholly`, quotes and
    /// backslashes are resolved as well, however they are escaped, and line feeds, tabs and the like become spaces. A
    /// text without a backslash is returned unchanged.
    public static func readable(_ text: ArraySlice<UInt8>, wholly: Bool = false) -> ArraySlice<UInt8> {
        guard let first = text.firstIndex(of: backslash) else { return text }
        var result = Array(text[..<first])
        result.reserveCapacity(text.count)
        var rest = text[first...]
        while let byte = rest.popFirst() {
            guard byte == backslash, let letter = rest.first else {
                result.append(byte)
                continue
            }
            rest.removeFirst()
            switch letter {
            case UInt8(ascii: "/"): result.append(letter)
            case UInt8(ascii: "u"):
                if let scalar = scalar(&rest, wholly: wholly) {
                    result += Array(String(scalar).utf8)
                } else {
                    result += [backslash, letter]
                }
            case UInt8(ascii: "\""), backslash: result += wholly ? [letter] : [backslash, letter]
            case UInt8(ascii: "n"), UInt8(ascii: "t"), UInt8(ascii: "r"), UInt8(ascii: "b"), UInt8(ascii: "f"):
                result += wholly ? [UInt8(ascii: " ")] : [backslash, letter]
            default: result += [backslash, letter]
            }
        }
        return result[...]
    }

    private static let backslash = UInt8(ascii: "\\")

    /// Consumes the digits after `\u` and returns their character. If the character must stay escaped, returns `nil`
    /// and consumes nothing.
    private static func scalar(_ rest: inout ArraySlice<UInt8>, wholly: Bool) -> Unicode.Scalar? {
        guard let high = unit(rest) else { return nil }
        var (code, length) = (high, 4)
        if (0xD800..<0xDC00).contains(high), rest.dropFirst(4).starts(with: "\\u".utf8),
            let low = unit(rest.dropFirst(6)), (0xDC00..<0xE000).contains(low)
        {
            (code, length) = (0x10000 + (high - 0xD800) << 10 + (low - 0xDC00), 10)
        }
        switch code {
        // Characters that JSON requires to be escaped: white space, quotes and backslashes.
        case 0x08, 0x09, 0x0A, 0x0C, 0x0D, 0x22, 0x5C: guard wholly else { return nil }
        // Other control characters.
        case ..<0x20, 0x7F..<0xA0: return nil
        default: break
        }
        guard let scalar = Unicode.Scalar(max(code, 0x20)) else { return nil }
        rest = rest.dropFirst(length)
        return scalar
    }

    private static func unit(_ text: ArraySlice<UInt8>) -> UInt32? {
        let digits = text.prefix(4)
        guard digits.count == 4, digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) else {
            return nil
        }
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
