extension EventGuide.Field {
    /// The members of a value, in the order of the code. What stands behind a shared reference stands here, as it does for readers.
    static func all(of value: Any) -> [Self] {
        let mirror = Mirror(reflecting: value)
        if let only = mirror.children.first, mirror.children.count == 1 {
            let isReference = ["shared", "value", "storage", "box"].contains(only.label ?? "")
            // A case of an enumeration has what it carries as its only child.
            if isReference || mirror.displayStyle == .enum { return all(of: only.value) }
        }
        if mirror.displayStyle == .class, let only = mirror.children.first { return all(of: only.value) }
        return mirror.children.compactMap { child in
            guard let label = child.label, !label.hasPrefix("."), label != "details" else { return nil }
            return Self(name: label, type: typeName("\(Swift.type(of: child.value))"))
        }
    }

    /// What a case of an enumeration carries: its labels, and, where it has none, the case's own name for it.
    static func all(ofCase value: Any) -> [Self] {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .enum, let only = mirror.children.first, let name = only.label else { return [] }
        let carried = Mirror(reflecting: only.value)
        switch carried.displayStyle {
        case .tuple:
            return carried.children.flatMap { child in
                let label = child.label.flatMap { $0.hasPrefix(".") ? nil : $0 }
                return all(of: child.value, named: label ?? name)
            }
        default: return all(of: only.value, named: name)
        }
    }

    /// A value carried under a name: a case of what it is carries on.
    private static func all(of value: Any, named name: String) -> [Self] {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .enum, !mirror.children.isEmpty { return all(ofCase: value) }
        if mirror.displayStyle == .struct, mirror.children.contains(where: { $0.label == "action" || $0.label == "at" })
        {
            return all(of: value)
        }
        return [Self(name: name, type: typeName("\(Swift.type(of: value))"))]
    }

    /// `EntityID?` for `Optional<EntityID>`, `[EntityID]` for `Array<EntityID>`; typed ids by what they are of.
    private static func typeName(_ name: String) -> String {
        for (prefix, before, after) in [("Optional<", "", "?"), ("Array<", "[", "]")]
        where name.hasPrefix(prefix) && name.hasSuffix(">") {
            return before + typeName(String(name.dropFirst(prefix.count).dropLast())) + after
        }
        if name.hasPrefix("ID<"), name.hasSuffix(">") { return String(name.dropFirst(3).dropLast()) + "ID" }
        return name
    }
}
