import Events
import Wire

/// Ids as functions of seed, stream and serial number: what one part of the history does never shifts the ids of another.
struct IDSource: Sendable {
    /// Who draws ids. Streams never meet.
    enum Stream: UInt64, Sendable {
        case cast = 1, history, script, clients, badges, sessions
    }

    private let key: UInt64

    init(seed: UInt64, stream: Stream) {
        key = RandomSource.mix(seed &+ stream.rawValue &* 0xA076_1D64_78BD_642F)
    }

    /// A random-looking UUID (version 4), for users, channels, badges.
    func uuid(_ serial: Int) -> EntityID {
        let (a, b) = words(serial)
        return .uuid((a & ~0xF000) | 0x4000, (b & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000)
    }

    /// A time UUID (version 1) as Twake gives messages: sortable by the time it holds. `milliseconds` since 1970.
    func timeUUID(_ serial: Int, at milliseconds: Int64) -> EntityID {
        // 100 ns steps since 1582-10-15; the serial fills the steps of one millisecond.
        let steps =
            UInt64(clamping: milliseconds) &* 10_000 &+ 0x01B2_1DD2_1381_4000 &+ UInt64(clamping: serial % 10_000)
        let (low, middle, high) = (steps & 0xFFFF_FFFF, (steps >> 32) & 0xFFFF, (steps >> 48) & 0x0FFF)
        let node = words(serial).1
        return .uuid(
            low << 32 | middle << 16 | 0x1000 | high,
            // A multicast node address says that it is not a network card's (RFC 4122, 4.5).
            (node & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0100_0000_0000)
    }

    /// The badge of a user and a thread; the wire calls it a throw-away id.
    func badge(user: EntityID, thread: EntityID) -> EntityID {
        var hash = key
        for byte in "\(user)\(thread)".utf8 { hash = RandomSource.mix(hash &+ UInt64(byte) &+ 1) }
        return uuid(Int(truncatingIfNeeded: hash))
    }

    /// An Engine.IO session id: 20 characters of base64url.
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
