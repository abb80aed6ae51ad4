public import Wire

extension Access {
    /// A header configured by the user and sent with every request.
    public struct Header: Hashable, Sendable {
        /// The header's name, in any case.
        public var name: String
        /// The header's value. It never appears in output.
        public var value: Secret
        /// Creates a header. Check it first with `Access.problem(withHeader:)` and `Access.isHeaderValueSendable(_:)`.
        public init(name: String, value: Secret) {
            self.name = name
            self.value = value
        }
    }

    /// Returns why `name` cannot be used in `headers`, or `nil` when it can.
    public static func problem(withHeader name: String) -> String? {
        guard isHeaderName(name) else { return "it is not the name of a header" }
        let name = name.lowercased()
        return reserved.contains(name) || name.hasPrefix("sec-websocket-") || name.hasPrefix("proxy-")
            ? "it belongs to the protocol" : nil
    }

    /// Returns whether a value contains only characters allowed in a header (RFC 9110, 5.5).
    public static func isHeaderValueSendable(_ value: Secret) -> Bool { isHeaderValue(value.reveal()) }

    /// The headers, in lower case, that the protocol or its library sets itself.
    private static let reserved: Set<String> = [
        "host", "connection", "upgrade", "content-length", "content-type", "content-encoding", "transfer-encoding",
        "te",
        "trailer", "expect", "keep-alive", "accept-encoding", "http2-settings",
    ]

    /// Returns the headers to send to `url`: the request's `own` headers except those that the user's headers replace,
    /// then the user's headers, then one `Cookie` header.
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
