package import JSONText
import Pipeline
import Terminal

/// The current meaning of patterns: the rooms that each pattern matches, and the patterns that match no room.
package struct RoomResolution: Hashable, Sendable {
    /// A room that a pattern matches.
    package struct Found: Hashable, Sendable {
        /// The current state of the room.
        package var row: RoomRow
        /// The last pattern that matches the room.
        package var pattern: String
        /// The effect of a join: `join`, or `keep` for a room that is already wanted.
        package var effect: String
    }

    /// A pattern that matches no known room.
    package struct Unmatched: Hashable, Sendable {
        /// The pattern, as the user wrote it.
        package var pattern: String
        /// The name or title of a room that the user may have meant. Untrusted text.
        package var suggestion: String?
    }

    /// The matched rooms, in the order of the room list.
    package var found: [Found] = []
    /// The patterns without a match, in the order of the expression.
    package var unmatched: [Unmatched] = []

    /// Matches an expression against rooms. `unknown` creates the row of a room that the expression names exactly and
    /// that is not among `rooms`.
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

    /// Writes the resolution as an object of two arrays.
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

    /// Creates a resolution from the JSON that `encode` wrote, or returns `nil` for anything else.
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
