import Events
import SectionedModel

extension TwakeHandler where Payload == Twake.Channel {
    /// `channel`, `channels`: a known channel takes what was sent; an unknown one is not ours until the list says so (T9, T7).
    static let channelChanged = TwakeHandler(name: "channel") { sent, envelope, facts, transaction in
        if envelope.isDeletion {
            transaction.removeChannel(sent.id)
        } else if let known = transaction.model[.channel(sent.id)]?.channel {
            transaction.model.put(.channel(known.merged(with: sent)))
        } else {
            transaction.adoptChannel(sent, facts)
        }
    }
}

extension TwakeHandler where Payload == Twake.ChannelActivity {
    /// `channel_activity`: the channel moves to the front; an older activity changes nothing.
    static let activityChanged = TwakeHandler(name: "channel activity") { sent, envelope, facts, transaction in
        let news = Twake.Channel(
            id: sent.channel, company: sent.company, workspace: sent.workspace, lastActivity: sent.lastActivity,
            lastMessage: sent.lastMessage)
        if var known = transaction.model[.channel(sent.channel)]?.channel {
            let merged = known.merged(with: news)
            known.update { fields in
                fields.lastActivity = merged.lastActivity
                fields.lastMessage = merged.lastMessage
            }
            transaction.model.put(.channel(known))
        } else {
            transaction.adoptChannel(news, facts)
        }
    }
}

extension TwakeHandler where Payload == Twake.ChannelMember {
    /// `channel_member` in a list room: the user's own membership. Joined: the list is asked; left: the channel goes.
    static let ownMembershipChanged = TwakeHandler(name: "own membership") { sent, envelope, facts, transaction in
        let isDirect: Bool
        switch envelope.room {
        case .channelsPrivate: isDirect = false
        case .directs: isDirect = true
        case .channelsPublic, .feed, .thread, .notifications, .previousMessages, .workspaces, .other: return
        }
        if envelope.isDeletion {
            transaction.removeChannel(sent.channel)
        } else if var known = transaction.model[.channel(sent.channel)]?.channel {
            known.lastAccess = latest(known.lastAccess, sent.lastAccess)
            transaction.model.put(.channel(known))
        } else if let company = sent.company ?? facts.company, let workspace = sent.workspace ?? facts.workspace {
            transaction.fetchChannels(isDirect: isDirect, company: company, workspace: workspace, facts)
        }
    }

    /// `channel_member`: whoever it is, the members of the channel are asked for again, narrowly.
    static let membersChanged = TwakeHandler(name: "channel members") { sent, envelope, facts, transaction in
        guard let company = sent.company ?? facts.company, let workspace = sent.workspace ?? facts.workspace else {
            return
        }
        if let user = sent.user, envelope.isDeletion {
            transaction.model.remove(.member(user, of: sent.channel))
        }
        guard transaction.model[.channel(sent.channel)] != nil else { return }
        let path = TwakeChannelPath(company: company, workspace: workspace, channel: sent.channel)
        transaction.fetch(.twake(.members(facts.effectiveEra, path)))
    }
}

extension Transaction {
    /// An unknown channel was mentioned. The list knows whether it is ours; without a REST service the event is all there is.
    mutating func adoptChannel(_ channel: Twake.Channel, _ facts: TwakeFacts) {
        if facts.hasNoREST {
            model.put(.channel(channel))
        } else {
            fetchChannels(isDirect: channel.isDirect, company: channel.company, workspace: channel.workspace, facts)
        }
    }

    mutating func fetchChannels(isDirect: Bool, company: EntityID, workspace: EntityID, _ facts: TwakeFacts) {
        let era = facts.effectiveEra
        fetch(
            .twake(isDirect ? .directs(era, company: company) : .channels(era, company: company, workspace: workspace)))
    }

    /// Takes a channel away with everything that belongs to it.
    mutating func removeChannel(_ id: EntityID) {
        if let channel = model[.channel(id)]?.channel {
            for era in [TwakeEra.a, .b] {
                plans.append(.forget(.twake(.feed(era, channel.path))))
                plans.append(.forget(.twake(.members(era, channel.path))))
                plans.append(.unwant(room: Twake.RoomName.ofMessages(era, channel.path).description))
            }
        }
        for head in model.elements(in: .messages(id)) {
            for reply in model.elements(in: .thread(head.id.id)) { model.remove(reply.id) }
            model.remove(head.id)
        }
        for member in model.elements(in: .members(id)) { model.remove(member.id) }
        model.remove(.channel(id))
    }
}

extension Twake.RoomName {
    /// The room where a channel's messages are announced.
    static func ofMessages(_ era: TwakeEra, _ path: TwakeChannelPath) -> Twake.RoomName {
        switch era {
        case .a: .previousMessages(channel: path.channel)
        case .b: .feed(company: path.company, workspace: path.workspace, channel: path.channel)
        }
    }
}
