package import WeirEvents
import WeirJSON
package import WeirWire

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

/// The reason for refusing a token, in the form of either server (Twake TW-9).
struct Refusal: Hashable, Sendable {
    private let name: String
    private let message: String
    /// The expiry in milliseconds since 1970; `nil` for a token that is not expired.
    private let expiredAt: Int64?
    private let hasToken: Bool

    init(_ verdict: Tokens.Verdict, hasToken: Bool, calendarOffset: Int64) {
        self.hasToken = hasToken
        switch verdict {
        case .expired(let at):
            (name, message, expiredAt) = ("TokenExpiredError", "jwt expired", calendarOffset + at.microseconds / 1_000)
        case .missing: (name, message, expiredAt) = ("JsonWebTokenError", "invalid token datatype", nil)
        case .refused, .valid: (name, message, expiredAt) = ("JsonWebTokenError", "invalid signature", nil)
        }
    }

    /// The refusal in the form of the library of 2021.
    var firstForm: JSONValue {
        .fields([
            "message": .string(message), "inner": .fields(["message": .string(message)]),
            "data": .fields([
                "message": .string(message), "code": .string("invalid_token"), "type": .string("UnauthorizedError"),
            ]),
        ])
    }

    /// The refusal in the form of the last server.
    var lastForm: JSONValue {
        guard hasToken else { return .fields(["err": .string("No token provided")]) }
        let error = JSONValue.fields(["name": .string(name), "message": .string(message)])
        guard let expiredAt else { return .fields(["err": error]) }
        return .fields(["err": error.adding(["expiredAt": .string(ISODate.text(milliseconds: expiredAt))])])
    }
}

/// Dates in the format of JavaScript's `toISOString`.
enum ISODate {
    /// Returns a date such as `2022-10-01T10:00:00.000Z`, from milliseconds since 1970.
    static func text(milliseconds: Int64) -> String {
        let day = Int64(86_400_000)
        let days = milliseconds >= 0 ? milliseconds / day : -((-milliseconds + day - 1) / day)
        let rest = milliseconds - days * day
        let (year, month, date) = civil(days)
        let time = [(rest / 3_600_000, 2), (rest / 60_000 % 60, 2), (rest / 1_000 % 60, 2), (rest % 1_000, 3)].map(
            padded)
        return
            "\(padded((year, 4)))-\(padded((month, 2)))-\(padded((date, 2)))T\(time[0]):\(time[1]):\(time[2]).\(time[3])Z"
    }

    private static func padded(_ number: (value: Int64, width: Int)) -> String {
        let digits = String(number.value)
        return String(repeating: "0", count: max(0, number.width - digits.count)) + digits
    }

    /// Returns the Gregorian date of a number of days since 1970. Years begin in March, so that the leap day is the
    /// last day of a year.
    private static func civil(_ days: Int64) -> (Int64, Int64, Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let calendarMonth = month < 10 ? month + 3 : month - 9
        return (
            yearOfEra + era * 400 + (calendarMonth <= 2 ? 1 : 0), calendarMonth, dayOfYear - (153 * month + 2) / 5 + 1
        )
    }
}
