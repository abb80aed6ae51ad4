import Events
import SectionedModel

extension TwakeHandler where Payload == Twake.Message {
    /// Handles `message` of eras B and C.
    ///
    /// The payload is complete, so it is applied; duplicates and older versions change nothing. A deletion is an update
    /// with `subtype: "deleted"` (Twake TW-52). A reply changes the counter of its head, which is not sent
    /// (Twake TW-50).
    static let messageChanged = TwakeHandler(name: "message") { sent, envelope, facts, memory, context in
        let path = context.path(of: sent, in: envelope.room)
        let channel = sent.channel ?? path?.channel
        let known = context.model[.message(sent.id)]?.message
        guard known != nil || !sent.isStub else { return }
        if known == nil, !memory.typing.isEmpty, let user = sent.user, let channel {
            context.endTyping(user, in: channel, sent.isHead ? nil : sent.thread, &memory)
        }
        context.overtakeMessages(of: sent.thread, in: channel)
        let message = known?.merged(with: sent, in: channel) ?? sent.placed(in: channel)
        let freshness = envelope.isDeletion ? .removed : known.map { message.freshness(against: $0) } ?? .unknown
        let treatment = TwakeRefetchPolicy.treatment(of: .message, freshness)
        if treatment.applies, let row = Item.message(message) { context.take(row) }
        guard let path else { return }
        if treatment.refetch == .message {
            context.fetch(.twake(.message(.b, path, thread: sent.thread, id: sent.id)))
        }
        // A head that first appears through an update, or that is older than the known pages, already has replies. The
        // frame does not contain their number.
        let isBeyond = known == nil && (envelope.isUpdate || memory.isBeyond(sent, in: channel))
        let hasMoved = known.map { $0.thread != sent.thread } ?? false
        guard freshness != .older, !sent.isHead || isBeyond || hasMoved else { return }
        let counter = TwakeRefetchPolicy.treatment(of: .replyCounter, sent.counterStanding(known))
        if counter.refetch == .head { context.fetchHeads(of: sent, known, .b, path) }
    }
}

extension TwakeHandler where Payload == TwakeMessageNotice {
    /// Handles `realtime:event` of era A, which contains ids only: the message is fetched, and a removal is applied.
    /// Both may change the counter of the message's head.
    static let messageAnnounced = TwakeHandler(name: "message by id") { notice, envelope, facts, memory, context in
        guard let path = context.path(ofRoom: envelope.room, facts) else { return }
        let known = context.model[.message(notice.id)]?.message
        context.overtakeMessages(of: notice.thread, in: path.channel)
        let freshness: TwakeFreshness = notice.isRemoval ? .removed : known == nil ? .unknown : .doubtful
        let treatment = TwakeRefetchPolicy.treatment(of: .messageNotice, freshness)
        let key = ResourceKey.twake(.message(.a, path, thread: notice.thread, id: notice.id))
        if treatment.applies {
            context.plans.append(.forget(key))
            context.model.remove(.message(notice.id))
            memory.noteRemoval(of: notice.id, isFetching: context.refetcher.isFetching)
        }
        if treatment.refetch == .message { context.fetch(key) }
        guard notice.thread != notice.id, notice.isRemoval || known == nil else { return }
        let counter = TwakeRefetchPolicy.treatment(of: .replyCounter, freshness)
        if counter.refetch == .head {
            context.fetch(.twake(.message(.a, path, thread: notice.thread, id: notice.thread)))
        }
    }
}

extension TwakeHandler where Payload == Twake.Badge {
    /// Handles `user_notification_badges`: shows or removes an unread thread at once. Then all badges are fetched, once
    /// for N frames (Twake TW-53).
    static let badgeChanged = TwakeHandler(name: "badge") { sent, envelope, facts, memory, context in
        let row = Item.badge(sent)
        // In era A the model holds the proxy's counters, which a badge of one thread cannot update.
        let isCounted = facts.era == .a
        let freshness: TwakeFreshness =
            envelope.isDeletion ? .removed : context.model[row.id] == row ? .same : .doubtful
        let treatment = TwakeRefetchPolicy.treatment(of: .badge, freshness)
        if treatment.applies, !isCounted {
            if envelope.isDeletion { context.model.remove(row.id) } else { context.model.put(row) }
        }
        if treatment.refetch == .badgesSoon {
            context.fetch(.twake(.badges(facts.effectiveEra, company: sent.company)), after: .milliseconds(300))
        }
    }
}

extension Twake.Message {
    /// Returns how a reply, or a moved message, relates to the counter of its head.
    fileprivate func counterStanding(_ known: Twake.Message?) -> TwakeFreshness {
        guard let known else { return .unknown }
        if known.thread != self.thread || known.isDeleted != isDeleted { return .newer }
        // The known version came through the room of its thread, which does not identify the channel.
        return known.channel == nil ? .doubtful : .same
    }
}

extension HandlerContext {
    /// Returns the path of the message's channel. A feed room contains it; for the room of a thread, the known head
    /// does.
    fileprivate func path(of message: Twake.Message, in room: Twake.RoomName) -> TwakeChannelPath? {
        if case .feed(let company, let workspace, let channel) = room {
            return TwakeChannelPath(company: company, workspace: workspace, channel: channel)
        }
        let head = model[.message(message.thread)]?.message
        guard let id = message.channel ?? head?.channel else { return nil }
        return model[.channel(id)]?.channel?.path
    }

    /// Fetches the heads of the threads that a message was moved to and from. If a moved message was a head, its page
    /// may be fetched too.
    mutating func fetchHeads(
        of sent: Twake.Message, _ known: Twake.Message?, _ era: TwakeEra, _ path: TwakeChannelPath
    ) {
        fetch(.twake(.message(era, path, thread: sent.thread, id: sent.thread)))
        guard let known, known.thread != sent.thread else { return }
        overtakeMessages(of: known.thread, in: path.channel)
        if !known.isHead {
            fetch(.twake(.message(era, path, thread: known.thread, id: known.thread)))
        } else if model.elementCount(in: .messages(path.channel)) >= TwakeEndpoints.pageLength {
            // A head that became a reply leaves room in the newest page for a thread that no event reports.
            fetch(.twake(.feed(era, path)))
        }
    }

    /// Returns the path of the channel of an era A message room. The room contains only the channel's id; the model
    /// knows the rest.
    func path(ofRoom room: Twake.RoomName, _ facts: TwakeFacts) -> TwakeChannelPath? {
        guard case .previousMessages(let id) = room else { return nil }
        if let channel = model[.channel(id)]?.channel { return channel.path }
        guard let company = facts.company, let workspace = facts.workspace else { return nil }
        return TwakeChannelPath(company: company, workspace: workspace, channel: id)
    }
}
