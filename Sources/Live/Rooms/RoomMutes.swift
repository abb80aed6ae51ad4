import Pipeline
import Wire

/// The rules that hide joined and recorded rooms from the view.
struct RoomMutes {
    /// The maximum number of rules. One more removes the oldest.
    static let mostRules = 256

    private struct Rule {
        var term: RoomExpression.Term
        var until: Moment?
    }

    private var rules: [Rule] = []

    /// The time at which the next rule expires.
    var deadline: Moment? { rules.compactMap(\.until).min() }

    var isEmpty: Bool { rules.isEmpty }

    /// Adds a rule that hides the matching rooms or shows them again. The last rule that matches a room decides.
    mutating func add(_ expression: RoomExpression, until: Moment?, isMuted: Bool) {
        for term in expression.terms {
            rules.removeAll { $0.term.pattern == term.pattern }
            let isExcluded = term.isExcluded == isMuted
            // A room that no rule hides need not be shown again.
            if isExcluded, rules.allSatisfy(\.term.isExcluded), until == nil { continue }
            rules.append(Rule(term: .init(term.pattern, isExcluded: isExcluded), until: until))
        }
        if rules.count > Self.mostRules { rules.removeFirst(rules.count - Self.mostRules) }
    }

    /// The rules without an end, in the notation of patterns, in order.
    var lasting: [String] { rules.filter { $0.until == nil }.map { Self.written($0.term) } }

    /// Returns the pattern of a rule, with a minus sign if the rule shows rooms.
    private static func written(_ term: RoomExpression.Term) -> String {
        (term.isExcluded ? "-" : "") + term.pattern.description
    }

    /// Removes the rules that have expired by `now`.
    mutating func expire(at now: Moment) { rules.removeAll { $0.until.map { $0 <= now } ?? false } }

    /// Whether the view hides a room.
    func isMuted(_ room: RoomFacts) -> Bool {
        !rules.isEmpty && RoomExpression(rules.map(\.term)).matches(room)
    }
}
