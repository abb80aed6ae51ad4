import Events
import SectionedModel

// Applies answers about messages: pages of a channel, whole threads, single messages.
extension TwakeBackend {
    mutating func applyMessages(
        _ body: ArraySlice<UInt8>, of resource: TwakeResource, isCurrent: Bool, into context: inout HandlerContext
    ) throws(DecodingFailure) {
        switch resource {
        case .feed(let era, let path):
            let page = Page(
                try context.answer(to: TwakeEndpoints.feed(era, path), body),
                leftOut: context.leftOut.count, era,
                path, isCurrent: isCurrent)
            apply(page, before: nil, into: &context)
        case .history(let era, let path, let before):
            let messages = try context.answer(
                to: TwakeEndpoints.feed(era, path, before: before), body)
            let page = Page(messages, leftOut: context.leftOut.count, era, path, isCurrent: isCurrent)
            apply(page, before: before, into: &context)
        case .thread(let era, let company, let path, let id):
            let messages = try context.answer(to: TwakeEndpoints.thread(era, company: company, path, id: id), body)
            apply(messages, ofThread: id, nil, company, era, path, isCurrent: isCurrent, into: &context)
        case .replies(let era, let company, let path, let id, let before):
            let endpoint = TwakeEndpoints.thread(era, company: company, path, id: id, before: before)
            let messages = try context.answer(to: endpoint, body)
            apply(messages, ofThread: id, before, company, era, path, isCurrent: isCurrent, into: &context)
        case .message(let era, let path, let thread, let id):
            guard
                let message = try context.answer(
                    to: TwakeEndpoints.message(era, path, thread: thread, id: id), body)
            else {
                _ = gone(.twake(resource), body: [UInt8(ascii: "{")], into: &context)
                return
            }
            // Requests for other replies are not overtaken by this answer. Otherwise each reply would cause all others
            // to be fetched again.
            if isCurrent {
                context.overtake { $0.concerns(thread: thread, in: path.channel) && !$0.isOfOneReply }
            }
            if isLetGo(message, of: path.channel, in: context.model) { return }
            // In era B the model holds deleted replies, but the count of a new head does not include them.
            let isNew = era == .b && message.isHead && context.model[.message(id)] == nil
            context.adopt(message, at: path, channel: path.channel, era, isCurrent: isCurrent)
            if isNew {
                context.fetch(.twake(.thread(era, company: path.company, path, id: id)))
            } else if isCurrent, message.isHead {
                reconcile(message, era, path, into: &context)
            }
        case .server, .account, .accounts, .companies, .workspaces, .rooms, .channels, .directs, .channel, .members,
            .badges:
            break
        }
    }

    /// Whether a reply belongs to a thread older than the shown messages of its channel. Such a reply would appear
    /// without its head until the next walk.
    func isLetGo(_ reply: Twake.Message, of channel: EntityID, in model: SectionedCollection<Item>) -> Bool {
        guard !reply.isHead, model[.message(reply.id)] == nil, model[.message(reply.thread)] == nil,
            let start = memory.reaches[channel]?.start
        else { return false }
        return reply.createdAt.map { $0.milliseconds < start } ?? false
    }

    /// Applies a page of a thread, the newest one or the one before `cursor`. After the last page, replies that no page
    /// listed are removed.
    private mutating func apply(
        _ messages: [Twake.Message], ofThread id: EntityID, _ cursor: EntityID?, _ company: EntityID, _ era: TwakeEra,
        _ path: TwakeChannelPath?, isCurrent: Bool, into context: inout HandlerContext
    ) {
        let channel = path?.channel ?? context.model[.message(id)]?.message?.channel
        if isCurrent { context.overtakeMessages(of: id, in: channel) }
        for message in messages {
            context.adopt(message, at: path, channel: channel, era, isCurrent: isCurrent)
        }
        // An overtaken page is fetched again and processed then.
        guard isCurrent else { return }
        var reading = cursor == nil ? TwakeMemory.LongThread(channel: channel) : memory.longThreads[id]
        guard reading?.next == cursor else { return }
        let isNews = messages.contains { reading?.listed.contains($0.id) != true }
        reading?.listed.formUnion(messages.map(\.id))
        if !context.leftOut.isHarmless { reading?.isWhole = false }
        // Era A leaves the boundary message out of the page.
        let isFull =
            isNews && messages.count + context.leftOut.count >= TwakeEndpoints.threadLength - 1
        let most =
            catchUp / TwakeEndpoints.threadLength + (memory.isDeep(id) ? TwakeReach.mostPagesBack : 1)
        if isFull, var reading, reading.pages < most, let oldest = messages.first(where: { !$0.isHead }) {
            reading.pages += 1
            reading.next = oldest.id
            memory.longThreads[id] = reading
            return context.fetch(
                .twake(.replies(era, company: company, path, thread: id, before: oldest.id)))
        }
        memory.longThreads[id] = nil
        let listed = reading?.listed ?? []
        let isWhole = reading?.isWhole == true
        for reply in context.model.rows(in: .thread(id))
        where isWhole && !listed.contains(reply.id.id) {
            context.model.remove(reply.id)
        }
        // An older answer may have brought a deleted head back.
        if !isFull, isWhole, !listed.contains(id),
            context.model[.message(id)]?.message?.isHead == true
        {
            context.model.remove(.message(id))
        }
        show(isFull ? messages.first { !$0.isHead } : nil, listed, id, channel, into: &context)
    }

