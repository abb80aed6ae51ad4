extension SocketIO {
    /// Returns the name of a namespace from an address that may have a query or lack the slash.
    public static func namespaceName(_ address: String) -> String { NamespaceAddress(address).name }

    /// The address of a namespace in a CONNECT over Engine.IO 3: a name and perhaps a query, `/admin?token=1`
    /// (Socket.IO SIO-9).
    struct NamespaceAddress: Hashable, Sendable {
        var name: String
        var query: Substring?

        /// The name and the query, as sent.
        var text: String { query.map { "\(name)?\($0)" } ?? name }

        init(_ text: String) {
            let name = text.prefix { $0 != "?" }
            self.name = name.isEmpty ? "/" : name.hasPrefix("/") ? String(name) : "/" + name
            query = name.endIndex == text.endIndex ? nil : text[name.endIndex...].dropFirst()
        }
    }
}
