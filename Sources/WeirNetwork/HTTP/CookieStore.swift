import Glibc
import WeirThreads

/// The cookies one server set, for later requests. It implements the part of RFC 6265 that a client of one server
/// needs.
///
/// A cookie is sent back only to the host that set it, whatever its `Domain` attribute. The store is bounded: beyond
/// `maximumCount` the oldest cookie is removed, and a cookie longer than `maximumSize` bytes is ignored. Times are
/// seconds since 1970.
struct CookieStore: Sendable {
    struct Cookie: Hashable, Sendable {
        var name: String
        var value: String
        var host: String
        var path: String
        var isSecure: Bool
        /// The second from which the cookie is expired; `nil` for the end of the session.
        var expiry: Int64?
    }

    static let maximumCount = 50
    static let maximumSize = 4096

    /// The stored cookies, oldest first.
    private(set) var cookies: [Cookie] = []

    /// Stores the cookie of a `Set-Cookie` header in a response from `url`. A malformed header is ignored.
    mutating func take(_ header: String, from url: URLParts, at now: Int64) {
        guard let cookie = CookieStore.parse(header, from: url, at: now) else { return }
        let old = cookies.firstIndex { $0.name == cookie.name && $0.host == cookie.host && $0.path == cookie.path }
        if let expiry = cookie.expiry, expiry <= now {
            if let old { cookies.remove(at: old) }
        } else if let old {
            // A replaced cookie keeps its place (RFC 6265, 5.3, step 11.3).
            cookies[old] = cookie
        } else {
            cookies.removeAll { $0.expiry.map { $0 <= now } ?? false }
            if cookies.count == Self.maximumCount { cookies.removeFirst() }
            cookies.append(cookie)
        }
    }

    /// Returns the value of the `Cookie` header for a request to `url`, or `nil` when no cookie matches. Cookies with
    /// longer paths come first, then older cookies.
    func header(for url: URLParts, at now: Int64) -> String? {
        let sent = cookies.filter { cookie in
            cookie.host == url.host && CookieStore.path(url.path, isIn: cookie.path)
                && (url.isSecure || !cookie.isSecure) && cookie.expiry.map { $0 > now } ?? true
        }
        guard !sent.isEmpty else { return nil }
        let ordered = sent.enumerated().sorted { a, b in
            (-a.element.path.utf8.count, a.offset) < (-b.element.path.utf8.count, b.offset)
        }
        return ordered.map { $0.element.name.isEmpty ? $0.element.value : "\($0.element.name)=\($0.element.value)" }
            .joined(separator: "; ")
    }

    /// Returns whether a request path matches a cookie's path (RFC 6265, 5.1.4).
    private static func path(_ path: String, isIn folder: String) -> Bool {
        guard path.hasPrefix(folder) else { return false }
        return path.utf8.count == folder.utf8.count || folder.hasSuffix("/")
            || path.utf8.dropFirst(folder.utf8.count).first == UInt8(ascii: "/")
    }
}

extension CookieStore {
    /// Parses a `Set-Cookie` header (RFC 6265, 5.2). Returns `nil` when the cookie must not be stored.
    fileprivate static func parse(_ header: String, from url: URLParts, at now: Int64) -> Cookie? {
        guard header.utf8.count <= 2 * maximumSize, isHeaderValue(header) else { return nil }
        let pieces = header.split(separator: ";", omittingEmptySubsequences: false)
        guard let (name, value) = pieces.first.flatMap(pair), !name.isEmpty,
            name.utf8.count + value.utf8.count <= maximumSize
        else { return nil }
        var cookie = Cookie(
            name: name, value: value, host: url.host, path: defaultPath(of: url.path), isSecure: false, expiry: nil)
        var maximumAge: Int64?
        for piece in pieces.dropFirst() {
            let (key, value) = pair(piece) ?? (piece.trimmed, "")
            switch key.lowercased() {
            case "secure": cookie.isSecure = true
            case "path": cookie.path = value.hasPrefix("/") ? value : defaultPath(of: url.path)
            case "domain": guard domain(value, isOf: url.host) else { return nil }
            case "max-age": maximumAge = seconds(value) ?? maximumAge
            case "expires": cookie.expiry = CookieDate.parse(value) ?? cookie.expiry
            default: continue
            }
        }
        // Max-Age takes precedence over Expires (RFC 6265, 5.3, step 3).
        if let maximumAge {
            let (sum, overflows) = now.addingReportingOverflow(maximumAge)
            cookie.expiry = overflows ? .max : sum
        }
        // A secure cookie cannot be set over an insecure connection.
        return cookie.isSecure && !url.isSecure ? nil : cookie
    }

