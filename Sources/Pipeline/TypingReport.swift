public import Events

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
