/// A condition of a selector, such as `kind=direct` or `unread>0`.
package struct RoomSelector: Hashable, Sendable, CustomStringConvertible {
    /// The properties that a condition can test.
    enum Field: String, CaseIterable {
        case kind, title, id, unread, company, workspace
    }

    /// The comparisons. Longer ones come first, because they begin with shorter ones.
    enum Comparison: String, CaseIterable {
        case isNot = "!="
        case atLeast = ">="
        case atMost = "<="
        case equals = "="
        case above = ">"
        case below = "<"
    }

    private let field: Field
    private let comparison: Comparison
    private let value: RoomGlob

    /// The condition as it is written.
    package var description: String { field.rawValue + comparison.rawValue + value.text }

    /// The names of all fields, for error messages.
    static var fieldNames: [String] { Field.allCases.map(\.rawValue) }

    /// Returns whether `text` begins like a selector: a lower-case word and a comparison.
    static func isLike(_ text: Substring) -> Bool {
        let word = text.prefix { ("a"..."z").contains($0) }
        guard !word.isEmpty else { return false }
        return Comparison.allCases.contains { text[word.endIndex...].hasPrefix($0.rawValue) }
    }

    /// Parses a single condition of a selector.
    init(parsing text: Substring) throws(RoomPatternError) {
        let word = text.prefix { ("a"..."z").contains($0) }
        let rest = text[word.endIndex...]
        guard let comparison = Comparison.allCases.first(where: { rest.hasPrefix($0.rawValue) }) else {
            throw RoomPatternError("invalid condition \(text); write it like kind=direct or unread>0")
        }
        guard let field = Field(rawValue: String(word)) else {
            throw RoomPatternError(
                "rooms have no field \(word): one of \(Self.fieldNames.joined(separator: ", "))", word: String(word),
                among: Self.fieldNames)
        }
        let value = String(rest.dropFirst(comparison.rawValue.count))
        if field == .unread {
            guard Int(value) != nil else { throw RoomPatternError("unread is compared with a whole number: \(text)") }
        } else {
            guard comparison == .equals || comparison == .isNot else {
                throw RoomPatternError("\(field.rawValue) is compared with = or !=: \(text)")
            }
        }
        self.field = field
        self.comparison = comparison
        self.value = RoomGlob(value)
    }

    func matches(_ room: RoomFacts) -> Bool {
        switch field {
        case .unread: return matches(count: room.unread ?? 0)
        case .kind: return matches(text: room.kind)
        case .title: return matches(text: room.title ?? "")
        case .id: return matches(text: room.name)
        case .company: return matches(text: room.company ?? "")
        case .workspace: return matches(text: room.workspace ?? "")
        }
    }

    private func matches(text: String) -> Bool { value.matches(text) == (comparison == .equals) }

    private func matches(count: Int) -> Bool {
        guard let other = Int(value.text) else { return false }
        return switch comparison {
        case .isNot: count != other
        case .atLeast: count >= other
        case .atMost: count <= other
        case .equals: count == other
        case .above: count > other
        case .below: count < other
        }
    }
}
