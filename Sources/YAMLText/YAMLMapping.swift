import JSONText

/// Collects the members of a mapping.
struct YAMLMapping {
    private var own: [YAMLNode.Member] = []
    private var firsts: [String: YAMLPosition] = [:]
    /// The members of merged mappings, each with the index of the own member that it precedes.
    private var merged: [(place: Int, members: [YAMLNode.Member])] = []

    /// All members, own and merged.
    ///
    /// Merged members take the place of their `<<`. A key of the mapping itself overrides a merged one, and the first
    /// of several merged ones wins.
    var members: [YAMLNode.Member] {
        guard !merged.isEmpty else { return own }
        var (all, taken) = ([YAMLNode.Member](), Set(firsts.keys))
        var rest = own[...]
        for (place, members) in merged {
            all += rest.prefix(place - rest.startIndex)
            rest = own[place...]
            all += members.filter { taken.insert($0.key.text ?? "").inserted }
        }
        return all + rest
    }

    /// Adds a member, or adds an error about its key.
    mutating func add(_ key: YAMLNode, _ value: YAMLNode, _ error: inout YAMLError) {
        if case .scalar("<<", .plain) = key.value { return merge(value, &error) }
        guard let name = key.text else {
            return error.add("a key must be a text, not a list or a mapping", at: key.position)
        }
        if let first = firsts[name] {
            return error.add("duplicate key \(shown(name)); the first is at \(first)", at: key.position)
        }
        firsts[name] = key.position
        own.append(YAMLNode.Member(key: key, value: value))
    }

    /// Merges the members of a mapping, or of each mapping in a sequence (the merge key of YAML 1.1).
    private mutating func merge(_ value: YAMLNode, _ error: inout YAMLError) {
        let values = if case .sequence(let elements) = value.value { elements } else { [value] }
        for value in values {
            guard case .mapping(let members) = value.value else {
                error.add("'<<' merges a mapping, most often an alias of one", at: value.position)
                continue
            }
            merged.append((own.count, members))
        }
    }
}

/// Returns untrusted text in a form for messages: quoted, shortened to 40 characters, and safe to print on a terminal.
func shown(_ text: String) -> String {
    let short = text.unicodeScalars.prefix(40)
    var writer = JSONWriter()
    writer.string(String(short) + (short.endIndex < text.unicodeScalars.endIndex ? "…" : ""))
    return "'\(String(decoding: writer.bytes.dropFirst().dropLast(), as: UTF8.self))'"
}
