import Events

// How what is known of an entity and what comes later are put together.
extension Twake.Channel {
    /// This channel with what `newer` says: fields that were not sent keep their value, times never go back.
    func merged(with newer: Twake.Channel) -> Twake.Channel {
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
                fields.profile.takeMembership(of: listed.fields.profile)
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

    /// This channel with what the user wants it to be called, to look like and to be for, and its visibility.
    func edited(_ change: Action.ChannelChange) -> Twake.Channel {
        var edited = self
        edited.update { fields in
            var profile = fields.profile
            profile.name = change.name ?? profile.name
            profile.icon = change.icon ?? profile.icon
            profile.description = change.description ?? profile.description
            if let kind = change.visibility { profile.visibility = Twake.ChannelVisibility(wire: kind.rawValue) }
            fields.profile = profile
        }
        return edited
    }
}

extension Twake.Channel.Fields {
    fileprivate mutating func fill(from known: Self) {
        // One that was sent whole stays what it is, with the text that was made of it.
        if !profile.hasAll(of: known.profile) { profile.fill(from: known.profile) }
        lastAccess = latest(known.lastAccess, lastAccess)
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
        var described = sent.profile
        described.fill(from: profile)
        described.updatedAt = profile.updatedAt
        profile = described
    }
}

extension Twake.Channel.Profile {
    /// Whether there is nothing to be filled in.
    fileprivate func hasAll(of known: Self) -> Bool {
        (visibility != nil || known.visibility == nil) && (name != nil || known.name == nil) && !isNameless
            && (icon != nil || known.icon == nil) && (description != nil || known.description == nil)
            && (owner != nil || known.owner == nil) && (!members.isEmpty || known.members.isEmpty)
            && (createdAt != nil || known.createdAt == nil) && !known.hasDetails
            && latest(known.updatedAt, updatedAt) == updatedAt
    }

    /// Era B names no directs: what a list composed of its users is kept.
    private var isNameless: Bool { visibility == .direct && (name?.isEmpty ?? true) }

    fileprivate mutating func fill(from known: Self) {
        if visibility == nil { visibility = known.visibility }
        if name == nil || isNameless { name = known.name }
        if icon == nil { icon = known.icon }
        if description == nil { description = known.description }
        if owner == nil { owner = known.owner }
        if members.isEmpty { members = known.members }
        keepDetails(of: known)
        updatedAt = latest(known.updatedAt, updatedAt)
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
