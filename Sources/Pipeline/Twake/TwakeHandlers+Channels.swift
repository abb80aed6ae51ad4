import Events
import SectionedModel

extension TwakeHandler where Payload == Twake.Channel {
    /// Handles `channel` and `channels`. A known channel is updated. An unknown one belongs to the user only if the
    /// list contains it (Twake TW-56, TW-54).
    static let channelChanged = TwakeHandler(name: "channel") { sent, envelope, facts, memory, context in
        let known = context.model[.channel(sent.id)]?.channel
        var freshness: TwakeFreshness =
            envelope.isDeletion ? .removed : known.map { sent.freshness(against: $0) } ?? .unknown
        // The proxy of era A presents names and members differently.
        if freshness == .newer, facts.era == .a { freshness = .doubtful }
        let treatment = TwakeRefetchPolicy.treatment(of: .channel, freshness)
        context.overtakeLists(of: sent.path, removing: envelope.isDeletion)
        if treatment.applies {
            if envelope.isDeletion {
                context.removeChannel(sent.id, &memory)
            } else if let known {
                context.model.put(.channel(known.merged(with: sent)))
            }
        } else if known == nil {
            return context.mention(sent, isOwn: envelope.room.isOwnDirects, facts, &memory)
        }
        context.refetch(treatment.refetch, of: sent.path, facts)
    }
}

extension TwakeHandler where Payload == Twake.ChannelActivity {
    /// Handles `channel_activity`: moves the channel to the front. An older activity changes nothing.
    static let activityChanged = TwakeHandler(name: "channel activity") { sent, envelope, facts, memory, context in
        context.overtakeLists(of: sent.path)
        guard var known = context.model[.channel(sent.channel)]?.channel else {
            let news = Twake.Channel(
                id: sent.channel, company: sent.company, workspace: sent.workspace, lastActivity: sent.lastActivity,
                lastMessage: sent.lastMessage)
            return context.mention(news, isOwn: envelope.room.isOwnDirects, facts, &memory)
        }
        let freshness = envelope.isDeletion ? .removed : sent.freshness(against: known)
        let treatment = TwakeRefetchPolicy.treatment(of: .activity, freshness)
        if treatment.applies {
            known.update { fields in
                fields.lastActivity = latest(sent.lastActivity, fields.lastActivity)
                fields.lastMessage = sent.lastMessage ?? fields.lastMessage
            }
            context.model.put(.channel(known))
        }
        context.refetch(treatment.refetch, of: sent.path, facts)
    }
}

extension TwakeHandler where Payload == Twake.ChannelMember {
    /// Handles `channel_member` in a list room, which is the user's own membership. A join causes a fetch of the list,
    /// a leave removes the channel, and a read marker is applied.
    static let ownMembershipChanged = TwakeHandler(name: "own membership") {
        sent, envelope, facts, memory, context in
        guard envelope.room.isOwnList, let path = sent.path(facts) else { return }
        context.overtakeLists(of: path, removing: envelope.isDeletion)
        let known = context.model[.channel(sent.channel)]?.channel
        if known == nil, envelope.isDeletion { return memory.forget(sent.channel) }
        let freshness: TwakeFreshness =
            envelope.isDeletion ? .removed : known.map { sent.freshness(against: $0) } ?? .unknown
        let treatment = TwakeRefetchPolicy.treatment(of: .ownMembership, freshness)
        if var known, treatment.applies {
            if envelope.isDeletion {
                context.removeChannel(sent.channel, &memory)
            } else {
                known.update { fields in
                    fields.lastAccess = sent.lastAccess
                    fields.profile.takeMembership(sent)
                }
                context.model.put(.channel(known))
            }
        } else if known == nil, !facts.hasNoREST {
            memory.await(sent.channel, in: path.list(facts.effectiveEra))
        }
        context.refetch(treatment.refetch, of: path, facts)
    }

