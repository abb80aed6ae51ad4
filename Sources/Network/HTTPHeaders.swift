/// Whether a text is a header name: a token (RFC 9110, 5.6.2).
func isHeaderName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy(isTokenCharacter)
}

/// Whether a byte may be in a token.
func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}

/// Whether a text is a header value: no control characters but tabs (RFC 9110, 5.5).
func isHeaderValue(_ value: String) -> Bool {
    value.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7f) }
}

/// How many seconds a `Retry-After` asks to wait from `wall` on (microseconds since 1970): it is a number of them or a date (RFC 9110, 10.2.3).
/// Nil when there is none that can be read.
public func retryAfter(in headers: [(name: String, value: String)], at wall: Int64 = MachineClock.wall) -> Int? {
    guard let text = headers.last(where: { $0.name == "retry-after" })?.value else { return nil }
    return retryAfter(text, at: wall)
}

func retryAfter(_ text: String, at wall: Int64 = MachineClock.wall) -> Int? {
    // No number is too large to be understood; who waits has a limit.
    let longest = Int64(Int32.max)
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
        return Int(min(Int64(text) ?? longest, longest))
    }
    return CookieDate.parse(text).map { Int(min(max(0, $0 - wall / 1_000_000), longest)) }
}
