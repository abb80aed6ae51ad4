import Events
import JSONText
public import SectionedModel

// What a row feeds into a checksum: every field, each optional one with a word that says whether it is there, so that no two
// rows that differ feed the same. No text is made for it: it is done with every change of a model that keeps a checksum.
extension Item {
    /// The version of what rows feed. It stands beside every checksum that is written: one of another version says nothing of this one.
    public static let checksumVersion = 1

    /// Feeds which row it is, and of which section.
    public func feedIdentity(_ digest: inout ElementDigest) {
        digest.feed(contents.id.kind.number)
        digest.feed(contents.id.id)
        digest.feed(contents.id.qualifier)
        digest.feed(contents.section.name)
        digest.feed(contents.section.parent)
    }

    /// Feeds all else that makes the row what it is.
    public func feed(_ digest: inout ElementDigest) {
        digest.feed(contents.sortKey)
        // Nothing for a row as the server has it, as it was before there was anything else.
        if let delivery { digest.feed(delivery.rawValue) }
        contents.entity.feed(&digest)
    }
}

extension Item.Kind {
    /// Stands for the kind in a checksum; it never changes, or old logs would not verify.
    fileprivate var number: Int {
        switch self {
        case .channel: 1
        case .message: 2
        case .member: 3
        case .badge: 4
        case .account: 5
        case .company: 6
        case .workspace: 7
        case .presence: 8
        case .hole: 9
        }
    }
}

extension Item.Entity {
    fileprivate func feed(_ digest: inout ElementDigest) {
        switch self {
        case .twakeChannel(let channel): channel.feed(&digest)
        case .twakeMessage(let message): message.feed(&digest)
        case .twakeMember(let member): member.feed(&digest)
        case .twakeBadge(let badge): badge.feed(&digest)
        case .twakeBadgeCount(let count): count.feed(&digest)
        case .twakeAccount, .twakeCompany, .twakeWorkspace, .twakePresence, .hole, .groupMe: feedText(&digest)
        }
    }

    /// Feeds the entity as the diff log has it: of rows that change so seldom that the text costs nothing.
    fileprivate func feedText(_ digest: inout ElementDigest) {
        digest.feed(typeName)
        var writer = JSONWriter()
        encode(into: &writer)
        writer.withUnsafeBytes { digest.feed(bytes: $0) }
    }
}

extension ElementDigest {
    @inline(__always)
    mutating func feed(_ id: EntityID) {
        switch id {
        case .uuid(let high, let low):
            feed(1)
            feed(high)
            feed(low)
        case .text(let text):
            feed(2)
            feed(text)
        }
    }

    mutating func feed(_ ids: [EntityID]) {
        feed(ids.count)
        for id in ids { feed(id) }
    }

    /// Whether there is one, and then the value.
    @inline(__always)
    private mutating func feed<Value>(_ value: Value?, _ body: (inout Self, Value) -> Void) {
        guard let value else { return feed(0) }
        feed(1)
        body(&self, value)
    }

    @inline(__always)
    mutating func feed(_ id: EntityID?) { feed(id) { $0.feed($1) } }
    @inline(__always)
    mutating func feed(_ text: String?) { feed(text) { $0.feed($1) } }
    @inline(__always)
    mutating func feed(_ time: Timestamp?) { feed(time) { $0.feed($1.milliseconds) } }
    @inline(__always)
    mutating func feed(_ number: Int?) { feed(number) { $0.feed($1) } }
    @inline(__always)
    mutating func feed(_ flag: Bool?) { feed(flag) { $0.feed($1 ? 1 : 0) } }
}

// What stands behind a reference is fed by whoever holds that: in a function of its own it is read where it lies, and not copied.

extension Twake.Channel {
    fileprivate func feed(_ digest: inout ElementDigest) { fields.feed(&digest) }
}

extension Twake.Channel.Fields {
    fileprivate func feed(_ digest: inout ElementDigest) {
        profile.feedLook(&digest)
        digest.feed(lastActivity)
        digest.feed(lastMessage == nil ? 0 : 1)
        lastMessage?.feed(&digest)
        digest.feed(lastAccess)
        profile.feedState(&digest)
    }
}

extension Twake.Channel.Profile {
    fileprivate func feedLook(_ digest: inout ElementDigest) {
        digest.feed(1)
        digest.feed(id)
        digest.feed(company)
        digest.feed(workspace)
        digest.feed(visibility?.wireName)
        digest.feed(name)
        digest.feed(icon)
        digest.feed(description)
        digest.feed(owner)
        digest.feed(isArchived ? 1 : 0)
        digest.feed(members)
    }

    fileprivate func feedState(_ digest: inout ElementDigest) {
        digest.feed(updatedAt)
        feedDetails(&digest)
    }
}

extension Twake.MessageSummary {
    fileprivate func feed(_ digest: inout ElementDigest) {
        digest.feed(self.date)
        digest.feed(self.sender)
        digest.feed(self.senderName)
        digest.feed(self.title)
        digest.feed(self.text)
    }
}

extension Twake.Message {
    func feed(_ digest: inout ElementDigest) { fields.feed(&digest) }
}

extension Twake.Message.Fields {
    fileprivate func feed(_ digest: inout ElementDigest) {
        digest.feed(2)
        digest.feed(id)
        digest.feed(thread)
        digest.feed(channel)
        digest.feed(user)
        digest.feed(senderName)
        digest.feed(text)
        digest.feed(subtype?.wireName)
        digest.feed(createdAt)
        digest.feed(updatedAt)
        digest.feed(editedAt)
        digest.feed(isPinned ? 1 : 0)
        digest.feed(reactions.count)
        for reaction in reactions {
            digest.feed(reaction.name)
            digest.feed(reaction.count)
            digest.feed(reaction.users)
        }
        digest.feed(replies)
        feedDetails(&digest)
    }
}

extension Twake.ChannelMember {
    fileprivate func feed(_ digest: inout ElementDigest) {
        digest.feed(3)
        digest.feed(channel)
        digest.feed(company)
        digest.feed(workspace)
        digest.feed(user)
        digest.feed(type?.wireName)
        digest.feed(lastAccess)
        digest.feed(isFavorite)
        digest.feed(notificationLevel?.wireName)
        digest.feed(updatedAt)
        digest.feed(1, ifAny: createdAt)
        digest.feed(2, ifAny: expiration)
        digest.feed(3, ifAny: lastIncrement)
        digest.feed(4, ifAny: email)
    }
}

extension Twake.Badge {
    fileprivate func feed(_ digest: inout ElementDigest) {
        digest.feed(4)
        digest.feed(company)
        digest.feed(workspace)
        digest.feed(channel)
        digest.feed(thread)
        digest.feed(user)
        digest.feed(message)
    }
}

extension Twake.BadgeCount {
    fileprivate func feed(_ digest: inout ElementDigest) {
        digest.feed(5)
        digest.feed(level.wireName)
        digest.feed(id)
        digest.feed(count)
    }
}
