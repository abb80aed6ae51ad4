package import Wire

/// What is wanted of rooms, as far as patterns say it: rules in the order they were given, of which the last one that matches decides.
///
/// Where none matches, the adoption does: rooms of the backend's own list are joined by themselves, or not.
public struct RoomWishes: Sendable {
    /// One wish.
    package struct Rule: Hashable, Sendable {
        /// Which rooms.
        package var pattern: RoomPattern
        /// Whether they are not wanted.
        package var isExcluded: Bool
        /// Who wishes it.
        package var source: RoomSource
        /// When it ends by itself.
        package var until: Moment?
    }

    /// What becomes of rooms that the backend tells of.
    public enum Adoption: String, Hashable, Sendable, CaseIterable {
        /// They are joined, but for those that were left.
        case all
        /// Those that match a pattern are joined, whenever they appear.
        case matching
        /// Those that match when the rooms are first listed are joined; later ones are not.
        case off
    }

    /// Why a room is wanted, or is not.
    struct Verdict: Hashable {
        var isWanted: Bool
        var source: RoomSource
        /// The rule that decided; nil where none did.
        var rule: Int?
    }

    /// The most rules there are; the oldest that is not the configuration's goes for one more.
    static let mostRules = 1000

    /// The wishes, in order.
    package private(set) var rules: [Rule] { didSet { digest() } }
    /// Whether a rule depends on more than a room's name.
    private(set) var dependsOnFacts = false
    /// When the next rule ends.
    private(set) var deadline: Moment?
    /// What becomes of rooms that no rule is about.
    package let adoption: Adoption
    /// Whether the backend's own list is not asked any more: only what the rules say is wanted.
    package private(set) var isNarrowed = false
    private let configured: [Rule]

    /// What `rooms` of the configuration say.
    init(_ rooms: [String], adoption: Adoption?) {
        configured = rooms.flatMap { RoomExpression(recorded: $0).terms }.map {
            Rule(pattern: $0.pattern, isExcluded: $0.isExcluded, source: .cli)
        }
        rules = configured
        // Exclusions alone are taken from everything.
        self.adoption = adoption ?? (configured.contains { !$0.isExcluded } ? .matching : .all)
        digest()
    }

    /// Both are asked for with every event, however many rules there are.
    private mutating func digest() {
        dependsOnFacts = rules.contains { $0.pattern.dependsOnFacts }
        deadline = rules.lazy.compactMap(\.until).min()
    }

    /// Whether anybody wishes anything.
    var isEmpty: Bool { rules.isEmpty }

    /// Adds the rules of an expression; those of the same patterns and the same wisher go, but for one that lasts where the new one
    /// ends: it decides again then.
    mutating func add(_ expression: RoomExpression, source: RoomSource, until: Moment?, excludes: Bool = false) {
        for term in expression.terms {
            rules.removeAll {
                $0.pattern == term.pattern && $0.source == source && (until == nil || $0.until != nil)
            }
            let isExcluded = term.isExcluded != excludes
            rules.append(Rule(pattern: term.pattern, isExcluded: isExcluded, source: source, until: until))
        }
        while rules.count > Self.mostRules, let oldest = rules.firstIndex(where: { $0.source != .cli }) {
            rules.remove(at: oldest)
        }
    }

    /// Takes back what was wished of exactly this pattern; false when nothing was.
    @discardableResult
    mutating func withdraw(_ pattern: RoomPattern, source: RoomSource) -> Bool {
        let count = rules.count
        rules.removeAll { $0.pattern == pattern && $0.source == source }
        return rules.count < count
    }

    /// Wants nothing but what the expression says.
    mutating func narrow(to expression: RoomExpression, source: RoomSource) {
        rules = []
        isNarrowed = true
        add(expression, source: source, until: nil)
    }

    /// Goes back to what the configuration says, and to what is pinned.
    mutating func reset() {
        rules = configured + rules.filter { $0.source == .pin }
        isNarrowed = false
    }

    /// Drops the rules that have ended; false when none has.
    mutating func expire(at now: Moment) -> Bool {
        let count = rules.count
        rules.removeAll { $0.until.map { $0 <= now } ?? false }
        return rules.count < count
    }

    /// What is made of a room: the backend told of it (`isListed`), and perhaps later than the others (`isLate`).
    func verdict(
        on room: RoomFacts, _ matchers: [RoomMatcher], isListed: Bool, isLate: Bool
    ) -> Verdict {
        for index in rules.indices.reversed() where matchers[index].matches(room) {
            let rule = rules[index]
            let comesTooLate = isLate && rule.pattern.exactName == nil && !rule.isExcluded
            return Verdict(isWanted: !rule.isExcluded && !comesTooLate, source: rule.source, rule: index)
        }
        guard isListed, !isLate else { return Verdict(isWanted: false, source: .list, rule: nil) }
        let isForAll = adoption == .all || (adoption == .off && !configured.contains { !$0.isExcluded })
        return Verdict(isWanted: room.tellsOfRooms || (isForAll && !isNarrowed), source: .list, rule: nil)
    }

    /// The patterns made ready, in the rules' order.
    var matchers: [RoomMatcher] { rules.map { RoomMatcher($0.pattern) } }
}
