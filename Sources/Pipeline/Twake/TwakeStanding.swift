import Events

// How a payload stands to the row of the model it is about.
extension Twake.Channel {
    func standing(against known: Twake.Channel) -> TwakeStanding {
        switch order(self.updatedAt, known.updatedAt) {
        case .earlier: return .older
        case .later: return .newer
        case .same, .unknown: return known.merged(with: self) == known ? .same : .doubtful
        }
    }
}

extension Twake.ChannelActivity {
    func standing(against known: Twake.Channel) -> TwakeStanding {
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
    /// The user's own membership, of which the channel has the read marker.
    func standing(against known: Twake.Channel) -> TwakeStanding {
        guard lastAccess != nil else { return .same }
        guard known.lastAccess != nil else { return .newer }
        switch order(lastAccess, known.lastAccess) {
        case .earlier: return .older
        case .later: return .newer
        case .same: return agrees(with: known) ? .same : .doubtful
        case .unknown: return .doubtful
        }
    }

    /// Whether the channel has what else the membership says.
    private func agrees(with known: Twake.Channel) -> Bool {
        (type == nil || type == known.memberType) && (isFavorite == nil || isFavorite == known.isFavorite)
            && (notificationLevel == nil || notificationLevel == known.notificationLevel)
    }

    func standing(against known: Twake.ChannelMember) -> TwakeStanding {
        switch order(updatedAt, known.updatedAt) {
        case .earlier: .older
        case .later: .newer
        case .same, .unknown: self == known ? .same : .doubtful
        }
    }

    /// Where its channel is.
    func path(_ facts: TwakeFacts) -> TwakeChannelPath? {
        guard let company = company ?? facts.company, let workspace = workspace ?? facts.workspace else { return nil }
        return TwakeChannelPath(company: company, workspace: workspace, channel: channel)
    }
}

extension Twake.Message {
    /// A twin that knows the channel where the model does not is newer by that.
    func standing(against known: Twake.Message) -> TwakeStanding {
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

    /// The stub of a deletion of nothing the server knows (3.3).
    var isStub: Bool { isDeleted && self.createdAt == nil }
}

/// How one time stands to another, of which either may be unknown.
private enum TimeOrder {
    case earlier, same, later, unknown
}

private func order(_ a: Timestamp?, _ b: Timestamp?) -> TimeOrder {
    guard let a, let b else { return .unknown }
    return a < b ? .earlier : a > b ? .later : .same
}

extension Twake.RoomName {
    /// Whether what it carries is about the user's own memberships.
    var isOwnList: Bool {
        if case .channelsPrivate = self { return true }
        return isOwnDirects
    }

    /// Whether a channel that is mentioned in it is the user's.
    var isOwnDirects: Bool { if case .directs = self { true } else { false } }
}
