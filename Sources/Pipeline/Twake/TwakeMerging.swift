import Events

// How what is known of an entity and what comes later are put together.
extension Twake.Channel {
    /// This channel with what `newer` says: fields that were not sent keep their value, times never go back.
    func merged(with newer: Twake.Channel) -> Twake.Channel {
        if newer.leavesNothingOut(of: self), newer.isAsLate(as: self) { return newer }
        var merged = newer
        merged.update { $0.fill(from: self.fields) }
        return merged
    }

    /// This channel as a list that is current shows it: the list is the truth, but for what it leaves out, and for what is certainly older.
    /// A read marker may go back: a channel can be marked unread.
    func replaced(by listed: Twake.Channel) -> Twake.Channel {
        var replaced = listed
        if isLater(self.updatedAt, than: listed.updatedAt) {
            replaced = self
            replaced.update { fields in
                fields.lastAccess = listed.lastAccess ?? fields.lastAccess
                fields.takeMembership(of: listed.fields)
                fields.follow(listed.fields)
            }
            return replaced
        }
        replaced.update { fields in
            let lastAccess = fields.lastAccess
            fields.fill(from: self.fields)
            fields.lastAccess = lastAccess ?? fields.lastAccess
        }
        return replaced == self ? self : replaced
    }

    /// Whether this has a value in every field where `known` has one, so that nothing is to be kept but times.
    private func leavesNothingOut(of known: Twake.Channel) -> Bool {
        (self.visibility != nil || known.visibility == nil) && (self.name != nil || known.name == nil)
            && (self.icon != nil || known.icon == nil) && (self.description != nil || known.description == nil)
            && (self.owner != nil || known.owner == nil) && (!self.members.isEmpty || known.members.isEmpty)
            && (self.lastMessage != nil || known.lastMessage == nil) && !isNameless
            && (self.createdAt != nil || known.createdAt == nil) && !known.hasDetails
    }

    /// Era B names no directs: what a list composed of its users is kept.
    private var isNameless: Bool { isDirect && (self.name?.isEmpty ?? true) }

    /// Whether no time of this is before that of `known`.
    private func isAsLate(as known: Twake.Channel) -> Bool {
        latest(known.lastAccess, self.lastAccess) == self.lastAccess
            && latest(known.updatedAt, self.updatedAt) == self.updatedAt
            && latest(known.lastActivity, self.lastActivity) == self.lastActivity
            && !isLater(known.lastMessage?.date, than: self.lastMessage?.date)
    }
}

extension Twake.Channel.Fields {
    fileprivate mutating func fill(from known: Self) {
        // In place: a field that was sent is not copied again.
        if visibility == nil { visibility = known.visibility }
        if name == nil || (name?.isEmpty ?? true) && visibility == .direct { name = known.name }
        if icon == nil { icon = known.icon }
        if description == nil { description = known.description }
        if owner == nil { owner = known.owner }
        if members.isEmpty { members = known.members }
        keepDetails(of: known)
        lastAccess = latest(known.lastAccess, lastAccess)
        updatedAt = latest(known.updatedAt, updatedAt)
        lastActivity = latest(known.lastActivity, lastActivity)
        if lastMessage == nil || isLater(known.lastMessage?.date, than: lastMessage?.date) {
            lastMessage = known.lastMessage
        }
    }

    /// Takes the activity of a row that may be older otherwise.
    fileprivate mutating func follow(_ listed: Self) {
        guard !isLater(lastActivity, than: listed.lastActivity) else { return }
        lastActivity = listed.lastActivity ?? lastActivity
        lastMessage = listed.lastMessage ?? lastMessage
    }

    /// Takes what a channel is called and looks like, as far as it was sent.
    mutating func describe(as sent: Self) {
        let (lastActivity, lastMessage, lastAccess, updatedAt) = (lastActivity, lastMessage, lastAccess, updatedAt)
        let known = self
        self = sent
        fill(from: known)
        (self.lastActivity, self.lastMessage) = (lastActivity, lastMessage)
        (self.lastAccess, self.updatedAt) = (lastAccess, updatedAt)
    }
}

extension Twake.Message {
    /// Whether this is known to have been changed before `other` was.
    func isOlder(than other: Twake.Message) -> Bool { isLater(other.updatedAt, than: self.updatedAt) }

    /// This message with what `newer` says, which came in `channel`, if that is known; what events do not carry (name of the sender, channel,
    /// replies) is kept.
    func merged(with newer: Twake.Message, in channel: EntityID? = nil) -> Twake.Message {
        var merged = newer
        merged.update { fields in
            fields.channel = newer.channel ?? channel ?? self.channel
            fields.senderName = newer.senderName ?? self.senderName
            fields.replies = newer.replies ?? self.replies
            fields.threadActivity = newer.threadActivity ?? self.threadActivity
            if fields.senderPicture == nil, let picture = self.senderPicture { fields.senderPicture = picture }
            fields.createdAt = newer.createdAt ?? self.createdAt
        }
        return merged
    }

    /// This message with its channel, if that is known.
    func placed(in channel: EntityID?) -> Twake.Message {
        guard self.channel == nil, let channel else { return self }
        var placed = self
        placed.channel = channel
        return placed
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
