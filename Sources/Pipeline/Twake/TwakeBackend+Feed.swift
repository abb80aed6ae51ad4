import Events
import SectionedModel

// Pages of a channel's messages. The newest page comes first; older ones are followed as long as the model holds heads that no page has
// shown, or fewer than the user wants. Pages go by the threads' last activity, not by their age (4.4), so that only having been seen says
// that a head is still there.
extension TwakeBackend {
    /// One page.
    struct Page {
        let era: TwakeEra
        let path: TwakeChannelPath
        let isCurrent: Bool
        let messages: [Twake.Message]
        let heads: [Twake.Message]

        init(_ messages: [Twake.Message], _ era: TwakeEra, _ path: TwakeChannelPath, isCurrent: Bool) {
            self.messages = messages
            self.era = era
            self.path = path
            self.isCurrent = isCurrent
            heads = messages.filter(\.isHead)
        }

        /// The message that the next page ends with: the head of the thread that has been quiet for the longest time.
        var boundary: EntityID? {
            guard era == .a else { return heads.first?.id }
            // Era A sorts by age, heads and replies mixed: a thread is as new as the last that is listed of it.
            var latest: [EntityID: Timestamp] = [:]
            for message in messages {
                guard let time = message.createdAt else { continue }
                latest[message.thread] = max(latest[message.thread] ?? time, time)
            }
            // Of two that are, the one is newer that was changed later: a reply may have come by a move.
            return heads.min { a, b in
                let (latestA, latestB) = (latest[a.id], latest[b.id])
                return latestA == latestB ? earlier(a.updatedAt, b.updatedAt) : earlier(latestA, latestB)
            }?.id
        }

        private func earlier(_ a: Timestamp?, _ b: Timestamp?) -> Bool {
            guard let a, let b else { return a == nil && b != nil }
            return a < b
        }
    }

    /// How many pages are followed to see what the model holds; older heads are then let go of.
    private static let maximumPages = 10
    /// And how many when somebody wants to see far back.
    private static let mostPagesBack = 100

    mutating func apply(_ page: Page, isFirst: Bool, into transaction: inout Transaction) {
        let channel = page.path.channel
        let held = isFirst ? Set(transaction.model.rows(in: .messages(channel)).map(\.id.id)) : []
        if page.isCurrent { transaction.overtake { $0.path?.channel == channel && $0.isOfMessages } }
        for message in page.messages {
            transaction.adopt(message, at: page.path, channel: channel, page.era, isCurrent: page.isCurrent)
        }
        // It is fetched again, and then says what is there and what is not.
        guard page.isCurrent else { return }
        reconcileThreads(of: page, into: &transaction)
        guard var walk = isFirst ? TwakeMemory.Walk(unseen: held, seen: []) : memory.walks[channel] else { return }
        let seenBefore = walk.seen.count
        for head in page.heads {
            walk.unseen.remove(head.id)
            walk.seen.insert(head.id)
        }
        follow(walk, after: page, hasNews: walk.seen.count > seenBefore, into: &transaction)
    }

    private mutating func follow(
        _ walk: TwakeMemory.Walk, after page: Page, hasNews: Bool, into transaction: inout Transaction
    ) {
        let channel = page.path.channel
        memory.walks[channel] = nil
        // The proxy leaves messages out of a page, so that a short one proves nothing.
        let isLast = !hasNews || (page.era == .b && page.heads.count < TwakeEndpoints.pageLength)
        var (walk, boundary) = (walk, page.boundary)
        if !isLast { passOverKept(of: page, &walk, &boundary, transaction) }
        var wanted = walk.seen.count < historyLength
        var limit = max(Self.maximumPages, historyLength / (TwakeEndpoints.pageLength - 1) + 2)
        if let depth = memory.depths[channel], let boundary {
            wanted = wanted || lastActivity(of: boundary, transaction) >= depth.milliseconds
            limit = max(limit, Self.mostPagesBack)
        }
        if !isLast, !walk.unseen.isEmpty || wanted, walk.pages < limit, let boundary {
            walk.pages += 1
            walk.next = boundary
            memory.walks[channel] = walk
            return transaction.fetch(.twake(.history(page.era, page.path, before: boundary)))
        }
        memory.kept[channel] = nil
        memory.depths[channel] = nil
        let isComplete = isLast && walk.pages == 1 && page.era == .b
        for item in transaction.model.rows(in: .messages(channel)) where walk.unseen.contains(item.id.id) {
            // The page may show it as a reply, to where it was moved.
            guard transaction.model[item.id]?.message?.isHead ?? false else { continue }
            if isLast, !isComplete {
                // It may have come forward while the pages were followed: it is asked for by itself.
                transaction.fetch(.twake(.message(page.era, page.path, thread: item.id.id, id: item.id.id)))
            } else {
                transaction.removeThread(item.id.id)
            }
        }
        guard page.era == .b else { return }
        for thread in transaction.strays(of: channel) {
            transaction.fetch(.twake(.thread(page.era, company: page.path.company, page.path, id: thread)))
        }
    }