    /// Handles `channel_member` of any user, in a channel's own room or for a channel whose members are shown.
    static let membersChanged = TwakeHandler(name: "channel members") { sent, envelope, facts, memory, context in
        guard let path = sent.path(facts) else { return }
        let isShown = context.model.elementCount(in: .members(sent.channel)) > 0
        guard isShown || !envelope.room.isOwnList else { return }
        // The user's own leave already removed the channel with its members.
        guard context.model[.channel(sent.channel)] != nil || !envelope.room.isOwnList else { return }
        context.overtake(removing: envelope.isDeletion) { $0.path?.channel == path.channel && $0.isMembers }
        let user = sent.user ?? (envelope.room.isOwnList ? facts.user : nil)
        let known = user.flatMap { context.model[.member($0, of: sent.channel)]?.member }
        let freshness: TwakeFreshness =
            envelope.isDeletion ? .removed : known.map { sent.freshness(against: $0) } ?? .unknown
        let treatment = TwakeRefetchPolicy.treatment(of: .member, freshness)
        if treatment.applies, let user {
            if envelope.isDeletion {
                context.model.remove(.member(user, of: sent.channel))
            } else if let row = Item.member(sent) {
                context.model.put(row)
            }
        }
        context.refetch(treatment.refetch, of: path, facts)
    }
}

extension HandlerContext {
    /// Handles a mention of an unknown channel by fetching the list, which decides whether the channel is the user's.
    /// Without a REST service, the channel is taken from the event.
    mutating func mention(_ channel: Twake.Channel, isOwn: Bool, _ facts: TwakeFacts, _ memory: inout TwakeMemory) {
        guard !facts.hasNoREST else { return model.put(.channel(channel)) }
        let list = channel.path.list(facts.effectiveEra)
        if isOwn {
            memory.await(channel.id, in: list)
        } else if memory.isStranger(channel.id) {
            return
        } else {
            memory.mention(channel.id)
        }
        fetch(list)
    }

    /// Removes a channel with everything that belongs to it: rooms, requests, messages and members.
    mutating func removeChannel(_ id: EntityID, _ memory: inout TwakeMemory) {
        memory.forget(id)
        plans.append(.cancel(.channel(id)))
        if let channel = model[.channel(id)]?.channel {
            for era in [TwakeEra.a, .b] {
                plans.append(.unwant(room: Twake.RoomName.ofMessages(era, channel.path).description))
            }
            plans.append(.unwant(room: Twake.RoomName.ofMembers(channel.path).description))
        }
        removeMessages(of: id)
        for member in model.rows(in: .members(id)) { model.remove(member.id) }
        model.remove(.channel(id))
    }

    /// Removes a channel's messages, with all threads.
    mutating func removeMessages(of channel: EntityID) {
        model.remove(.hole(channel))
        for head in model.rows(in: .messages(channel)) { removeThread(head.id.id) }
        // Era A deletes heads and keeps their replies.
        for section in model.sectionKeys where section.name == Item.Section.threadName {
            for reply in model.rows(in: section) where reply.message?.channel == channel { model.remove(reply.id) }
        }
    }

    /// Returns the threads of a channel whose head is not held. The head was moved or deleted, and so may the replies
    /// be.
    func strays(of channel: EntityID) -> [EntityID] {
        model.sectionKeys.enumerated().compactMap { index, section in
            guard section.name == Item.Section.threadName, let thread = section.parent,
                let shown = model.element(at: SectionPath(section: index, item: 0)),
                shown.message?.channel == channel, model[.message(thread)]?.message?.isHead != true,
                // Skip threads whose rows are all gone from the staged model. The committed section may still contain a
                // pending reply, or one that was just removed.
                model.rows(in: section).contains(where: { model[$0.id] != nil })
            else { return nil }
            return thread
        }
    }

    /// Removes a head and its replies, except for those that were just moved to another thread.
    mutating func removeThread(_ id: EntityID) {
        for reply in model.rows(in: .thread(id)) where model[reply.id]?.message?.thread == id {
            model.remove(reply.id)
        }
        model.remove(.message(id))
        model.remove(.hole(id))
    }
}

extension Twake.RoomName {
    /// Returns the room that carries a channel's messages.
    static func ofMessages(_ era: TwakeEra, _ path: TwakeChannelPath) -> Twake.RoomName {
        switch era {
        case .a: .previousMessages(channel: path.channel)
        case .b: .feed(company: path.company, workspace: path.workspace, channel: path.channel)
        }
    }

    /// Returns the channel's own room, which carries joins and leaves of all its members.
    static func ofMembers(_ path: TwakeChannelPath) -> Twake.RoomName {
        .channel(company: path.company, workspace: path.workspace, channel: path.channel)
    }
}
