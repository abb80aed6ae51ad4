/// Bytes on their way to the kernel.
struct OutgoingBytes {
    private var bytes: [UInt8] = []
    private var head = 0
    /// Where writes end, although more is there, in order.
    private var marks: [Int] = []

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

    /// What is there goes out in a write of its own, before anything that is appended later.
    mutating func endWrite() { marks.append(bytes.count) }

    /// The end of the next write.
    private func end(_ limit: Int) -> Int { min(marks.first ?? bytes.count, head + limit) }

    private mutating func advance(to place: Int) {
        head = place
        if let mark = marks.first, mark <= head { marks.removeFirst() }
        compact()
    }

    /// The first bytes, at most `limit`, are given to `write`, which says how many of them it took; none when that is negative.
    mutating func take(atMost limit: Int, _ write: (UnsafeRawBufferPointer) -> Int) -> Int {
        let end = end(limit)
        let taken = bytes[head..<end].withUnsafeBytes(write)
        advance(to: head + min(max(taken, 0), end - head))
        return taken
    }

    /// Gives the first bytes, at most `limit`, to `write`, and forgets them.
    mutating func take<Result>(_ limit: Int, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Result) -> Result {
        let end = end(limit)
        let result = bytes.withUnsafeMutableBufferPointer {
            write(UnsafeMutableBufferPointer(rebasing: $0[head..<end]))
        }
        advance(to: end)
        return result
    }

    private mutating func compact() {
        if head == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.count <= 1 << 20)
            head = 0
        } else if head > bytes.count / 2 {
            bytes.removeSubrange(..<head)
            marks = marks.map { $0 - head }
            head = 0
        }
    }

    mutating func removeAll() {
        bytes = []
        head = 0
        marks = []
    }
}
