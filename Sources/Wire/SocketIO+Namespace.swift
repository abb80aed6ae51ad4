import JSONText

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

extension SocketIO.Event {
    /// The event in bytes of its own, so that keeping it does not keep the chunk it arrived in.
    var detached: SocketIO.Event {
        var copy = self
        let start = array.bytes.startIndex
        copy.array = RawJSON(unchecked: ArraySlice(Array(array.bytes)))
        copy.arguments = arguments.map { $0.lowerBound - start..<$0.upperBound - start }
        copy.attachments = attachments.map { ArraySlice(Array($0)) }
        return copy
    }

    /// Bytes it holds, near enough for a bound.
    var weight: Int { attachments.reduce(array.bytes.count + 100) { $0 + $1.count } }
}
