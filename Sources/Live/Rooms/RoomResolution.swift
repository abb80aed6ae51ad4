package import JSONText
import Pipeline
import Terminal

/// What patterns mean at the moment: which rooms by which pattern, and which patterns mean none.
package struct RoomResolution: Hashable, Sendable {
    /// A room that is meant.
    package struct Found: Hashable, Sendable {
        /// The room as it is now.
        package var row: RoomRow
        /// The pattern that decided.
        package var pattern: String
        /// What a join of it would do: `join`, or `keep` for a room that is wanted already.
        package var effect: String
    }

    /// A pattern that means no room that is known.
    package struct Unmatched: Hashable, Sendable {
        /// The pattern.
        package var pattern: String
        /// A room or a title that it may have meant; untrusted text.
        package var suggestion: String?
    }

    /// The rooms, in the order they are listed.
    package var found: [Found] = []
    /// The patterns, in their order.
    package var unmatched: [Unmatched] = []

    /// Looks at rooms with their facts. A room that is named and not among them is made by `unknown`.
    init(of expression: RoomExpression, among rooms: [(RoomFacts, RoomRow)], unknown: (String) -> RoomRow) {
        let terms = expression.terms.map { (term: $0, alone: RoomExpression([.init($0.pattern)])) }
        var matched = Set<Int>()
        for (facts, row) in rooms {
            let hits = terms.indices.filter { terms[$0].alone.matches(facts) }
            matched.formUnion(hits)
            guard let last = hits.last, !terms[last].term.isExcluded else { continue }
            found.append(
                Found(
                    row: row, pattern: terms[last].term.pattern.description,
                    effect: row.want == "yes" ? "keep" : "join"))
        }
        for index in terms.indices where !matched.contains(index) {
            let pattern = terms[index].term.pattern
            let suggestion = Self.suggestion(for: pattern, among: rooms.map(\.0))
            if let name = pattern.exactName, !terms[index].term.isExcluded, suggestion == nil {
                found.append(Found(row: unknown(name), pattern: pattern.description, effect: "join"))
            } else {
                unmatched.append(Unmatched(pattern: pattern.description, suggestion: suggestion))
            }
        }
    }

    private static func suggestion(for pattern: RoomPattern, among rooms: [RoomFacts]) -> String? {
        switch pattern {
        case .exact(let name):
            if let title = rooms.first(where: { $0.title == name })?.title { return "#" + title }
            return Suggestion.nearest(to: name, among: rooms.map(\.name))
        case .title(let title):
            let titles = rooms.compactMap(\.title)
            return Suggestion.nearest(to: title.lowercased(), among: titles.map { $0.lowercased() }).flatMap { near in
                titles.first { $0.lowercased() == near }
            }.map { "#" + $0 }
        case .glob, .expression, .selector, .set, .group: return nil
        }
    }

    /// Writes it as an object of two lists.
    package func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("rooms")
        writer.beginArray()
        for found in found {
            writer.beginObject()
            writer.member("pattern", found.pattern)
            writer.member("effect", found.effect)
            writer.key("room")
            found.row.encode(into: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.key("unmatched")
        writer.beginArray()
        for unmatched in unmatched {
            writer.beginObject()
            writer.member("pattern", unmatched.pattern)
            writer.member("suggestion", unmatched.suggestion)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    /// Reads what `encode` wrote; nil for something else.
    package init?(_ value: JSONValue) {
        guard case .array(let rooms)? = value["rooms"], case .array(let others)? = value["unmatched"] else {
            return nil
        }
        for room in rooms {
            guard case .string(let pattern)? = room["pattern"], case .string(let effect)? = room["effect"],
                let row = room["room"].flatMap({ RoomRow($0) })
            else { continue }
            found.append(Found(row: row, pattern: pattern, effect: effect))
        }
        for other in others {
            guard case .string(let pattern)? = other["pattern"] else { continue }
            var suggestion: String?
            if case .string(let text)? = other["suggestion"] { suggestion = text }
            unmatched.append(Unmatched(pattern: pattern, suggestion: suggestion))
        }
    }
}
