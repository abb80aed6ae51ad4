import CChecksum

/// The CRC-32C (Castagnoli, RFC 3720 appendix B.4) of bytes added in pieces. It uses the processor's instruction where
/// available, and otherwise tables that take sixteen bytes per step.
struct CRC32C {
    private var state: UInt32 = ~0
    private let hasInstruction: Bool

    init() { hasInstruction = Self.processorHasInstruction }

    /// Creates a checksum that uses the tables even if the processor has the instruction.
    init(byTables: Void) { hasInstruction = false }

    private static let processorHasInstruction = crc32c_has_instruction()

    /// The checksum of all bytes added so far.
    var value: UInt32 { ~state }

    /// Adds bytes to the checksum.
    mutating func update(_ bytes: Span<UInt8>) {
        state = bytes.withUnsafeBytes { raw in
            if hasInstruction, let base = raw.baseAddress {
                return crc32c_by_instruction(state, base.assumingMemoryBound(to: UInt8.self), raw.count)
            }
            return Self.tables.withUnsafeBufferPointer { tables in Self.step(state, over: raw, tables) }
        }
    }

    /// The tables, one after another. Table `k` holds, for each byte, its effect on the checksum after `k` more zero
    /// bytes.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 16 * 256)
        for byte in 0..<256 {
            var crc = UInt32(byte)
            for _ in 0..<8 { crc = (crc >> 1) ^ (crc & 1 == 0 ? 0 : 0x82F6_3B78) }
            tables[byte] = crc
        }
        for place in 256..<tables.count {
            let before = tables[place - 256]
            tables[place] = (before >> 8) ^ tables[Int(before & 0xFF)]
        }
        return tables
    }()

    private static func step(
        _ start: UInt32, over bytes: UnsafeRawBufferPointer, _ tables: UnsafeBufferPointer<UInt32>
    ) -> UInt32 {
        var crc = start
        var place = 0
        while bytes.count - place >= 16 {
            let first = word(bytes, place) ^ crc
            crc = effect(first, 15, tables) ^ effect(word(bytes, place + 4), 11, tables)
            crc ^= effect(word(bytes, place + 8), 7, tables) ^ effect(word(bytes, place + 12), 3, tables)
            place += 16
        }
        while place < bytes.count {
            crc = (crc >> 8) ^ tables[Int((crc ^ UInt32(bytes[place])) & 0xFF)]
            place += 1
        }
        return crc
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt32 {
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
    }

    /// Returns the effect of four bytes on the checksum. `after` is the number of bytes that follow the first one in
    /// the step.
    @inline(__always)
    private static func effect(_ word: UInt32, _ after: Int, _ tables: UnsafeBufferPointer<UInt32>) -> UInt32 {
        let table = after * 256
        let low = tables[table + Int(word & 0xFF)] ^ tables[table - 256 + Int(word >> 8 & 0xFF)]
        return low ^ tables[table - 512 + Int(word >> 16 & 0xFF)] ^ tables[table - 768 + Int(word >> 24)]
    }
}