    /// Shows or removes the hole before the oldest fetched reply of a thread.
    ///
    /// - Parameter oldest: The oldest fetched reply, or `nil` when the thread was read completely.
    private mutating func show(
        _ oldest: Twake.Message?, _ listed: Set<EntityID>, _ thread: EntityID, _ channel: EntityID?,
        into context: inout HandlerContext
    ) {
        let head = context.model[.message(thread)]?.message
        let held = listed.count {
            context.model[.message($0)]?.message.map { !$0.isHead && !$0.isDeleted } ?? false
        }
        let missing = head?.replies.map { $0 - held }
        let hole = oldest.flatMap { oldest in
            missing.map { $0 > 0 } == false
                ? nil
                : Hole(
                    of: .thread(thread), from: head?.createdAt ?? Timestamp(milliseconds: 0),
                    to: oldest.createdAt ?? Timestamp(milliseconds: 0), count: missing)
        }
        let isNew = hole != nil && context.model[.hole(thread)] == nil
        context.show(hole, of: thread, isNew: isNew)
        memory.note(hole: hole, inThread: thread, of: channel)
    }

    /// Compares the held replies of a thread with the count in its head, and fetches the thread when they differ.
    ///
    /// - Parameters:
    ///   - listed: The replies in the answer.
    ///   - listsAll: Whether the answer lists every reply. Then a held reply that is not listed also causes a fetch.
    func reconcile(
        _ head: Twake.Message, _ era: TwakeEra, _ path: TwakeChannelPath, listed: Set<EntityID> = [],
        listsAll: Bool = false, into context: inout HandlerContext
    ) {
        // The section contains committed rows only; the rows of this answer are still staged.
        let ids = Set(context.model.rows(in: .thread(head.id)).map(\.id.id)).union(listed)
        let held = ids.compactMap { context.model[.message($0)]?.message }.filter { $0.thread == head.id }
        let isVerified = !listsAll || held.allSatisfy { listed.contains($0.id) }
        let count = held.count { !$0.isDeleted }
        // The model holds only the end of a thread with a hole.
        let isComplete = head.replies.map { $0 == count } ?? true || context.model[.hole(head.id)] != nil
        guard !isVerified || !isComplete else { return }
        context.fetch(.twake(.thread(era, company: path.company, path, id: head.id)))
    }
}

extension HandlerContext {
    /// Takes a message from an answer.
    ///
    /// A current answer is authoritative for the fields that it contains, but an older version of a message only
    /// updates the reply count. From an overtaken answer, only a certainly newer version is taken, because the resource
    /// is fetched again anyway.
    ///
    /// No event reports the thread that a message was moved from (Twake TW-60), and the event of a deletion adds nothing to an answer that
    /// shows it. So a message in another thread, or a deleted reply, causes the heads' counters to be fetched.
    mutating func adopt(
        _ sent: Twake.Message, at path: TwakeChannelPath?, channel: EntityID?, _ era: TwakeEra, isCurrent: Bool
    ) {
        var message = sent
        if message.channel == nil {
            message.channel = channel ?? model[.message(sent.thread)]?.message?.channel
        }
        if let known = model[.message(sent.id)]?.message {
            // In era A, dates ignore edits and may go back (Twake TW-77).
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
