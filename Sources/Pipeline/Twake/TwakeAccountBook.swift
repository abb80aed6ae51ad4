import Events

/// Whose accounts were asked for. A user is asked for once a session, when first seen, and again when an event says that they changed; of
/// whoever there was no account, with each full look.
///
/// Bounded: accounts of the first `maximum` users are kept; whoever comes later is shown as their messages name them.
struct TwakeAccountBook: Sendable {
    static let maximum = 1_000
    /// Users asked for in one request (era B).
    private static let batch = 50
    /// An id longer than this is nobody's: what a peer makes up is not kept.
    private static let longestID = 100

    private var asked: Set<EntityID> = []

    /// What is to be asked for, of the users who were seen, in the order they were.
    mutating func take(_ seen: [EntityID], _ era: TwakeEra) -> [TwakeResource] {
        var new: [EntityID] = []
        for user in seen where asked.count < Self.maximum && Self.isPlausible(user) {
            if asked.insert(user).inserted { new.append(user) }
        }
        return Self.resources(for: new, era)
    }

    /// So many users at a time as one request of era B is for.
    static func batches(of users: [EntityID]) -> [[EntityID]] {
        stride(from: 0, to: users.count, by: batch).map { Array(users[$0..<min($0 + batch, users.count)]) }
    }

    /// What asks for users, known or not.
    static func resources(for users: [EntityID], _ era: TwakeEra) -> [TwakeResource] {
        // The proxy knows no list of users by their ids.
        (era == .a ? users.map { [$0] } : batches(of: users)).map { .accounts(era, $0) }
    }

    /// The user is known without being asked for; false when there is no room for another one.
    mutating func know(_ user: EntityID) -> Bool {
        guard asked.contains(user) || asked.count < Self.maximum else { return false }
        asked.insert(user)
        return true
    }

    /// Whether the user was asked for.
    func knows(_ user: EntityID) -> Bool { asked.contains(user) }

    /// Some of those who `isMissing`, of whom nothing was answered, may be asked for once more.
    mutating func forgetSome(where isMissing: (EntityID) -> Bool) {
        asked.subtract(asked.filter(isMissing).sorted().prefix(Self.batch))
    }

    private static func isPlausible(_ user: EntityID) -> Bool {
        if case .text(let text) = user { !text.isEmpty && text.utf8.count <= longestID } else { true }
    }
}
