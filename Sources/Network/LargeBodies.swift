/// Whose turn it is to be large: one exchange at a time may have a body of more than `small` bytes in memory, from when it comes until
/// its receiver lets go of it. The others wait in order, and their servers are not read.
struct LargeBodies {
    /// Bytes of a body that any exchange may have.
    static let small = 1 << 20
    /// What is compressed may be so many times as large.
    static let ratio = 1032

    private var holder: UInt64?
    private var waiting: [UInt64] = []

    /// Whether it is the exchange's turn; otherwise it waits for it.
    mutating func takeTurn(_ number: UInt64) -> Bool {
        if holder == nil { holder = number }
        if holder != number, !waiting.contains(number) { waiting.append(number) }
        return holder == number
    }

    /// An exchange has no large body any more, or will have none; the one whose turn it is now, if that became another.
    mutating func leave(_ number: UInt64) -> UInt64? {
        waiting.removeAll { $0 == number }
        guard holder == number else { return nil }
        holder = waiting.isEmpty ? nil : waiting.removeFirst()
        return holder
    }
}

/// The memory of a large body: while anybody keeps this, no other large body is read.
public final class HTTPBodyHold: Sendable {
    private let release: @Sendable () -> Void

    init(_ release: @escaping @Sendable () -> Void) { self.release = release }

    deinit { release() }
}
