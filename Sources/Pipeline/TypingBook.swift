import Events
import Wire

/// The users who are typing, and until when each is believed to be.
///
/// The book is bounded: if more than `maximum` users type, it drops the one who started first.
struct TypingBook: Sendable {
    /// A user who is typing somewhere.
    struct Typist: Hashable, Sendable {
        var user: EntityID
        var name: String?
        var channel: EntityID
        /// The thread; `nil` for the channel itself.
        var thread: EntityID?
        var until: Moment
    }

    static let maximum = 100

    /// The typists in the order they started.
    private var typists: [Typist] = []
    /// The time at which the next typist expires.
    private(set) var deadline: Moment?

    var isEmpty: Bool { typists.isEmpty }

    /// Returns the users who type in a place, in the order they started.
    func names(in channel: EntityID, _ thread: EntityID?) -> [String] {
        typists.filter { $0.channel == channel && $0.thread == thread }.map { $0.name ?? $0.user.description }
    }

    /// Records that a user types; returns whether that is new, and the typist dropped for lack of room.
    mutating func begin(_ typist: Typist) -> (isNew: Bool, dropped: Typist?) {
        defer { renewDeadline() }
        if let index = index(of: typist.user, in: typist.channel, typist.thread) {
            typists[index].until = typist.until
            return (false, nil)
        }
        typists.append(typist)
        return (true, typists.count > Self.maximum ? typists.removeFirst() : nil)
    }

    /// Removes a user who stopped typing; returns `nil` if the user was not typing.
    mutating func end(_ user: EntityID, in channel: EntityID, _ thread: EntityID?) -> Typist? {
        guard let index = index(of: user, in: channel, thread) else { return nil }
        defer { renewDeadline() }
        return typists.remove(at: index)
    }

    /// Removes and returns the typists who have expired, in the order they started.
    mutating func expire(at now: Moment) -> [Typist] {
        guard let deadline, deadline <= now else { return [] }
        let expired = typists.filter { $0.until <= now }
        typists.removeAll { $0.until <= now }
        renewDeadline()
        return expired
    }

    private func index(of user: EntityID, in channel: EntityID, _ thread: EntityID?) -> Int? {
        typists.firstIndex { $0.user == user && $0.channel == channel && $0.thread == thread }
    }

    private mutating func renewDeadline() { deadline = typists.map(\.until).min() }
}
