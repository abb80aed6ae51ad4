import Glibc

/// An IPv4 or IPv6 address as bytes, so that different spellings compare equal.
struct NumericAddress: Hashable {
    /// The address in network order: 4 or 16 bytes.
    let bytes: [UInt8]

    /// Parses an address. Returns `nil` when the text is not one.
    init?(_ text: String) {
        var four = [UInt8](repeating: 0, count: 4)
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = four
            return
        }
        var sixteen = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, text, &sixteen) == 1 else { return nil }
        // An IPv4 address in IPv6 form (RFC 4291, 2.5.5.2) equals the plain address.
        let isMapped = sixteen.prefix(10).allSatisfy { $0 == 0 } && sixteen[10] == 0xff && sixteen[11] == 0xff
        bytes = isMapped ? Array(sixteen[12...]) : sixteen
    }

    /// Whether this is a loopback address, which means this machine on every machine.
    var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }

    /// Returns whether the first `bits` bits equal those of `range`.
    func isIn(_ range: NumericAddress, bits: Int) -> Bool {
        guard bytes.count == range.bytes.count, (0...bytes.count * 8).contains(bits) else { return false }
        for (index, (byte, other)) in zip(bytes, range.bytes).enumerated() {
            let left = min(8, max(0, bits - index * 8))
            let mask = UInt8(truncatingIfNeeded: 0xff << (8 - left))
            guard byte & mask == other & mask else { return false }
        }
        return true
    }
}
