/// One JSON value kept as its text: checked once, copied through, decoded when somebody asks.
public struct RawJSON: Hashable, Sendable, CustomStringConvertible {
    /// The text of exactly one JSON value, UTF-8.
    public var bytes: ArraySlice<UInt8>
    /// Keeps `bytes`, which must already be known to be one valid JSON value.
    public init(unchecked bytes: ArraySlice<UInt8>) { self.bytes = bytes }
    /// Keeps `bytes`, without surrounding white space, after checking that they are one JSON value.
    public init(checking bytes: ArraySlice<UInt8>) throws(JSONError) {
        var reader = JSONReader(bytes.span)
        let range = try reader.skip()
        try reader.end()
        self.bytes = bytes[bytes.startIndex + range.lowerBound..<bytes.startIndex + range.upperBound]
    }
    /// The text.
    public var description: String { String(decoding: bytes, as: UTF8.self) }

    /// A text's value, and the digits of a number; nil for anything else, and for a text of no characters.
    package var plainText: String? {
        var reader = JSONReader(bytes.span)
        switch try? reader.peek() {
        case .string: return (try? reader.string()).flatMap { $0.isEmpty ? nil : $0 }
        case .number: return description
        case .object, .array, .bool, .null, nil: return nil
        }
    }

    /// The value at a range of the text, which a reader of it gave. It keeps the whole text alive.
    package func slice(_ range: Range<Int>) -> RawJSON {
        RawJSON(unchecked: bytes[bytes.startIndex + range.lowerBound..<bytes.startIndex + range.upperBound])
    }

    /// The object whose members `write` writes.
    package static func object(_ write: (inout JSONWriter) -> Void) -> RawJSON {
        var writer = JSONWriter()
        writer.beginObject()
        write(&writer)
        writer.endObject()
        return RawJSON(unchecked: writer.bytes[...])
    }
}

extension RawJSON {
    /// A text that holds JSON, as people read it: `\u00e9` and `\/` are the characters that they stand for, surrogates in pairs. What would not be
    /// JSON any more (quotes, backslashes), or cannot be shown (controls, lone surrogates), stays as it is spelled, unless `wholly`: then
    /// quotes and backslashes are themselves, too, however they are spelled, and line feeds, tabs and their like are spaces. A text without a backslash is given back.
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

    /// The character that the digits behind `\u` stand for, which are taken; nil, and nothing is taken, when it is none to be shown.
    private static func scalar(_ rest: inout ArraySlice<UInt8>, wholly: Bool) -> Unicode.Scalar? {
        guard let high = unit(rest) else { return nil }
        var (code, length) = (high, 4)
        if (0xD800..<0xDC00).contains(high), rest.dropFirst(4).starts(with: "\\u".utf8),
            let low = unit(rest.dropFirst(6)), (0xDC00..<0xE000).contains(low)
        {
            (code, length) = (0x10000 + (high - 0xD800) << 10 + (low - 0xDC00), 10)
        }
        switch code {
        // What JSON needs to be escaped: blanks, quotes and backslashes.
        case 0x08, 0x09, 0x0A, 0x0C, 0x0D, 0x22, 0x5C: guard wholly else { return nil }
        // Other controls.
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
