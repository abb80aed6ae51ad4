/// The turns for large bodies. Only one exchange at a time may hold a body of more than `small` bytes in memory, from
/// its arrival until the receiver releases it. The others wait in order, and their servers are not read.
struct LargeBodies {
    /// The size of a body that any exchange may hold, in bytes.
    static let small = 1 << 20
    /// The greatest factor by which inflating can enlarge a compressed body.
    static let ratio = 1032

    private var holder: UInt64?
    private var waiting: [UInt64] = []

    /// Returns whether it is the exchange's turn. If not, the exchange joins the queue.
    mutating func takeTurn(_ number: UInt64) -> Bool {
        if holder == nil { holder = number }
        if holder != number, !waiting.contains(number) { waiting.append(number) }
        return holder == number
    }

    /// Notes that an exchange has no large body, or none any more. Returns the exchange whose turn begins, if any.
    mutating func leave(_ number: UInt64) -> UInt64? {
        waiting.removeAll { $0 == number }
        guard holder == number else { return nil }
        holder = waiting.isEmpty ? nil : waiting.removeFirst()
        return holder
    }
}

/// The memory of a large body. While any reference to it remains, no other large body is read.
public final class HTTPBodyHold: Sendable {
    private let release: @Sendable () -> Void

    init(_ release: @escaping @Sendable () -> Void) { self.release = release }

    deinit { release() }
}
