/// A queue of bytes that wait for the kernel to take them.
struct OutgoingBytes {
    private var bytes: [UInt8] = []
    private var head = 0
    /// The offsets in `bytes`, in order, at which a write must end even if more bytes follow.
    private var marks: [Int] = []

    /// The number of bytes not yet taken.
    var count: Int { bytes.count - head }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ piece: ArraySlice<UInt8>) {
        bytes.append(contentsOf: piece)
    }

    /// Lets `add` append bytes. It must not change the existing ones.
    mutating func append(with add: (inout [UInt8]) -> Void) {
        add(&bytes)
    }

    /// Ends a write here: the queued bytes are not written together with bytes appended later.
    mutating func endWrite() { marks.append(bytes.count) }

    /// Returns the end of the next write, at most `limit` bytes ahead.
    private func end(_ limit: Int) -> Int { min(marks.first ?? bytes.count, head + limit) }

    private mutating func advance(to place: Int) {
        head = place
        if let mark = marks.first, mark <= head { marks.removeFirst() }
        compact()
    }

    /// Passes at most `limit` of the first bytes to `write`, which returns how many it took. A negative result takes
    /// none.
    mutating func take(atMost limit: Int, _ write: (UnsafeRawBufferPointer) -> Int) -> Int {
        let end = end(limit)
        let taken = bytes[head..<end].withUnsafeBytes(write)
        advance(to: head + min(max(taken, 0), end - head))
        return taken
    }

    /// Passes at most `limit` of the first bytes to `write`, then removes them.
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
