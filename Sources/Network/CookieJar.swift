import Glibc

/// The cookies of one session with one server, shared by its requests; in memory only, and never shown. Any thread.
public final class CookieJar: Sendable {
    private let store = Monitor(CookieStore())

    /// An empty jar.
    public init() {}

    /// Takes a Set-Cookie header.
    func take(_ header: String, from url: URLParts) {
        let now = Int64(time(nil))
        store.change { $0.take(header, from: url, at: now) }
    }

    /// The value of the Cookie header; nil when no cookie is for this URL.
    func header(for url: URLParts) -> String? {
        let now = Int64(time(nil))
        return store.change { $0.header(for: url, at: now) }
    }
}
