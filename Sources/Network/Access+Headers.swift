public import Wire

extension Access {
    /// A header of the user's own, sent with every request.
    public struct Header: Hashable, Sendable {
        /// Its name.
        public var name: String
        /// Its value, which is shown nowhere.
        public var value: Secret
        /// A header.
        public init(name: String, value: Secret) {
            self.name = name
            self.value = value
        }
    }

    /// Why a header cannot be one of `headers`; nil when it can.
    public static func problem(withHeader name: String) -> String? {
        guard isHeaderName(name) else { return "it is not the name of a header" }
        let name = name.lowercased()
        return reserved.contains(name) || name.hasPrefix("sec-websocket-") || name.hasPrefix("proxy-")
            ? "it belongs to the protocol" : nil
    }

    /// Whether a value can be sent.
    public static func isHeaderValueSendable(_ value: Secret) -> Bool { isHeaderValue(value.reveal()) }

    /// What the protocol, or the library that speaks it, says by itself.
    private static let reserved: Set<String> = [
        "host", "connection", "upgrade", "content-length", "content-type", "content-encoding", "transfer-encoding",
        "te",
        "trailer", "expect", "keep-alive", "accept-encoding", "http2-settings",
    ]

    /// The headers of a request: its `own` save those the user's replace, the user's, and the cookies.
    func headers(for url: URLParts, own: [(name: String, value: String)]) -> [(name: String, value: String)] {
        let replaced = Set(headers.map { $0.name.lowercased() })
        var all = own.filter { !replaced.contains($0.name.lowercased()) }
        var cookies: [String] = []
        for header in headers {
            if header.name.lowercased() == "cookie" {
                cookies.append(header.value.reveal())
            } else {
                all.append((header.name, header.value.reveal()))
            }
        }
        if let kept = self.cookies?.header(for: url) { cookies.append(kept) }
        if !cookies.isEmpty { all.append(("Cookie", cookies.joined(separator: "; "))) }
        return all
    }
}
