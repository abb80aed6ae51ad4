/// The first two bytes of all secrets, used to skip most of a text quickly.
struct SecretStarts {
    /// The number of secrets that can begin with each byte.
    private var firsts = [Int](repeating: 0, count: 1 << 8)
    private var counts: [UInt16: Int] = [:]
    /// One bit for each pair of bytes in `counts`.
    private var pairs = [UInt64](repeating: 0, count: 1 << 10)
    /// The number of one-byte secrets, which can match at the last byte of a text.
    private var ofOneByte = 0

    /// Adds a secret, which must not be empty.
    mutating func insert(_ secret: String) { count(secret, 1) }

    /// Removes a secret that was added before.
    mutating func remove(_ secret: String) { count(secret, -1) }

    /// Returns the first position from `place` on where a secret may begin, judged by its first two bytes. Returns the
    /// end of the text when there is none.
    func next(from place: Int, in text: UnsafeBufferPointer<UInt8>) -> Int {
        firsts.withUnsafeBufferPointer { firsts in
            var place = place
            while place < text.count {
                let first = text[place]
                if firsts[Int(first)] > 0, canBegin(with: first, at: place, in: text) { break }
                place += 1
            }
            return place
        }
    }

    private func canBegin(with first: UInt8, at place: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        if first == UInt8(ascii: "\\") || first == UInt8(ascii: "%") { return true }
        guard place + 1 < text.count else { return ofOneByte > 0 }
        let pair = UInt16(first) << 8 | UInt16(text[place + 1])
        return pairs[Int(pair >> 6)] & 1 << UInt64(pair & 63) != 0
    }

    private mutating func count(_ secret: String, _ change: Int) {
        let bytes = secret.utf8
        let seconds: Set<UInt8>
        if let second = bytes.dropFirst().first {
            seconds = Self.forms(of: second).union(Self.escapes)
        } else {
            seconds = Set(0...255)
            ofOneByte += change
        }
        let plain = Self.forms(of: bytes[bytes.startIndex])
        for first in plain.union(Self.escapes) { firsts[Int(first)] += change }
        for first in plain { for second in seconds { count(UInt16(first) << 8 | UInt16(second), change) } }
    }

    private mutating func count(_ pair: UInt16, _ change: Int) {
        let count = counts[pair, default: 0] + change
        counts[pair] = count == 0 ? nil : count
        let bit: UInt64 = 1 << UInt64(pair & 63)
        if count == 0 { pairs[Int(pair >> 6)] &= ~bit } else { pairs[Int(pair >> 6)] |= bit }
    }

    /// The bytes with which an escaped spelling of any character begins.
    private static let escapes: Set<UInt8> = [UInt8(ascii: "\\"), UInt8(ascii: "%")]

    /// Returns the unescaped spellings of a byte. A space is a plus in a form-encoded query.
    private static func forms(of byte: UInt8) -> Set<UInt8> {
        byte == UInt8(ascii: " ") ? [byte, UInt8(ascii: "+")] : [byte]
    }
}
