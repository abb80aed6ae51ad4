import Events
import SectionedModel

extension TwakeHandler where Payload == Twake.Message {
    /// `message` (era B): the payload is whole, so it is applied; twins and older versions change nothing. A deletion is an update
    /// with `subtype: "deleted"` (T5).
    static let messageChanged = TwakeHandler(name: "message") { sent, envelope, facts, transaction in
        var sent = sent
        if case .feed(_, _, let channel) = envelope.room { sent.channel = sent.channel ?? channel }
        transaction.adoptMessage(sent)
    }

    /// `message` (era B): a reply changes the reply count of its head, which is not sent (T3). The twin in the thread's room
    /// does not know the channel; the one in the feed does.
    static let repliesChanged = TwakeHandler(name: "replies") { sent, envelope, facts, transaction in
        guard !sent.isHead, case .feed(let company, let workspace, let channel) = envelope.room else { return }
        let path = TwakeChannelPath(company: company, workspace: workspace, channel: channel)
        transaction.fetch(.twake(.message(.b, path, thread: sent.thread, id: sent.thread)))
    }
}

extension TwakeHandler where Payload == TwakeMessageNotice {
    /// Era A's `realtime:event`: ids only, so the message is fetched; a removal is applied.
    static let messageAnnounced = TwakeHandler(name: "message by id") { notice, envelope, facts, transaction in
        guard let path = transaction.path(ofRoom: envelope.room, facts) else { return }
        let key = ResourceKey.twake(.message(.a, path, thread: notice.thread, id: notice.id))
        if notice.isRemoval {
            transaction.plans.append(.forget(key))
            transaction.model.remove(.message(notice.id))
        } else {
            transaction.fetch(key)
        }
    }

    /// Era A's `realtime:event` of a reply: the head's reply count changes.
    static let repliesAnnounced = TwakeHandler(name: "replies by id") { notice, envelope, facts, transaction in
        guard notice.thread != notice.id, let path = transaction.path(ofRoom: envelope.room, facts) else { return }
        transaction.fetch(.twake(.message(.a, path, thread: notice.thread, id: notice.thread)))
    }
}

extension TwakeHandler where Payload == Twake.Badge {
    /// `user_notification_badges`: one unread thread comes or goes; N of them change nothing but themselves (T6).
    static let badgeChanged = TwakeHandler(name: "badge") { sent, envelope, facts, transaction in
        if facts.era == .a {
            transaction.fetch(.twake(.badges(.a, company: sent.company)))
        } else if envelope.isDeletion {
            transaction.model.remove(.badge(sent))
        } else {
            transaction.model.put(.badge(sent))
        }
    }
}

extension Transaction {
    /// Takes a message in, unless the model holds a newer version of it.
    mutating func adoptMessage(_ sent: Twake.Message) {
        var message = sent
        if let known = model[.message(sent.id)]?.message {
            guard !sent.isOlder(than: known) else { return }
            message = known.merged(with: sent)
        }
        if message.channel == nil, !message.isHead {
            message.channel = model[.message(message.thread)]?.message?.channel
        }
        if let item = Item.message(message) { model.put(item) }
    }

    /// Where the channel of an era A message room is. The room has the channel's id only; the list knows the rest.
    func path(ofRoom room: Twake.RoomName, _ facts: TwakeFacts) -> TwakeChannelPath? {
        guard case .previousMessages(let id) = room else { return nil }
        if let channel = model[.channel(id)]?.channel { return channel.path }
        guard let company = facts.company, let workspace = facts.workspace else { return nil }
        return TwakeChannelPath(company: company, workspace: workspace, channel: id)
    }
}
