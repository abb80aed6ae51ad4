extension GroupMe {
    /// A fact that an event establishes, whichever of its frames reports it. A deletion, an edit and a pin are each
    /// reported twice if both channels are subscribed; the two reports are one fact (GroupMe GM-23).
    public enum Fact: Hashable, Sendable {
        /// A message was sent, or was sent before and is repeated.
        case said(Message)
        /// A message was deleted from its conversation.
        case deleted(MessageID, in: ConversationID, Message.Deletion)
        /// A message was edited: its new text and, if sent, its new attachments.
        case edited(MessageID, in: ConversationID, at: Timestamp?, text: String?, attachments: [Attachment]?)
        /// A message was pinned; the pin is `nil` if the message was unpinned.
        case pinned(MessageID, in: ConversationID, Message.Pin?)
        /// The complete reactions to a message; `nil` if they were not sent and must be fetched.
        case reacted(MessageID, in: ConversationID, [Reaction]?)
        /// The members of a group, or their names in it, changed. Only the roster shows how.
        case membersChanged(GroupID)
        /// The settings or the topics of a group changed.
        case groupChanged(GroupID)
        /// The user is in the group now.
        case joined(Group)
        /// The user is no longer in the group.
        case left(GroupID)
        /// A user read a direct up to a message.
        case read(ReadReceipt)
    }
}

extension GroupMe.Push {
    /// The facts that the push establishes, in order. Empty for transient events such as typing, and for unknown ones.
    public var facts: [GroupMe.Fact] {
        switch content {
        case .line(let message), .direct(let message): [.said(message)] + message.facts
        case .liked(let reacting), .favorite(let reacting), .unliked(let reacting), .reaction(let reacting):
            [.reacted(reacting.message.id, in: reacting.message.conversation, reacting.reactions)]
        case .added(let group): [.joined(group)]
        case .removed(let group): [.left(group)]
        case .group(let group): [.groupChanged(group.id)]
        case .deleted(let message):
            [.deleted(message.id, in: message.conversation, (message.deletion ?? .init()).inSeconds)]
        case .updated(let message):
            [
                .edited(
                    message.id, in: message.conversation, at: message.updatedAt, text: message.text,
                    attachments: message.attachments)
            ]
        case .read(let receipt): [.read(receipt)]
        case .typing, .ping, .subscribed, .unknown: []
        }
    }
}

extension GroupMe.Message {
    /// The facts that a message of the server establishes about anything but itself.
    fileprivate var facts: [GroupMe.Fact] {
        guard let occurrence else { return [] }
        switch occurrence {
        case .membership: return conversation.group.map { [.membersChanged($0)] } ?? []
        case .group(.role, _), .group(.owner, _):
            // Roles are reported for the group and stored in its roster.
            return conversation.group.map { [.membersChanged($0), .groupChanged($0)] } ?? []
        case .group, .topic: return conversation.group.map { [.groupChanged($0)] } ?? []
        case .message(let change): return [change.fact(in: conversation)]
        case .call, .poll, .calendar, .bot, .privacyNotice, .unknown: return []
        }
    }
}

extension GroupMe.MessageChange {
    fileprivate func fact(in conversation: GroupMe.ConversationID) -> GroupMe.Fact {
        switch self {
        case .deleted(let notice):
            .deleted(notice.message, in: conversation, .init(at: notice.at, actor: notice.actor).inSeconds)
        case .edited(let notice):
            .edited(
                notice.message, in: conversation, at: notice.at, text: notice.text, attachments: notice.attachments)
        case .pinned(let message, let isPinned, let time, let user):
            .pinned(message, in: conversation, isPinned ? .init(at: time, by: user) : nil)
        }
    }
}

extension GroupMe.Message.Deletion {
    /// The deletion with its time in seconds: one of its two reports has seconds, the other a finer time
    /// (GroupMe GM-15).
    fileprivate var inSeconds: Self {
        Self(at: at.map { Timestamp(milliseconds: $0.milliseconds - $0.milliseconds % 1000) }, actor: actor)
    }
}
