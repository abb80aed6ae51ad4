import Events
import SectionedModel

// Answers about messages: pages of a channel, whole threads, single messages.
extension TwakeBackend {
    mutating func applyMessages(
        _ body: ArraySlice<UInt8>, of resource: TwakeResource, isCurrent: Bool, into transaction: inout Transaction
    ) throws(DecodingFailure) {
        switch resource {
        case .feed(let era, let path):
            let page = Page(
                try transaction.answer(to: TwakeEndpoints.feed(era, path), body), era, path, isCurrent: isCurrent)
            apply(page, isFirst: true, into: &transaction)
        case .history(let era, let path, let before):
            let messages = try transaction.answer(to: TwakeEndpoints.feed(era, path, before: before), body)
            apply(Page(messages, era, path, isCurrent: isCurrent), isFirst: false, into: &transaction)
        case .thread(let era, let company, let path, let id):
            let messages = try transaction.answer(to: TwakeEndpoints.thread(era, company: company, path, id: id), body)
            apply(messages, ofThread: id, era, path, isCurrent: isCurrent, into: &transaction)
        case .message(let era, let path, let thread, let id):
            guard let message = try TwakeEndpoints.message(era, path, thread: thread, id: id).parse(body) else {
                _ = gone(.twake(resource), body: [UInt8(ascii: "{")], into: &transaction)
                return
            }
            // Answers about other replies are none the older for this one: were they overtaken, each would make all others be fetched again.
            if isCurrent {
                transaction.overtake { $0.concerns(thread: thread, in: path.channel) && !$0.isOfOneReply }
            }
            transaction.adopt(message, at: path, channel: path.channel, era, isCurrent: isCurrent)
            if isCurrent, message.isHead { reconcile(message, era, path, listed: nil, into: &transaction) }
        case .server, .account, .accounts, .companies, .workspaces, .rooms, .channels, .directs, .channel, .members,
            .badges:
            break
        }
    }

    /// A whole thread: what it does not list is not in it.
    private func apply(
        _ messages: [Twake.Message], ofThread id: EntityID, _ era: TwakeEra, _ path: TwakeChannelPath?,
        isCurrent: Bool, into transaction: inout Transaction
    ) {
        let channel = path?.channel ?? transaction.model[.message(id)]?.message?.channel
        if isCurrent {
            transaction.overtakeMessages(of: id, in: channel)
            let listed = Set(messages.map(\.id))
            for reply in transaction.model.rows(in: .thread(id)) where !listed.contains(reply.id.id) {
                transaction.model.remove(reply.id)
            }
        }
        for message in messages {
            transaction.adopt(message, at: path, channel: channel, era, isCurrent: isCurrent)
        }
    }

    /// Compares what the model holds of a thread with what its head counts. `listed`: the replies that came with the head, where they did.
    /// Whatever is held and was not listed, or is counted and not held, makes the thread be fetched.
    func reconcile(
        _ head: Twake.Message, _ era: TwakeEra, _ path: TwakeChannelPath, listed: Set<EntityID>?,
        into transaction: inout Transaction
    ) {
        // The section shows what is committed; what the answer brought is staged.
        var ids = Set(transaction.model.rows(in: .thread(head.id)).map(\.id.id))
        if let listed { ids.formUnion(listed) }
        let held = ids.compactMap { transaction.model[.message($0)]?.message }.filter { $0.thread == head.id }
        let isVerified = listed.map { listed in held.allSatisfy { listed.contains($0.id) } } ?? true
        let count = held.count { !$0.isDeleted }
        // A thread is fetched up to a thousand messages: of longer ones the model holds the end.
        let isComplete = head.replies.map { $0 == count || $0 >= 990 } ?? true
        guard !isVerified || !isComplete else { return }
        transaction.fetch(.twake(.thread(era, company: path.company, path, id: head.id)))
    }
}

extension Transaction {
    /// Takes a message of an answer in. One that is current is the truth, but for what it leaves out; an older version than the model's
    /// only counts the replies. Of one that is not current, only what is certainly newer is taken: it is fetched again anyway. No event tells
    /// of the thread that a message was moved from (T14), and the event of a deletion is no news after the answer that shows it: an answer
    /// that shows a message elsewhere, or a reply deleted, makes the counters be read again.
    mutating func adopt(
        _ sent: Twake.Message, at path: TwakeChannelPath?, channel: EntityID?, _ era: TwakeEra, isCurrent: Bool
    ) {
        var message = sent
        if message.channel == nil {
            message.channel = channel ?? model[.message(sent.thread)]?.message?.channel
        }
        if let known = model[.message(sent.id)]?.message {
            // Era A's dates say nothing of edits and may go back (4.3).
            let isOlder = era == .b && sent.isOlder(than: known)
            if isCurrent {
                message = isOlder ? known.counted(by: sent) : known.merged(with: message)
            } else {
                guard known.isOlder(than: sent) else { return }
                let counter = known.replies
                message = known.merged(with: message)
                message.replies = counter ?? message.replies
            }
            let isUncounted = !message.isHead && message.isDeleted != known.isDeleted
            if let path, message.thread != known.thread || isUncounted { fetchHeads(of: message, known, era, path) }
        } else if sent.isStub {
            return
        }
        if let row = Item.message(message) { take(row) }
    }
}

extension Twake.Message {
    fileprivate func counted(by answer: Twake.Message) -> Twake.Message {
        guard let replies = answer.replies, replies != self.replies else { return self }
        var message = self
        message.replies = replies
        return message
    }
}
