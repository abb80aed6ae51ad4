/// Base64 with padding (RFC 4648 section 4), for payloads that are not text.
package enum Base64 {
    private static let alphabet = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The six bits of each byte, or `noValue` for a byte outside the alphabet.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: noValue, count: 256)
        for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(value) }
        return values
    }()

    private static let noValue: UInt8 = 0xFF
    private static let padding = UInt8(ascii: "=")

    /// Returns the Base64 text of `bytes`, in ASCII.
    package static func encode(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: length(of: bytes)) { text, count in
            if let place = text.baseAddress { encode(bytes, into: place) }
            count = length(of: bytes)
        }
    }

    /// Returns the length of the Base64 text of `bytes`.
    package static func length(of bytes: ArraySlice<UInt8>) -> Int { (bytes.count + 2) / 3 * 4 }

    /// Writes the Base64 text of `bytes` to `text`, which must have room for `length(of:)` bytes.
    package static func encode(_ bytes: ArraySlice<UInt8>, into text: UnsafeMutablePointer<UInt8>) {
        bytes.withUnsafeBufferPointer { bytes in
            alphabet.withUnsafeBufferPointer { alphabet in
                var (place, count) = (0, 0)
                while place < bytes.count {
                    let left = bytes.count - place
                    let second = left > 1 ? bytes[place + 1] : 0
                    let third = left > 2 ? bytes[place + 2] : 0
                    let bits = Int(bytes[place]) << 16 | Int(second) << 8 | Int(third)
                    text[count] = alphabet[bits >> 18]
                    text[count + 1] = alphabet[bits >> 12 & 63]
                    text[count + 2] = left > 1 ? alphabet[bits >> 6 & 63] : padding
                    text[count + 3] = left > 2 ? alphabet[bits & 63] : padding
                    place += 3
                    count += 4
                }
            }
        }
    }

    /// Returns the bytes of a Base64 text, or `nil` if the text is invalid.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        text.withUnsafeBufferPointer { text in
            guard text.count % 4 == 0 else { return nil }
            let pads = text.suffix(2).reversed().prefix { $0 == padding }.count
            let length = text.count / 4 * 3 - pads
            var isValid = true
            let bytes = values.withUnsafeBufferPointer { values in
                [UInt8](unsafeUninitializedCapacity: length) { bytes, count in
                    isValid = decode(text, pads, values, into: bytes)
                    count = isValid ? length : 0
                }
            }
            return isValid ? bytes : nil
        }
    }

    private static func decode(
        _ text: UnsafeBufferPointer<UInt8>, _ pads: Int, _ values: UnsafeBufferPointer<UInt8>,
        into bytes: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        var bits: UInt32 = 0
        var known = 0
        var count = 0
        var place = 0
        while place < text.count - pads {
            let value = values[Int(text[place])]
            if value == noValue { return false }
            bits = bits << 6 | UInt32(value)
            known += 6
            if known >= 8 {
                known -= 8
                bytes[count] = UInt8(truncatingIfNeeded: bits >> UInt32(known))
                count += 1
            }
            place += 1
        }
        return true
    }
}