    /// Pages that an earlier session kept are not asked for again at the start: where a page ends with a head that is remembered, what is
    /// remembered behind it was there when it was kept, and a thread that moved since has come forward. What was edited or deleted
    /// meanwhile the next full look finds, which passes over nothing.
    private mutating func passOverKept(
        of page: Page, _ walk: inout TwakeMemory.Walk, _ boundary: inout EntityID?, _ transaction: Transaction
    ) {
        let channel = page.path.channel
        guard let end = boundary, memory.kept[channel]?.contains(end) == true,
            let kept = memory.kept.removeValue(forKey: channel)
        else { return }
        let passed = walk.unseen.intersection(kept)
        walk.unseen.subtract(passed)
        walk.seen.formUnion(passed)
        // The page behind them, where more are wanted.
        let quietest = passed.min { (lastActivity(of: $0, transaction), $0) < (lastActivity(of: $1, transaction), $1) }
        boundary = quietest ?? end
    }

    /// When the latest message of a thread was written that the model holds.
    private func lastActivity(of thread: EntityID, _ transaction: Transaction) -> Int64 {
        let rows = transaction.model.rows(in: .thread(thread)) + [transaction.model[.message(thread)]].compactMap { $0 }
        return rows.compactMap { $0.message?.createdAt?.milliseconds }.max() ?? 0
    }

    mutating func recalled(_ items: [Item]) {
        guard looksAgain else { return }
        for item in items {
            guard let message = item.message, message.isHead, let channel = message.channel else { continue }
            memory.kept[channel, default: []].insert(message.id)
        }
    }

    /// The pages cannot be followed: what none has shown is let go of.
    mutating func abandonWalk(of channel: EntityID, into transaction: inout Transaction) {
        guard let walk = memory.walks.removeValue(forKey: channel) else { return }
        for item in transaction.model.rows(in: .messages(channel)) where walk.unseen.contains(item.id.id) {
            transaction.removeThread(item.id.id)
        }
    }

    private func reconcileThreads(of page: Page, into transaction: inout Transaction) {
        var listed: [EntityID: Set<EntityID>] = [:]
        for message in page.messages where !message.isHead { listed[message.thread, default: []].insert(message.id) }
        for head in page.heads {
            reconcile(head, page.era, page.path, listed: listed[head.id] ?? [], into: &transaction)
        }
        if page.era == .a { verifyHeadless(of: page, listed: listed, into: &transaction) }
    }

    /// Era A leaves the replies of a deleted head where they are, and counts them nowhere: those that were not listed are asked about.
    private func verifyHeadless(
        of page: Page, listed: [EntityID: Set<EntityID>], into transaction: inout Transaction
    ) {
        let channel = page.path.channel
        for section in transaction.model.sectionKeys where section.name == Item.Section.threadName {
            guard let thread = section.parent, transaction.model[.message(thread)] == nil else { continue }
            let replies = transaction.model.rows(in: section).filter { $0.message?.channel == channel }
            if replies.allSatisfy({ listed[thread]?.contains($0.id.id) ?? false }) { continue }
            transaction.fetch(.twake(.thread(.a, company: page.path.company, page.path, id: thread)))
        }
    }
}

extension TwakeResource {
    /// Whether its answer holds messages.
    var isOfMessages: Bool {
        switch self {
        case .feed, .history, .thread, .message: true
        case .server, .account, .accounts, .companies, .workspaces, .rooms, .channels, .directs, .channel, .members,
            .badges:
            false
        }
    }
}
