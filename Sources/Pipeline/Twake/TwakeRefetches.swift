import Events

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
