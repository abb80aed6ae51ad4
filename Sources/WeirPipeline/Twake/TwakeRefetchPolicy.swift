import WeirEvents

/// The relation of an event's content to the model.
enum TwakeFreshness: Hashable, Sendable {
    /// The model does not contain the entity.
    case unknown
    /// The model's version is newer; the event was overtaken.
    case older
    /// The versions are equal: the event is a duplicate or an echo.
    case same
    /// The versions differ, and no time decides which is newer.
    case doubtful
    /// The event's version is newer.
    case newer
    /// The event reports that the entity was removed.
    case removed
}

/// The subject of an event.
enum TwakeSubject: Hashable, Sendable, CaseIterable {
    /// `channel`, `channels`: the name and appearance of a channel.
    case channel
    /// `channel_activity`: the last activity and message of a channel.
    case activity
    /// `channel_member` of the user themselves, in a list room.
    case ownMembership
    /// `channel_member` of any user, in a channel's own room or in the list of a channel whose members are shown.
    case member
    /// `message` of eras B and C: the complete message.
    case message
    /// The head of a reply that is new, removed or moved: its counter is not sent (Twake TW-50).
    case replyCounter
    /// `realtime:event` of era A: the ids of a message.
    case messageNotice
    /// `user_notification_badges`: one unread thread of the user.
    case badge
    /// `user`: the account of a user.
    case account
    /// `workspace`: the name and other details of a workspace.
    case workspace
    /// `company`: the name and other details of a company.
    case company
    /// `company_user`: a user's permissions in a company.
    case companyUser
    /// `user:online`: whether a user is online.
    case presence
    /// `writing`: whether a user is typing. It is reported but not stored.
    case typing
}

/// The treatment of an event: what is applied and what is fetched.
struct TwakeTreatment: Hashable, Sendable {
    /// The resource to fetch, and whether to delay the fetch.
    enum Refetch: Hashable, Sendable {
        /// No fetch: the payload suffices, or is ignored.
        case none
        /// The list that contains the channel, at once. Only the list shows whether the channel is the user's.
        case list
        /// The list that contains the channel, after a delay, since doubtful events mostly come in bursts.
        case listSoon
        /// The channel's own row, after a delay. In era A, which has no such call, the list.
        case channelSoon
        /// The members of the channel.
        case members
        /// The message that the event describes.
        case message
        /// The head of the message's thread.
        case head
        /// The account that the event describes.
        case account
        /// The user's companies, or the workspaces of a company, after a delay.
        case placesSoon
        /// All badges of the company, after a delay, so that N frames cause one fetch (Twake TW-53).
        case badgesSoon
    }

    /// Whether the payload is applied to the model.
    var applies: Bool
    var refetch: Refetch

    static let ignore = TwakeTreatment(applies: false, refetch: .none)
    static let apply = TwakeTreatment(applies: true, refetch: .none)
    static func verify(_ refetch: Refetch) -> TwakeTreatment { TwakeTreatment(applies: true, refetch: refetch) }
    static func ask(_ refetch: Refetch) -> TwakeTreatment { TwakeTreatment(applies: false, refetch: refetch) }
}

