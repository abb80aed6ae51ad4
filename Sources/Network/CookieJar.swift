import Glibc

/// The cookies of one session with one server, shared by its requests. They are kept in memory only and never shown.
/// Any thread.
public final class CookieJar: Sendable {
    private let store = Monitor(CookieStore())

    /// Creates a jar without cookies.
    public init() {}

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
