import JSONText

// Entities' state in 64 bits, the same in every process: equal states have equal hashes, and a change of any field mostly another.
//
// The first app compared only such numbers, of some fields (section 5): an edit, a reaction or a count that was not in the sum was never
// shown. Here every field counts.
extension Twake.Channel {
    /// The state in 64 bits.
    public var stateHash: UInt64 { fingerprint(of: encode(into:)) }
}

extension Twake.Message {
    /// The state in 64 bits.
    public var stateHash: UInt64 { fingerprint(of: encode(into:)) }
}

extension Twake.ChannelMember {
    /// The state in 64 bits.
    public var stateHash: UInt64 { fingerprint(of: encode(into:)) }
}

extension Twake.Badge {
    /// The state in 64 bits.
    public var stateHash: UInt64 { fingerprint(of: encode(into:)) }
}

extension Twake.BadgeCount {
    /// The state in 64 bits; the count is in it.
    public var stateHash: UInt64 { fingerprint(of: encode(into:)) }
}

/// FNV-1a of what an entity writes.
private func fingerprint(of encode: (inout JSONWriter) -> Void) -> UInt64 {
    var writer = JSONWriter()
    encode(&writer)
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in writer.bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
}
