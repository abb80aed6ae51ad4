extension GroupMe {
    /// What an event makes true, whichever of its frames told it: a deletion, an edit and a pin are told twice when both channels are
    /// subscribed to, and both tellings are one fact (2.1).
    public enum Fact: Hashable, Sendable {
        /// A message was said, or is told again.
        case said(Message)
        /// A message was deleted.
        case deleted(MessageID, in: ConversationID, Message.Deletion)
        /// A message was edited: its text and, where it is said, what is attached now.
        case edited(MessageID, in: ConversationID, at: Timestamp?, text: String?, attachments: [Attachment]?)
        /// A message was pinned, or is pinned no more.
        case pinned(MessageID, in: ConversationID, Message.Pin?)
        /// These are all reactions to a message now; nil where that is not said, and it has to be asked for.
        case reacted(MessageID, in: ConversationID, [Reaction]?)
        /// Who is in a group, or how they are called there, changed: only the roster tells how.
        case membersChanged(GroupID)
        /// A group changed.
        case groupChanged(GroupID)
        /// The user is in a group now.
        case joined(Group)
        /// The user is in a group no more.
        case left(GroupID)
        /// A direct was read.
        case read(ReadReceipt)
    }
}

extension GroupMe.Push {
    /// What it makes true, in order; nothing for what is over at once, as typing, and for what is not known.
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
    /// What a message of the server's tells of something else than itself.
    fileprivate var facts: [GroupMe.Fact] {
        guard let occurrence else { return [] }
        switch occurrence {
        case .membership: return conversation.group.map { [.membersChanged($0)] } ?? []
        case .group(.role, _), .group(.owner, _):
            // Roles are told of the group and stand in its roster.
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
    /// One telling has the time in seconds, the other finer (1.9).
    fileprivate var inSeconds: Self {
        Self(at: at.map { Timestamp(milliseconds: $0.milliseconds - $0.milliseconds % 1000) }, actor: actor)
    }
}
