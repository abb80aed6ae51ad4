import Events

// Compares a payload with the row of the model that it describes.
extension Twake.Channel {
    func freshness(against known: Twake.Channel) -> TwakeFreshness {
        switch order(self.updatedAt, known.updatedAt) {
        case .earlier: return .older
        case .later: return .newer
        case .same, .unknown: return known.merged(with: self) == known ? .same : .doubtful
        }
    }
}

extension Twake.ChannelActivity {
    func freshness(against known: Twake.Channel) -> TwakeFreshness {
        guard known.lastActivity != nil else { return .newer }
        switch order(self.lastActivity, known.lastActivity) {
        case .earlier: return .older
        case .later: return .newer
        case .same: return self.lastMessage == nil || self.lastMessage == known.lastMessage ? .same : .doubtful
        case .unknown: return .doubtful
        }
    }
}

extension Twake.ChannelMember {
    /// Compares the user's own membership with the channel, whose row holds the read marker.
    func freshness(against known: Twake.Channel) -> TwakeFreshness {
        guard lastAccess != nil else { return .same }
        guard known.lastAccess != nil else { return .newer }
        switch order(lastAccess, known.lastAccess) {
        case .earlier: return .older
        case .later: return .newer
        case .same: return agrees(with: known) ? .same : .doubtful
        case .unknown: return .doubtful
        }
    }

    /// Whether the channel's row agrees with the other fields of the membership.
    private func agrees(with known: Twake.Channel) -> Bool {
        (type == nil || type == known.memberType) && (isFavorite == nil || isFavorite == known.isFavorite)
            && (notificationLevel == nil || notificationLevel == known.notificationLevel)
    }

    func freshness(against known: Twake.ChannelMember) -> TwakeFreshness {
        switch order(updatedAt, known.updatedAt) {
        case .earlier: .older
        case .later: .newer
        case .same, .unknown: self == known ? .same : .doubtful
        }
    }

    /// Returns the path of the membership's channel, or `nil` when the place is unknown.
    func path(_ facts: TwakeFacts) -> TwakeChannelPath? {
        guard let company = company ?? facts.company, let workspace = workspace ?? facts.workspace else { return nil }
        return TwakeChannelPath(company: company, workspace: workspace, channel: channel)
    }
}

extension Twake.Message {
    /// Compares two versions of a message. A duplicate that contains a channel unknown to the model counts as newer.
    func freshness(against known: Twake.Message) -> TwakeFreshness {
        switch order(self.updatedAt, known.updatedAt) {
        case .earlier: return .older
        case .later: return .newer
        case .same, .unknown:
            var merged = known.merged(with: self)
            if merged == known { return .same }
            guard known.channel == nil, merged.channel != nil else { return .doubtful }
            merged.channel = nil
            return merged == known ? .newer : .doubtful
        }
    }

    /// Whether this is the stub of a deletion whose message the server does not know (Twake TW-40).
    var isStub: Bool { isDeleted && self.createdAt == nil }
}

/// The order of two times, either of which may be unknown.
private enum TimeOrder {
    case earlier, same, later, unknown
}

private func order(_ a: Timestamp?, _ b: Timestamp?) -> TimeOrder {
    guard let a, let b else { return .unknown }
    return a < b ? .earlier : a > b ? .later : .same
}

extension Twake.RoomName {
    /// Whether the room carries the user's own memberships.
    var isOwnList: Bool {
        if case .channelsPrivate = self { return true }
        return isOwnDirects
    }

    /// Whether every channel mentioned in the room belongs to the user.
    var isOwnDirects: Bool { if case .directs = self { true } else { false } }
}
