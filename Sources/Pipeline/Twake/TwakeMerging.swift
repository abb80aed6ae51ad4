import Events

// Merges new data with known data.
extension Twake.Channel {
    /// Returns this channel updated with `newer`. Fields that were not sent keep their values, and times never go back.
    func merged(with newer: Twake.Channel) -> Twake.Channel {
        var merged = newer
        merged.update { $0.fill(from: self.fields) }
        return merged
    }

    /// Returns this channel updated from a current list. The list is authoritative, except for fields that it lacks and
    /// for fields that are certainly older. A read marker may go back, since a channel can be marked as unread.
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

    /// Returns this channel with the changes that the user wants.
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
        // A profile that was sent completely is kept as it is, with the text already made of it.
        if !profile.hasAll(of: known.profile) { profile.fill(from: known.profile) }
        lastAccess = latest(known.lastAccess, lastAccess)
        lastActivity = latest(known.lastActivity, lastActivity)
        if lastMessage == nil || isLater(known.lastMessage?.date, than: lastMessage?.date) {
            lastMessage = known.lastMessage
        }
    }

    /// Takes the last activity and message from a list whose row is otherwise older.
    fileprivate mutating func follow(_ listed: Self) {
        guard !isLater(lastActivity, than: listed.lastActivity) else { return }
        lastActivity = listed.lastActivity ?? lastActivity
        lastMessage = listed.lastMessage ?? lastMessage
    }

    /// Takes the name and appearance, as far as they were sent.
    mutating func describe(as sent: Self) {
        var described = sent.profile
        described.fill(from: profile)
        described.updatedAt = profile.updatedAt
        profile = described
    }
}

extension Twake.Channel.Profile {
    /// Whether every known field was sent, so that nothing has to be filled in.
    fileprivate func hasAll(of known: Self) -> Bool {
        (visibility != nil || known.visibility == nil) && (name != nil || known.name == nil) && !isNameless
            && (icon != nil || known.icon == nil) && (description != nil || known.description == nil)
            && (owner != nil || known.owner == nil) && (!members.isEmpty || known.members.isEmpty)
            && (createdAt != nil || known.createdAt == nil) && !known.hasDetails
            && latest(known.updatedAt, updatedAt) == updatedAt
    }

    /// Whether this is a direct without a name, as in events of era B. The name that a list composed from its users is
    /// kept.
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
    /// Whether this version is known to be older than `other`.
    func isOlder(than other: Twake.Message) -> Bool { isLater(other.updatedAt, than: self.updatedAt) }

    /// Returns this message updated with `newer`. Fields that events do not contain (the sender's name, the channel,
    /// the replies) keep their values.
    ///
    /// - Parameter channel: The channel in which `newer` arrived, if it is known.
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

    /// Returns the message with its channel filled in, if the channel is known.
    func placed(in channel: EntityID?) -> Twake.Message {
        guard self.channel == nil, let channel else { return self }
        var placed = self
        placed.channel = channel
        return placed
    }
}

/// Returns the later of two times, either of which may be unknown.
func latest(_ a: Timestamp?, _ b: Timestamp?) -> Timestamp? {
    guard let a, let b else { return a ?? b }
    return max(a, b)
}

/// Whether `a` is known to be later than `b`.
private func isLater(_ a: Timestamp?, than b: Timestamp?) -> Bool {
    guard let a, let b else { return false }
    return a > b
}
