package import Events
import JSONText
package import Wire

/// Issues and judges access tokens: opaque texts that contain a user and an expiry and cannot be made without the key.
///
/// The server keeps no list of tokens. The token contains its own data, sealed by a keyed hash. The type never reads a
/// clock.
package struct Tokens: Sendable {
    /// The validity of a token at some moment.
    enum Verdict: Hashable, Sendable {
        case valid(user: EntityID)
        /// The token was ours, and expired at `at`.
        case expired(at: Moment)
        /// The token is not ours, or the server refuses every token.
        case refused
        /// The request contains no token.
        case missing
    }

    private let seal: SipHash
    /// Whether every token is refused.
    var refusesAll = false
    /// Tokens issued before this moment count as expired.
    package var expiredBefore = Moment.zero
    /// A fixed token and its owner; `nil` for none. It never expires and survives restarts of the server.
    package var given: (token: Secret, user: EntityID)?
    /// The wall-clock time at `Moment.zero`, in milliseconds since 1970. Only the text of a refusal uses it.
    package var calendarOffset: Int64 = 0

    /// Creates tokens sealed with `key`, a secret of 128 bits.
    package init(key: (UInt64, UInt64)) { seal = SipHash(key: key) }

    /// Issues a token for `user` that is valid from `now` for `lifetime`.
    package func issue(for user: EntityID, at now: Moment, lifetime: Duration) -> Secret {
        let body = "\(user).\(now.microseconds).\((now + lifetime).microseconds)"
        return Secret("weir.\(body).\(hex(seal.hash(body)))")
    }

    /// Returns the validity of `token` at `now`.
    func judge(_ token: String?, at now: Moment) -> Verdict {
        guard let token, !token.isEmpty else { return .missing }
        if !refusesAll, let given, given.token.reveal() == token { return .valid(user: given.user) }
        guard token.utf8.count <= 200 else { return .refused }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0] == "weir", !refusesAll, let issued = Int64(parts[2]),
            let expiry = Int64(parts[3]),
            hex(seal.hash("\(parts[1]).\(parts[2]).\(parts[3])")) == parts[4]
        else { return .refused }
        if issued < expiredBefore.microseconds { return .expired(at: expiredBefore) }
        if expiry <= now.microseconds { return .expired(at: Moment(microseconds: expiry)) }
        return .valid(user: EntityID(String(parts[1])))
    }

    private func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// SipHash-2-4: a keyed hash that cannot be forged without the key (Aumasson and Bernstein, 2012).
struct SipHash: Sendable {
    private let k0: UInt64
    private let k1: UInt64

    init(key: (UInt64, UInt64)) { (k0, k1) = key }

    func hash(_ text: String) -> UInt64 {
        let bytes = Array(text.utf8)
        var state = State(k0, k1)
        let whole = bytes.count / 8 * 8
        for start in stride(from: 0, to: whole, by: 8) { state.absorb(Self.word(bytes[start..<start + 8])) }
        state.absorb(Self.word(bytes[whole...]) | UInt64(bytes.count & 0xFF) << 56)
        return state.finish()
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private struct State {
        var v0, v1, v2, v3: UInt64

        init(_ k0: UInt64, _ k1: UInt64) {
            v0 = k0 ^ 0x736F_6D65_7073_6575
            v1 = k1 ^ 0x646F_7261_6E64_6F6D
            v2 = k0 ^ 0x6C79_6765_6E65_7261
            v3 = k1 ^ 0x7465_6462_7974_6573
        }

        mutating func absorb(_ word: UInt64) {
            v3 ^= word
            round()
            round()
            v0 ^= word
        }

        mutating func finish() -> UInt64 {
            v2 ^= 0xFF
            for _ in 0..<4 { round() }
            return v0 ^ v1 ^ v2 ^ v3
        }

        private mutating func round() {
            v0 = v0 &+ v1
            v2 = v2 &+ v3
            v1 = rotate(v1, 13) ^ v0
            v3 = rotate(v3, 16) ^ v2
            v0 = rotate(v0, 32)
            v2 = v2 &+ v1
            v0 = v0 &+ v3
            v1 = rotate(v1, 17) ^ v2
            v3 = rotate(v3, 21) ^ v0
            v2 = rotate(v2, 32)
        }

        private func rotate(_ value: UInt64, _ by: UInt64) -> UInt64 { value << by | value >> (64 - by) }
    }
}
