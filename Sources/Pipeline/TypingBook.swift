import Events
import Wire

/// Who types where, and until when that is believed.
///
/// Bounded: when more than `maximum` type, whoever began first is let go of.
struct TypingBook: Sendable {
    /// Somebody who types.
    struct Typist: Hashable, Sendable {
        var user: EntityID
        var name: String?
        var channel: EntityID
        /// Nil in the channel itself.
        var thread: EntityID?
        var until: Moment
    }

    static let maximum = 100

    /// In the order they began.
    private var typists: [Typist] = []
    /// When the next one is believed no longer.
    private(set) var deadline: Moment?

    var isEmpty: Bool { typists.isEmpty }

    /// Who types in a place, in the order they began.
    func names(in channel: EntityID, _ thread: EntityID?) -> [String] {
        typists.filter { $0.channel == channel && $0.thread == thread }.map { $0.name ?? $0.user.description }
    }

    /// Somebody types: whether that is new, and who is let go of for want of room.
    mutating func begin(_ typist: Typist) -> (isNew: Bool, dropped: Typist?) {
        defer { renewDeadline() }
        if let index = index(of: typist.user, in: typist.channel, typist.thread) {
            typists[index].until = typist.until
            return (false, nil)
        }
        typists.append(typist)
        return (true, typists.count > Self.maximum ? typists.removeFirst() : nil)
    }

    /// Somebody stopped; nil when they did not type.
    mutating func end(_ user: EntityID, in channel: EntityID, _ thread: EntityID?) -> Typist? {
        guard let index = index(of: user, in: channel, thread) else { return nil }
        defer { renewDeadline() }
        return typists.remove(at: index)
    }

    /// Takes who is not believed any more, the first to begin first.
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
