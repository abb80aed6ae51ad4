import WeirThreads

/// Returns whether a text is a header name: a token (RFC 9110, 5.6.2).
func isHeaderName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy(isTokenCharacter)
}

/// Returns whether a byte may appear in a token (RFC 9110, 5.6.2).
func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}

/// Returns whether a text is a header value: it contains no control characters except tabs (RFC 9110, 5.5).
func isHeaderValue(_ value: String) -> Bool {
    value.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7f) }
}

extension Substring {
    /// The text without the spaces and tabs around it.
    var trimmed: String {
        var text = drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }
}

/// Returns how many seconds after `wall` (microseconds since 1970) the `Retry-After` header allows a retry. The header
/// contains a number of seconds or a date (RFC 9110, 10.2.3). Returns `nil` when the header is missing or malformed.
package func retryAfter(in headers: [(name: String, value: String)], at wall: Int64 = MachineClock.wall) -> Int? {
    guard let text = headers.last(where: { $0.name == "retry-after" })?.value else { return nil }
    return retryAfter(text, at: wall)
}

func retryAfter(_ text: String, at wall: Int64 = MachineClock.wall) -> Int? {
    // A number that is too large is clamped, not rejected; the caller limits its wait anyway.
    let longest = Int64(Int32.max)
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
        return Int(min(Int64(text) ?? longest, longest))
    }
    return CookieDate.parse(text).map { Int(min(max(0, $0 - wall / 1_000_000), longest)) }
}
