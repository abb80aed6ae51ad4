import JSONText

extension SocketIO {
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
        return copy
    }
}

extension RawJSON {
    /// Whether this is an object with a string called `sid`, as the CONNECT answer of Engine.IO 4 is.
    var hasSessionID: Bool {
        do throws(JSONError) {
            var reader = JSONReader(bytes.span)
            guard try reader.peek() == .object else { return false }
            try reader.beginObject()
            while let key = try reader.nextKey() {
                if reader.matches(key, "sid") { return try reader.peek() == .string }
                try reader.skip()
            }
            return false
        } catch {
            return false
        }
    }
}
