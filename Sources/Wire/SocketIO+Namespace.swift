extension SocketIO {
    /// The name of a namespace that may be given with a query or without its slash.
    public static func namespaceName(_ address: String) -> String { NamespaceAddress(address).name }

    /// A namespace as CONNECT names it over Engine.IO 3: a name and perhaps a query, `/admin?token=1` (1.10).
    struct NamespaceAddress: Hashable, Sendable {
        var name: String
        var query: Substring?

        /// Name and query, as sent.
        var text: String { query.map { "\(name)?\($0)" } ?? name }

        init(_ text: String) {
            let name = text.prefix { $0 != "?" }
            self.name = name.isEmpty ? "/" : name.hasPrefix("/") ? String(name) : "/" + name
            query = name.endIndex == text.endIndex ? nil : text[name.endIndex...].dropFirst()
        }
    }
}
