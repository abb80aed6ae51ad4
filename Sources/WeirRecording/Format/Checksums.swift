import CWeirChecksum
import CWeirCrypto
import WeirJSON
import WeirWire

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

/// The checksum at the end of a line that no chunk counts: `sync`, `idx` and `end`.
///
/// It is the line's last member, `"sum"`: the CRC-32C of everything before the member's comma, as 8 lower-case
/// hexadecimal digits. A line of any kind with such an ending is verified.
enum LineChecksum {
    /// The result of comparing a line with its own checksum.
    enum Finding {
        case none
        case right
        case wrong
    }

    private static let start: StaticString = #","sum":""#
    private static let digits = 8
    /// The length of the member in bytes, from its comma to the brace after it.
    static let bytes = 8 + digits + 2

    /// Appends the member and the closing brace to `line`, which must lack its closing brace.
    static func close(_ line: inout [UInt8]) {
        line.append(contentsOf: member(for: line.span))
    }

    /// Compares `line`, without its line feed, with its checksum.
    static func finding(in line: Span<UInt8>) -> Finding {
        let place = line.count - bytes
        guard place > 0, line.starts(with: start, at: place) else { return .none }
        let member = member(for: line.extracting(0..<place))
        return member.indices.allSatisfy { member[$0] == line[place + $0] } ? .right : .wrong
    }

    private static func member(for text: Span<UInt8>) -> [UInt8] {
        var crc = CRC32C()
        crc.update(text)
        let value = Hexadecimal.text(of: UInt64(crc.value)).suffix(digits)
        return start.withUTF8Buffer { Array($0) } + value.utf8 + #""}"#.utf8
    }
}

/// The SHA-256 of a text in the form of a content security policy.
package enum TextDigest {
    /// Returns the digest of the text's UTF-8, in Base64 with padding.
    package static func base64(of text: String) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        let bytes = Array(text.utf8)
        EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
        var encoded = [UInt8](repeating: 0, count: 45)
        let count = Int(EVP_EncodeBlock(&encoded, digest, 32))
        return String(decoding: encoded.prefix(count), as: UTF8.self)
    }
}

/// The SHA-256 (FIPS 180-4) of bytes added in pieces. It owns an OpenSSL context.
final class SHA256Digest {
    private let context: OpaquePointer?

    init() {
        context = EVP_MD_CTX_new()
        EVP_DigestInit_ex(context, EVP_sha256(), nil)
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Adds bytes to the digest.
    func update(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBytes { _ = EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    }

    /// Returns the digest as 64 lower-case hexadecimal digits. Nothing may be added afterwards.
    func finish() -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_DigestFinal_ex(context, &digest, nil)
        return Hexadecimal.text(of: digest[...])
    }

    /// Returns the digest of one piece.
    static func of(_ bytes: Span<UInt8>) -> String {
        let digest = SHA256Digest()
        digest.update(bytes)
        return digest.finish()
    }
}

/// A short hash that shows whether two secrets are equal without revealing them.
package enum Fingerprint {
    /// Returns the first 32 bits of the text's SHA-256, as hexadecimal digits.
    package static func of(_ text: String) -> String {
        String(SHA256Digest.of(Array(text.utf8).span).prefix(8))
    }
}
