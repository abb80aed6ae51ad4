import Events
import SectionedModel

// Where a Twake entity stands in the model: its identity, its section, its place.
extension Item {
    /// A channel: newest activity first. Directs are a company's, the others a workspace's.
    static func channel(_ channel: Twake.Channel) -> Item {
        Item(
            id: .channel(channel.id), section: channel.section, sortKey: -(channel.lastActivity?.milliseconds ?? 0),
            entity: .twakeChannel(channel))
    }

    /// A message: oldest first, heads in their channel, replies in their thread. Nil for a head whose channel is not known.
    static func message(_ message: Twake.Message) -> Item? {
        let section: Item.Section
        if !message.isHead {
            section = .thread(message.thread)
        } else if let channel = message.channel {
            section = .messages(channel)
        } else {
            return nil
        }
        return Item(
            id: .message(message.id), section: section, sortKey: message.createdAt?.milliseconds ?? 0,
            entity: .twakeMessage(message))
    }

    /// A membership; nil when the user is not known.
    static func member(_ member: Twake.ChannelMember) -> Item? {
        guard let user = member.user else { return nil }
        return Item(
            id: .member(user, of: member.channel), section: .members(member.channel), sortKey: 0,
            entity: .twakeMember(member))
    }

    /// An unread thread.
    static func badge(_ badge: Twake.Badge) -> Item {
        Item(id: .badge(badge), section: .badges(badge.company), sortKey: 0, entity: .twakeBadge(badge))
    }

    /// An unread counter of era A. `direct` is a workspace id of every company, so the company tells them apart.
    static func badgeCount(_ badge: Twake.BadgeCount, company: EntityID) -> Item {
        Item(
            id: ID(.badge, badge.id, qualifier: company), section: .badges(company), sortKey: 0,
            entity: .twakeBadgeCount(badge))
    }

    var channel: Twake.Channel? { if case .twakeChannel(let channel) = entity { channel } else { nil } }
    var message: Twake.Message? { if case .twakeMessage(let message) = entity { message } else { nil } }
}

extension Item.ID {
    static func channel(_ id: EntityID) -> Item.ID { Item.ID(.channel, id) }
    static func message(_ id: EntityID) -> Item.ID { Item.ID(.message, id) }
    static func member(_ user: EntityID, of channel: EntityID) -> Item.ID { Item.ID(.member, user, qualifier: channel) }
    /// A badge is one unread thread (3.3); its wire `id` is thrown away by the server too.
    static func badge(_ badge: Twake.Badge) -> Item.ID { Item.ID(.badge, badge.thread, qualifier: badge.channel) }
}

extension Item.Section {
    static func channels(_ workspace: EntityID) -> Item.Section { Item.Section("channels", workspace) }
    static func directs(_ company: EntityID) -> Item.Section { Item.Section("directs", company) }
    static func messages(_ channel: EntityID) -> Item.Section { Item.Section("messages", channel) }
    static func thread(_ thread: EntityID) -> Item.Section { Item.Section("thread", thread) }
    static func members(_ channel: EntityID) -> Item.Section { Item.Section("members", channel) }
    static func badges(_ company: EntityID) -> Item.Section { Item.Section("badges", company) }
}

extension Twake.Channel {
    var isDirect: Bool { self.visibility == .direct || self.workspace == .direct }
    var section: Item.Section { isDirect ? .directs(self.company) : .channels(self.workspace) }
    var path: TwakeChannelPath {
        TwakeChannelPath(company: self.company, workspace: self.workspace, channel: self.id)
    }

    /// This channel with what `newer` says: fields that were not sent keep their value, times never go back.
    func merged(with newer: Twake.Channel) -> Twake.Channel {
        if newer.leavesNothingOut(of: self), newer.isAsLate(as: self) { return newer }
        var merged = newer
        merged.update { $0.fill(from: self) }
        return merged
    }

    /// Whether this has a value in every field where `known` has one, so that nothing is to be kept but times.
    private func leavesNothingOut(of known: Twake.Channel) -> Bool {
        (self.visibility != nil || known.visibility == nil) && (self.name != nil || known.name == nil)
            && (self.icon != nil || known.icon == nil) && (self.description != nil || known.description == nil)
            && (self.owner != nil || known.owner == nil) && (!self.members.isEmpty || known.members.isEmpty)
            && (self.lastMessage != nil || known.lastMessage == nil)
    }

    /// Whether no time of this is before that of `known`.
    private func isAsLate(as known: Twake.Channel) -> Bool {
        latest(known.lastAccess, self.lastAccess) == self.lastAccess
            && latest(known.updatedAt, self.updatedAt) == self.updatedAt
            && latest(known.lastActivity, self.lastActivity) == self.lastActivity
            && !isLater(known.lastMessage?.date, than: self.lastMessage?.date)
    }
}

extension Twake.Channel.Fields {
    fileprivate mutating func fill(from known: Twake.Channel) {
        // In place: a field that was sent is not copied again.
        if visibility == nil { visibility = known.visibility }
        if name == nil { name = known.name }
        if icon == nil { icon = known.icon }
        if description == nil { description = known.description }
        if owner == nil { owner = known.owner }
        if members.isEmpty { members = known.members }
        lastAccess = latest(known.lastAccess, lastAccess)
        updatedAt = latest(known.updatedAt, updatedAt)
        lastActivity = latest(known.lastActivity, lastActivity)
        if lastMessage == nil || isLater(known.lastMessage?.date, than: lastMessage?.date) {
            lastMessage = known.lastMessage
        }
    }
}

extension Twake.Message {
    /// Whether this is known to have been changed before `other` was.
    func isOlder(than other: Twake.Message) -> Bool { isLater(other.updatedAt, than: self.updatedAt) }

    /// This message with what `newer` says; what events do not carry (name of the sender, channel, replies) is kept.
    func merged(with newer: Twake.Message) -> Twake.Message {
        var merged = newer
        merged.update { fields in
            fields.channel = newer.channel ?? self.channel
            fields.senderName = newer.senderName ?? self.senderName
            fields.replies = newer.replies ?? self.replies
            fields.createdAt = newer.createdAt ?? self.createdAt
        }
        return merged
    }
}

/// The later of two times, of which either may be unknown.
func latest(_ a: Timestamp?, _ b: Timestamp?) -> Timestamp? {
    guard let a, let b else { return a ?? b }
    return max(a, b)
}

/// Whether `a` is known to be later than `b`.
private func isLater(_ a: Timestamp?, than b: Timestamp?) -> Bool {
    guard let a, let b else { return false }
    return a > b
}