/// Decides for each resource of a known action what is applied from the payload and what is fetched. Unknown actions and
/// desktop notifications refetch the whole room (`TwakeBackend.handle`), and moved messages their heads.
///
/// A complete and newer payload is applied. A doubtful one is applied and verified. An incomplete one is fetched, as
/// narrowly as the service allows.
enum TwakeRefetchPolicy {
    static func treatment(of subject: TwakeSubject, _ freshness: TwakeFreshness) -> TwakeTreatment {
        switch (subject, freshness) {
        // Only the list shows whether an unknown channel is the user's (Twake TW-54, TW-56).
        case (.channel, .unknown), (.activity, .unknown): .ask(.list)
        case (.channel, .older), (.activity, .older), (.channel, .same), (.activity, .same): .ignore
        case (.channel, .doubtful): .verify(.channelSoon)
        case (.activity, .doubtful): .verify(.listSoon)
        case (.channel, .newer), (.activity, .newer): .apply
        // `channel deleted` is final: an id is never reused (Twake TW-59).
        case (.channel, .removed): .apply
        case (.activity, .removed): .ignore

        case (.ownMembership, .unknown): .ask(.list)
        case (.ownMembership, .same): .ignore
        case (.ownMembership, .newer): .apply
        // A read marker that goes back is an overtaken frame, or a channel marked as unread.
        case (.ownMembership, .older), (.ownMembership, .doubtful): .ask(.listSoon)
        // The user may have been added again in the meantime: the removal has no time (Twake TW-35).
        case (.ownMembership, .removed): .verify(.listSoon)

        case (.member, .older), (.member, .same): .ignore
        case (.member, .newer): .apply
        case (.member, .unknown), (.member, .doubtful), (.member, .removed): .verify(.members)

        case (.message, .unknown), (.message, .newer): .apply
        case (.message, .older), (.message, .same): .ignore
        case (.message, .doubtful): .verify(.message)
        // Eras B and C never send this: a deletion is an update (Twake TW-52).
        case (.message, .removed): .ask(.message)

        case (.replyCounter, .unknown), (.replyCounter, .doubtful), (.replyCounter, .newer), (.replyCounter, .removed):
            .ask(.head)
        case (.replyCounter, .older), (.replyCounter, .same): .ignore

        // The event contains ids only (Twake TW-23).
        case (.messageNotice, .removed): .apply
        case (.messageNotice, .unknown), (.messageNotice, .older), (.messageNotice, .same), (.messageNotice, .doubtful),
            (.messageNotice, .newer):
            .ask(.message)

        // Badges have no time, and their frames overtake each other.
        case (.badge, .unknown), (.badge, .older), (.badge, .doubtful), (.badge, .newer), (.badge, .removed):
            .verify(.badgesSoon)
        case (.badge, .same): .ask(.badgesSoon)

        // An account is needed only if messages of its user were seen.
        case (.account, .unknown): .ask(.account)
        case (.account, .same), (.account, .older): .ignore
        case (.account, .doubtful), (.account, .newer), (.account, .removed): .verify(.account)

        // Presence cannot be verified: servers store no more than they send. It is queried periodically, because no
        // event reports that a user left.
        case (.presence, .same), (.presence, .older): .ignore
        case (.presence, .unknown), (.presence, .doubtful), (.presence, .newer), (.presence, .removed): .apply
        case (.typing, _): .apply

        // Only the list shows whether an unknown company or workspace is the user's. These events have no time.
        case (.workspace, .unknown), (.company, .unknown), (.companyUser, .unknown), (.companyUser, .removed):
            .ask(.placesSoon)
        case (.workspace, .same), (.company, .same), (.companyUser, .same): .ignore
        case (.workspace, .older), (.company, .older), (.companyUser, .older): .ignore
        case (.workspace, .doubtful), (.workspace, .newer), (.workspace, .removed), (.company, .doubtful),
            (.company, .newer), (.company, .removed), (.companyUser, .doubtful), (.companyUser, .newer):
            .verify(.placesSoon)
        }
    }
}

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

// Plans the refetches of `TwakeRefetchPolicy`, and marks the requests that an event overtakes.
extension HandlerContext {
    mutating func refetch(
        _ refetch: TwakeTreatment.Refetch, of path: @autoclosure () -> TwakeChannelPath, _ facts: TwakeFacts
    ) {
        guard refetch != .none, !facts.hasNoREST else { return }
        let (era, path) = (facts.effectiveEra, path())
        switch refetch {
        case .none, .message, .head, .badgesSoon, .account, .placesSoon: break
        case .list: fetch(path.list(era))
        case .listSoon: fetch(path.list(era), after: .milliseconds(300))
        case .channelSoon:
            let key = era == .b ? .twake(.channel(path)) : path.list(era)
            fetch(key, after: .milliseconds(300))
        case .members: fetch(.twake(.members(era, path)))
        }
    }

    /// Marks matching requests as overtaken: the server may have answered before the event happened.
    ///
    /// With `removing`, a row was removed, perhaps while a paged list was being read. Such a list is read again after a
    /// second, as more removals may follow.
    mutating func overtake(removing: Bool = false, where isConcerned: (TwakeResource) -> Bool) {
        let isOfThese = { (key: ResourceKey) in key.twake.map(isConcerned) ?? false }
        if removing { for list in refetcher.paged.filter(isOfThese) { fetch(list, after: .seconds(1)) } }
        guard refetcher.isFetching else { return }
        refetcher.markStale(where: isOfThese)
    }

    /// Cancels all requests for a channel's messages.
    mutating func cancelMessages(of channel: EntityID) { plans.append(.cancel(.messages(of: channel))) }

    mutating func overtakeLists(of channel: @autoclosure () -> TwakeChannelPath, removing: Bool = false) {
        overtake(removing: removing) { $0.lists(channel()) }
    }

    mutating func overtakeMessages(of thread: EntityID, in channel: EntityID?) {
        overtake { $0.concerns(thread: thread, in: channel) }
    }
}

extension TwakeChannelPath {
    /// Returns the list that contains the channel if it belongs to the user.
    func list(_ era: TwakeEra) -> ResourceKey {
        workspace == .direct
            ? .twake(.directs(era, company: company)) : .twake(.channels(era, company: company, workspace: workspace))
    }
}

extension TwakeResource {
    var isMembers: Bool { if case .members = self { true } else { false } }
}
