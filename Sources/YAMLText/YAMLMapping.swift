import JSONText

/// Gathers the members of a mapping.
struct YAMLMapping {
    private(set) var members: [YAMLNode.Member] = []
    private var firsts: [String: YAMLPosition] = [:]

    /// Adds a member, or says what is wrong with its key.
    mutating func add(_ key: YAMLNode, _ value: YAMLNode, _ error: inout YAMLError) {
        guard let name = key.text else {
            return error.add("a key must be a text, not a list or a mapping", at: key.position)
        }
        if let first = firsts[name] {
            return error.add("duplicate key \(shown(name)); the first is at \(first)", at: key.position)
        }
        firsts[name] = key.position
        members.append(YAMLNode.Member(key: key, value: value))
    }
}

/// Text of a stranger, for a message: in quotes, shortened, inert on a terminal.
func shown(_ text: String) -> String {
    let short = text.unicodeScalars.prefix(40)
    var writer = JSONWriter()
    writer.string(String(short) + (short.endIndex < text.unicodeScalars.endIndex ? "…" : ""))
    return "'\(String(decoding: writer.bytes.dropFirst().dropLast(), as: UTF8.self))'"
}
