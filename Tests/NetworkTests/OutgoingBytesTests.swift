import Testing

@testable import WeirNetwork

/// Checks which bytes are written together.
@Suite struct OutgoingBytesTests {
    private func writes(_ bytes: inout OutgoingBytes, atMost limit: Int = 100) -> [String] {
        var writes: [String] = []
        while !bytes.isEmpty {
            writes.append(bytes.take(limit) { String(decoding: UnsafeRawBufferPointer($0), as: UTF8.self) })
        }
        return writes
    }

    private func append(_ text: String, to bytes: inout OutgoingBytes) { bytes.append(ArraySlice(text.utf8)) }

    @Test func `waiting bytes are written together`() {
        var bytes = OutgoingBytes()
        append("one", to: &bytes)
        append("two", to: &bytes)
        #expect(writes(&bytes) == ["onetwo"])
    }

    @Test func `the answer to an upgrade and the first message are written separately`() {
        var bytes = OutgoingBytes()
        append("101", to: &bytes)
        bytes.endWrite()
        append("0{}", to: &bytes)
        bytes.endWrite()
        append("40", to: &bytes)
        append("42", to: &bytes)
        #expect(writes(&bytes) == ["101", "0{}", "4042"])
        append("more", to: &bytes)
        #expect(writes(&bytes) == ["more"])
    }

    @Test func `a long separate write may take several writes`() {
        var bytes = OutgoingBytes()
        append("12345678", to: &bytes)
        bytes.endWrite()
        append("abcdef", to: &bytes)
        #expect(writes(&bytes, atMost: 5) == ["12345", "678", "abcde", "f"])
    }

    @Test func `after a partial write, the rest up to the mark is offered again`() {
        var bytes = OutgoingBytes()
        append("12345678", to: &bytes)
        bytes.endWrite()
        append("ab", to: &bytes)
        var given: [Int] = []
        for _ in 0..<3 {
            _ = bytes.take(atMost: 100) {
                given.append($0.count)
                return min($0.count, 5)
            }
        }
        #expect(given == [8, 3, 2] && bytes.isEmpty)
    }
}
