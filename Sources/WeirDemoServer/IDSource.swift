import WeirEvents
import WeirWire

/// A source of ids that are functions of seed, stream and serial number, so that one part of the history never shifts
/// the ids of another.
struct IDSource: Sendable {
    /// The parts of the server that draw ids. Their ids never overlap.
    enum Stream: UInt64, Sendable {
        case cast = 1, history, script, clients, badges, sessions
    }

    private let key: UInt64

    init(seed: UInt64, stream: Stream) {
        key = RandomSource.mix(seed &+ stream.rawValue &* 0xA076_1D64_78BD_642F)
    }

    /// Returns a random-looking UUID (version 4), for users, channels and badges.
    func uuid(_ serial: Int) -> EntityID {
        let (a, b) = words(serial)
        return .uuid((a & ~0xF000) | 0x4000, (b & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000)
    }

    /// Returns a time UUID (version 1) as Twake uses for messages. It sorts by its time, `milliseconds` since 1970.
    func timeUUID(_ serial: Int, at milliseconds: Int64) -> EntityID {
        // Steps of 100 ns since 1582-10-15. The serial number selects a step within the millisecond.
        let steps =
            UInt64(clamping: milliseconds) &* 10_000 &+ 0x01B2_1DD2_1381_4000 &+ UInt64(clamping: serial % 10_000)
        let (low, middle, high) = (steps & 0xFFFF_FFFF, (steps >> 32) & 0xFFFF, (steps >> 48) & 0x0FFF)
        let node = words(serial).1
        return .uuid(
            low << 32 | middle << 16 | 0x1000 | high,
            // A multicast node address shows that it is not a network card's (RFC 4122, 4.5).
            (node & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0100_0000_0000)
    }

    /// Returns the badge id of a user and a thread. On the wire it is a throw-away id.
    func badge(user: EntityID, thread: EntityID) -> EntityID {
        var hash = key
        for byte in "\(user)\(thread)".utf8 { hash = RandomSource.mix(hash &+ UInt64(byte) &+ 1) }
        return uuid(Int(truncatingIfNeeded: hash))
    }

    /// Returns an Engine.IO session id: 20 characters of base64url.
    func session(_ serial: Int) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        let (a, b) = words(serial)
        let characters = (0..<20).map { (index: UInt64) -> UInt8 in
            let bits = index < 10 ? a >> (6 * index) : b >> (6 * (index - 10))
            return alphabet[Int(bits & 63)]
        }
        return String(decoding: characters, as: UTF8.self)
    }

    private func words(_ serial: Int) -> (UInt64, UInt64) {
        let start = key &+ UInt64(bitPattern: Int64(serial)) &* 0xE703_7ED1_A0B4_28DB
        return (RandomSource.mix(start), RandomSource.mix(start ^ 0x8EBC_6AF0_9C88_C6E3))
    }
}

// The same seed gives the same history on every machine.
extension RandomSource {
    /// Returns a number in `0..<bound`; 0 when `bound` is not positive. (The bias of the remainder is far below
    /// anything a script can show.)
    mutating func below(_ bound: Int) -> Int {
        bound > 0 ? Int(next() % UInt64(bound)) : 0
    }

    /// Returns a random number in `range`, both ends included.
    mutating func within(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + below(range.count)
    }

    /// Returns one of `choices`; `nil` when there are none.
    mutating func pick<Choice>(_ choices: [Choice]) -> Choice? {
        choices.isEmpty ? nil : choices[below(choices.count)]
    }

    /// Returns true once in `n` times on average.
    mutating func oneIn(_ n: Int) -> Bool { below(n) == 0 }

    /// Returns `items` in a random order.
    mutating func shuffled<Item>(_ items: [Item]) -> [Item] {
        var items = items
        for index in items.indices.reversed() where index > 0 { items.swapAt(index, below(index + 1)) }
        return items
    }

    /// Applies SplitMix64's output function to a value.
    static func mix(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
