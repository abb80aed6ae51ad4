/// Base64 with padding (RFC 4648 section 4), for payloads that are not text.
enum Base64 {
    private static let alphabet = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// For each byte its six bits, 0xFF when it is not of the alphabet.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(value) }
        return values
    }()

    /// The base64 text of `bytes`, ASCII.
    static func encode(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var rest = bytes
        while let first = rest.popFirst() {
            let second = rest.popFirst()
            let third = second == nil ? nil : rest.popFirst()
            let bits = Int(first) << 16 | Int(second ?? 0) << 8 | Int(third ?? 0)
            text.append(alphabet[bits >> 18])
            text.append(alphabet[bits >> 12 & 63])
            text.append(second == nil ? UInt8(ascii: "=") : alphabet[bits >> 6 & 63])
            text.append(third == nil ? UInt8(ascii: "=") : alphabet[bits & 63])
        }
        return text
    }

    /// The bytes of a base64 text, nil when it is none.
    static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var bits: UInt32 = 0
        var padding = 0
        for place in text.indices {
            let byte = text[place]
            if byte == UInt8(ascii: "="), place >= text.count - 2 {
                padding += 1
                bits <<= 6
            } else {
                let value = values[Int(byte)]
                guard value != 0xFF, padding == 0 else { return nil }
                bits = bits << 6 | UInt32(value)
            }
            if place % 4 == 3 {
                bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
                bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
                bytes.append(UInt8(truncatingIfNeeded: bits))
                bits = 0
            }
        }
        bytes.removeLast(padding)
        return bytes
    }
}
