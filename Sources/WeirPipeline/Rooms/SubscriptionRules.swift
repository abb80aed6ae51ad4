package import WeirWire

/// The rooms that are wanted, as far as patterns determine it: rules in the order they were given. The last rule that
/// matches a room decides.
///
/// If no rule matches, the adoption decides: the session joins the rooms of the backend's own list by itself, or does
/// not.
public struct SubscriptionRules: Sendable {
    /// A wish for the rooms of a pattern, or against them.
    package struct Rule: Hashable, Sendable {
        /// The pattern that selects the rooms.
        package var pattern: RoomPattern
        /// Whether the rule excludes the rooms.
        package var isExcluded: Bool
        /// The origin of the wish.
        package var source: RoomSource
        /// The time at which the rule expires; `nil` for never.
        package var until: Moment?
    }

    /// The treatment of rooms that the backend lists.
    public enum Adoption: String, Hashable, Sendable, CaseIterable {
        /// Listed rooms are joined, except for those that were left.
        case all
        /// Listed rooms that match a pattern are joined, whenever they appear.
        case matching
        /// Rooms that match when the backend first lists its rooms are joined. Rooms listed later are not.
        case off
    }

    /// The decision on a room, and its reason.
    struct Verdict: Hashable {
        var isWanted: Bool
        var source: RoomSource
        /// The index of the rule that decided; `nil` if none did.
        var rule: Int?
    }

    /// The maximum number of rules. Beyond it, the oldest rule that is not from the configuration is dropped.
    static let mostRules = 1000

    /// The rules, in the order they were given.
    package private(set) var rules: [Rule] { didSet { digest() } }
    /// Whether a rule depends on more than a room's name.
    private(set) var dependsOnFacts = false
    /// The time at which the next rule expires.
    private(set) var deadline: Moment?
    /// The treatment of listed rooms that no rule matches.
    package let adoption: Adoption
    /// Whether the rules alone decide, without the backend's own list.
    package private(set) var isNarrowed = false
    private let configured: [Rule]

    /// Creates the wishes of a configuration.
    ///
    /// - Parameters:
    ///   - rooms: The room expressions of the configuration.
    ///   - adoption: The treatment of listed rooms; `nil` for `matching` if an expression includes rooms, and for `all`
    ///     otherwise.
    init(_ rooms: [String], adoption: Adoption?) {
        configured = rooms.flatMap { RoomExpression(recorded: $0).terms }.map {
            Rule(pattern: $0.pattern, isExcluded: $0.isExcluded, source: .cli)
        }
        rules = configured
        // Exclusions alone apply to all rooms.
        self.adoption = adoption ?? (configured.contains { !$0.isExcluded } ? .matching : .all)
        digest()
    }

    /// Updates the derived properties. The session reads both with every event, however many rules there are.
    private mutating func digest() {
        dependsOnFacts = rules.contains { $0.pattern.dependsOnFacts }
        deadline = rules.lazy.compactMap(\.until).min()
    }

    /// Whether there are no rules at all.
    var isEmpty: Bool { rules.isEmpty }

    /// Adds the rules of an expression, and removes older rules with the same pattern and source. An older permanent
    /// rule remains under a temporary one, and decides again when that expires.
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

    /// Removes the rules for exactly this pattern from a source.
    mutating func withdraw(_ pattern: RoomPattern, source: RoomSource) {
        rules.removeAll { $0.pattern == pattern && $0.source == source }
    }

    /// Replaces all rules by those of the expression, and ignores the backend's list.
    mutating func narrow(to expression: RoomExpression, source: RoomSource) {
        rules = []
        isNarrowed = true
        add(expression, source: source, until: nil)
    }

    /// Returns to the rules of the configuration, and to those of pinned rooms.
    mutating func reset() {
        rules = configured + rules.filter { $0.source == .pin }
        isNarrowed = false
    }

    /// Removes the rules that have expired; returns `false` if there were none.
    mutating func expire(at now: Moment) -> Bool {
        let count = rules.count
        rules.removeAll { $0.until.map { $0 <= now } ?? false }
        return rules.count < count
    }

    /// Returns the verdict on a room. `isListed` is `true` if the backend lists the room, `isLate` if it did so too
    /// late to be adopted.
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

    /// The compiled patterns, in the order of the rules.
    var matchers: [RoomMatcher] { rules.map { RoomMatcher($0.pattern) } }
}
