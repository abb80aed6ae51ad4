/// The two bytes that secrets begin with, so that most of a text is passed over quickly.
struct SecretStarts {
    /// How many secrets begin with a byte.
    private var firsts = [Int](repeating: 0, count: 1 << 8)
    private var counts: [UInt16: Int] = [:]
    /// A bit for each two bytes that are counted.
    private var pairs = [UInt64](repeating: 0, count: 1 << 10)
    /// How many secrets of one byte there are: one may end the text where it begins.
    private var ofOneByte = 0

    /// Counts a secret that is not empty.
    mutating func insert(_ secret: String) { count(secret, 1) }

    /// Does not count a secret any more that was.
    mutating func remove(_ secret: String) { count(secret, -1) }

    /// The first place from `place` on where the spelling of a secret can begin, as far as its first two bytes tell; the text's end where there is
    /// none.
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

    /// What any character's spelling may begin with.
    private static let escapes: Set<UInt8> = [UInt8(ascii: "\\"), UInt8(ascii: "%")]

    /// A byte as it may stand in a text that is not escaped: a space is a plus in a form-encoded query.
    private static func forms(of byte: UInt8) -> Set<UInt8> {
        byte == UInt8(ascii: " ") ? [byte, UInt8(ascii: "+")] : [byte]
    }
}