    /// Splits `name=value` and trims white space around both. Returns `nil` without an `=`.
    private static func pair(_ piece: Substring) -> (String, String)? {
        guard let sign = piece.firstIndex(of: "=") else { return nil }
        return (piece[..<sign].trimmed, piece[piece.index(after: sign)...].trimmed)
    }

    /// Parses a number of seconds. A number that does not fit becomes `Int64.max`, or -1 if it is negative.
    private static func seconds(_ text: String) -> Int64? {
        let digits = text.utf8.drop { $0 == UInt8(ascii: "-") }
        guard text.utf8.count - digits.count <= 1, !digits.isEmpty,
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int64(text) ?? (text.hasPrefix("-") ? -1 : .max)
    }

    /// Returns whether a cookie may name this domain: the host itself, or a domain that contains the host.
    private static func domain(_ domain: String, isOf host: String) -> Bool {
        let domain = domain.lowercased().drop { $0 == "." }
        return domain.isEmpty || host == domain || (host.hasSuffix("." + domain) && !isAddress(host))
    }

    private static func isAddress(_ host: String) -> Bool {
        host.contains(":") || host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }
    }

    /// Returns the default cookie path: the request path up to its last slash (RFC 6265, 5.1.4).
    private static func defaultPath(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}

/// Parses dates in cookies (RFC 6265, 5.1.1), with fields in any order and with any separators.
enum CookieDate {
    /// Returns the date in seconds since 1970, or `nil` when the text is not a date.
    static func parse(_ text: String) -> Int64? {
        var (time, day, month, year): ((Int, Int, Int)?, Int?, Int?, Int?)
        let words = text.utf8.split { byte in
            let isWord =
                (0x30...0x3a).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
            return !isWord && byte < 0x7f
        }
        for word in words.prefix(32) {
            let number = leadingNumber(word)
            if time == nil, let found = clock(word) {
                time = found
            } else if day == nil, let number, (1...2).contains(number.digits) {
                day = number.value
            } else if month == nil, let found = self.month(word) {
                month = found
            } else if year == nil, let number, (2...4).contains(number.digits) {
                year = number.value
            }
        }
        guard let time, let day, let month, var year else { return nil }
        if (70...99).contains(year) { year += 1900 } else if year < 70 { year += 2000 }
        guard (1...31).contains(day), year >= 1601, time.0 < 24, time.1 < 60, time.2 < 60 else { return nil }
        return days(year: year, month: month, day: day) * 86400 + Int64(time.0 * 3600 + time.1 * 60 + time.2)
    }

    private static func leadingNumber(_ word: some Collection<UInt8>) -> (value: Int, digits: Int)? {
        let digits = word.prefix { (0x30...0x39).contains($0) }
        guard (1...4).contains(digits.count) else { return nil }
        return (digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }, digits.count)
    }

    private static func clock(_ word: some Collection<UInt8>) -> (Int, Int, Int)? {
        let parts = word.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let numbers = parts.compactMap { leadingNumber($0) }
        guard numbers.count == 3, numbers.allSatisfy({ $0.digits <= 2 }) else { return nil }
        return (numbers[0].value, numbers[1].value, numbers[2].value)
    }

    private static func month(_ word: some Collection<UInt8>) -> Int? {
        let names = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        let start = String(decoding: word.prefix(3), as: UTF8.self).lowercased()
        return names.firstIndex(of: start).map { $0 + 1 }
    }

    /// Returns the days from 1970 to a Gregorian date. Years are counted from March, so that a leap day is the last day
    /// of a year.
    private static func days(year: Int, month: Int, day: Int) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let era = shifted / 400
        let yearOfEra = shifted % 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return Int64(era * 146_097 + dayOfEra - 719_468)
    }
}

/// The cookies of one session with one server, shared by its requests. They are kept in memory only and never shown.
/// Any thread.
package final class CookieJar: Sendable {
    private let store = Monitor(CookieStore())

    /// Creates a jar without cookies.
    package init() {}

    /// Stores the cookie of a `Set-Cookie` header.
    func take(_ header: String, from url: URLParts) {
        let now = Int64(time(nil))
        store.change { $0.take(header, from: url, at: now) }
    }

    /// Returns the value of the `Cookie` header for a request to `url`, or `nil` when no cookie matches.
    func header(for url: URLParts) -> String? {
        let now = Int64(time(nil))
        return store.change { $0.header(for: url, at: now) }
    }
}
