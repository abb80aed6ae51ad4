import Testing
@testable import WeirModel

@Suite struct `Element digests` {
    /// The words fed for bytes: eight bytes for each word, the first in the low bits, then the rest, then the count.
    private func words(of bytes: [UInt8]) -> [UInt64] {
        let whole = bytes.count / 8 * 8
        let parts = stride(from: 0, to: whole, by: 8).map { bytes[$0..<$0 + 8] } + [bytes[whole...]]
        return parts.map { $0.reversed().reduce(0) { $0 << 8 | UInt64($1) } } + [UInt64(bytes.count)]
    }

    @Test func `Bytes of any length are fed as the words they form, so that old logs verify`() {
        for length in 0...40 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 129) }
            var expected = ElementDigest()
            for word in words(of: bytes) { expected.feed(word) }
            var digest = ElementDigest()
            bytes.withUnsafeBytes { digest.feed(bytes: $0) }
            #expect(digest.value == expected.value, "\(length) bytes")
        }
    }

    @Test func `A text is fed as its UTF-8, short or long`() {
        for text in ["", "a", "é", "a text of more than 15 bytes", "“quoted”, and longer than a small string"] {
            var digest = ElementDigest()
            digest.feed(text)
            var expected = ElementDigest()
            Array(text.utf8).withUnsafeBytes { expected.feed(bytes: $0) }
            #expect(digest.value == expected.value, "\(text)")
        }
    }
}
