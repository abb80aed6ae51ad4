/// Bytes on their way to the kernel.
struct OutgoingBytes {
    private var bytes: [UInt8] = []
    private var head = 0

    /// Bytes not yet taken.
    var count: Int { bytes.count - head }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ piece: ArraySlice<UInt8>) {
        bytes.append(contentsOf: piece)
    }

    /// Lets `add` append; it must not touch what is there.
    mutating func append(with add: (inout [UInt8]) -> Void) {
        add(&bytes)
    }

    /// The first bytes, at most `limit`, are given to `write`, which says how many of them it took; none when that is negative.
    mutating func take(atMost limit: Int, _ write: (UnsafeRawBufferPointer) -> Int) -> Int {
        let end = min(bytes.count, head + limit)
        let taken = bytes[head..<end].withUnsafeBytes(write)
        head += min(max(taken, 0), end - head)
        compact()
        return taken
    }

    /// Gives the first bytes, at most `limit`, to `write`, and forgets them.
    mutating func take<Result>(_ limit: Int, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Result) -> Result {
        let end = min(bytes.count, head + limit)
        let result = bytes.withUnsafeMutableBufferPointer {
            write(UnsafeMutableBufferPointer(rebasing: $0[head..<end]))
        }
        head = end
        compact()
        return result
    }

    private mutating func compact() {
        if head == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.count <= 1 << 20)
            head = 0
        } else if head > bytes.count / 2 {
            bytes.removeSubrange(..<head)
            head = 0
        }
    }

    mutating func removeAll() {
        bytes = []
        head = 0
    }
}
