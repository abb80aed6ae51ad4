import Pipeline
import Wire

/// Rooms that are joined and recorded and that the view does not show. Pure.
struct RoomMutes {
    /// The most patterns that are kept; the oldest goes for one more.
    static let mostRules = 256

    private struct Rule {
        var term: RoomExpression.Term
        var until: Moment?
    }

    private var rules: [Rule] = []

    /// When the next one ends.
    var deadline: Moment? { rules.compactMap(\.until).min() }

    var isEmpty: Bool { rules.isEmpty }

    /// Hides what the expression means, or shows it again; of several that match a room the last one decides.
    mutating func add(_ expression: RoomExpression, until: Moment?, isMuted: Bool) {
        for term in expression.terms {
            rules.removeAll { $0.term.pattern == term.pattern }
            let isExcluded = term.isExcluded == isMuted
            // What nothing hides need not be shown again.
            if isExcluded, rules.allSatisfy(\.term.isExcluded), until == nil { continue }
            rules.append(Rule(term: .init(term.pattern, isExcluded: isExcluded), until: until))
        }
        if rules.count > Self.mostRules { rules.removeFirst(rules.count - Self.mostRules) }
    }

    /// What lasts, each as it is written down, in order.
    var lasting: [String] { rules.filter { $0.until == nil }.map { Self.written($0.term) } }

    /// What hides, or does not, what was written down.
    private static func written(_ term: RoomExpression.Term) -> String {
        (term.isExcluded ? "-" : "") + term.pattern.description
    }

    /// Drops what has ended.
    mutating func expire(at now: Moment) { rules.removeAll { $0.until.map { $0 <= now } ?? false } }

    /// Whether the view hides a room.
    func isMuted(_ room: RoomFacts) -> Bool {
        !rules.isEmpty && RoomExpression(rules.map(\.term)).matches(room)
    }
}
