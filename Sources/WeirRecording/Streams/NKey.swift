import CWeirCrypto
package import WeirWire

/// The keys of NATS users in the `nkeys` format: an Ed25519 key after a kind, followed by a CRC-16, encoded in base 32.
package enum NKey {
    /// Returns the public key (`U…`) of a user's seed (`SU…`); `nil` if the text is not such a seed.
    package static func publicKey(ofSeed seed: Secret) -> String? {
        guard let raw = decoded(seed.reveal()), raw.count == 36, isWhole(raw), raw[0] & 0xf8 == 18 << 3 else {
            return nil
        }
        let kind = raw[0] << 5 | raw[1] >> 3
        // The kind of a user's key.
        guard kind == 20 << 3 else { return nil }
        let secret = Array(raw[2..<34])
        guard let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, secret, secret.count) else { return nil }
        defer { EVP_PKEY_free(key) }
        var (open, length) = ([UInt8](repeating: 0, count: 32), 32)
        guard EVP_PKEY_get_raw_public_key(key, &open, &length) == 1, length == 32 else { return nil }
        let text = [kind] + open
        let sum = checksum(text[...])
        return encoded(text + [UInt8(truncatingIfNeeded: sum), UInt8(sum >> 8)])
    }

    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    private static func isWhole(_ raw: [UInt8]) -> Bool {
        let sum = checksum(raw.dropLast(2))
        return raw[raw.count - 2] == UInt8(truncatingIfNeeded: sum) && raw[raw.count - 1] == UInt8(sum >> 8)
    }

    /// Returns the CRC-16 with polynomial 0x1021 and initial value 0 (XMODEM).
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt16 {
        bytes.reduce(0) { sum, byte in
            (0..<8).reduce(sum ^ UInt16(byte) << 8) { sum, _ in sum & 0x8000 == 0 ? sum << 1 : sum << 1 ^ 0x1021 }
        }
    }

    private static func decoded(_ text: String) -> [UInt8]? {
        var (bytes, held, bits): ([UInt8], UInt32, Int) = ([], 0, 0)
        for character in text.utf8 {
            guard let digit = digits.firstIndex(of: character) else { return nil }
            held = held << 5 | UInt32(digit)
            bits += 5
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: held >> UInt32(bits)))
        }
        return bytes
    }

    private static func encoded(_ bytes: [UInt8]) -> String {
        var (text, held, bits): ([UInt8], UInt32, Int) = ([], 0, 0)
        for byte in bytes {
            held = held << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(digits[Int(held >> UInt32(bits) & 31)])
            }
        }
        if bits > 0 { text.append(digits[Int(held << UInt32(5 - bits) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }
}
