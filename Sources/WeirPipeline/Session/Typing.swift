public import WeirEvents
import WeirWire

/// A report that a user starts or stops typing.
///
/// Typing is reported and never stored. No server stores it, so it is not a row of the model and appears in no diff
/// log, checksum or store. It always ends: by an event, by the user's message, or after a time.
public struct TypingReport: Hashable, Sendable {
    /// The ways in which typing changes.
    public enum Change: String, Hashable, Sendable, CaseIterable {
        /// The user has started to type.
        case started
        /// The user stopped typing, or sent what they typed.
        case stopped
        /// The server sent nothing about it for too long, or too many users are typing.
        case expired
    }

    /// The way in which typing changed.
    public var change: Change
    /// The id of the user.
    public var user: EntityID
    /// The name of the user, for people; `nil` if it is unknown. Untrusted text.
    public var name: String?
    /// The channel in which the user types.
    public var channel: EntityID
    /// The name of the channel, for people; `nil` if it has none. Untrusted text.
    public var channelName: String?
    /// The thread of the channel; `nil` for the channel itself.
    public var thread: EntityID?
    /// All users who now type in that place, in the order they started: names, or ids for users without one. Untrusted
    /// text.
    public var typing: [String]

    package init(
        change: Change, user: EntityID, name: String?, channel: EntityID, channelName: String?, thread: EntityID?,
        typing: [String]
    ) {
        self.change = change
        self.user = user
        self.name = name
        self.channel = channel
        self.channelName = channelName
        self.thread = thread
        self.typing = typing
    }
}

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
