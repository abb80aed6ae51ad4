public import Events

/// Somebody begins to type, or types no more.
///
/// Typing is told and never kept: no server stores it, so that it is no row of the model, and stands in no diff log, no
/// checksum and no store. It always ends: by the user's word, by their message, or by time.
public struct TypingReport: Hashable, Sendable {
    /// What happened.
    public enum Change: String, Hashable, Sendable, CaseIterable {
        /// The user begins.
        case started
        /// The user says that they stopped, or sent what they typed.
        case stopped
        /// Nothing was heard of it for too long, or too many type.
        case expired
    }

    /// What happened.
    public var change: Change
    /// Who.
    public var user: EntityID
    /// Who, for people; untrusted text. Nil when nobody said.
    public var name: String?
    /// Where.
    public var channel: EntityID
    /// Where, for people; untrusted text. Nil for a channel without a name.
    public var channelName: String?
    /// In which thread of the channel; nil in the channel itself.
    public var thread: EntityID?
    /// Who types there now, in the order they began: names, or ids of users without one. Untrusted texts.
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
