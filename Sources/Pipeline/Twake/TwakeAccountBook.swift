import Events

/// The users whose accounts were requested.
///
/// A user is requested once a session, when first seen, and again when an event reports a change. Users without an
/// account are requested again with each full look at the server.
///
/// Bounded: the book holds the first `maximum` users. Users seen later appear only as their messages name them.
struct TwakeAccountBook: Sendable {
    static let maximum = 1_000
    /// The maximum number of users in one request of era B.
    private static let batch = 50
    /// The maximum length of a user id, in bytes. A longer one is made up by a peer and is ignored.
    private static let longestID = 100

    private var asked: Set<EntityID> = []

    /// Returns the requests for the users who are new, in the order in which they were seen.
    mutating func take(_ seen: [EntityID], _ era: TwakeEra) -> [TwakeResource] {
        var new: [EntityID] = []
        for user in seen where asked.count < Self.maximum && Self.isPlausible(user) {
            if asked.insert(user).inserted { new.append(user) }
        }
        return Self.resources(for: new, era)
    }

    /// Splits users into groups that fit into one request of era B.
    static func batches(of users: [EntityID]) -> [[EntityID]] {
        stride(from: 0, to: users.count, by: batch).map { Array(users[$0..<min($0 + batch, users.count)]) }
    }

    /// Returns the requests for the accounts of `users`, whether they are in the book or not.
    static func resources(for users: [EntityID], _ era: TwakeEra) -> [TwakeResource] {
        // The proxy has no call that lists users by their ids.
        (era == .a ? users.map { [$0] } : batches(of: users)).map { .accounts(era, $0) }
    }

    /// Records a user whose account arrived without a request.
    ///
    /// - Returns: Whether the user is in the book; `false` when it is full.
    mutating func know(_ user: EntityID) -> Bool {
        guard asked.contains(user) || asked.count < Self.maximum else { return false }
        asked.insert(user)
        return true
    }

    /// Whether the user's account was requested or arrived.
    func knows(_ user: EntityID) -> Bool { asked.contains(user) }

    /// Forgets up to one batch of the users that satisfy `isMissing`, so that they can be requested once more.
    mutating func forgetSome(where isMissing: (EntityID) -> Bool) {
        asked.subtract(asked.filter(isMissing).sorted().prefix(Self.batch))
    }

    private static func isPlausible(_ user: EntityID) -> Bool {
        if case .text(let text) = user { !text.isEmpty && text.utf8.count <= longestID } else { true }
    }
}
