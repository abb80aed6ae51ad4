import Events
import SectionedModel

// Reads the pages of a channel's messages.
//
// The newest page comes first. Older pages are followed as far back as the channel is known (`Reach`), since pages are
// ordered by the last activity of threads, not by age (Twake TW-83): a known thread may have moved forward, and a
// missed one may be before it.
extension TwakeBackend {
    /// A page of a channel's messages.
    struct Page {
        let era: TwakeEra
        let path: TwakeChannelPath
        let isCurrent: Bool
        var messages: [Twake.Message]
        var heads: [Twake.Message]
        /// The threads on the page, each positioned by its last activity.
        let entries: [TwakeReach.Entry]

        /// The number of messages that could not be decoded.
        private let leftOut: Int

        init(
            _ messages: [Twake.Message], leftOut: Int, _ era: TwakeEra, _ path: TwakeChannelPath,
            isCurrent: Bool
        ) {
            self.messages = messages
            self.leftOut = leftOut
            self.era = era
            self.path = path
            self.isCurrent = isCurrent
            heads = messages.filter(\.isHead)
            var latest: [EntityID: Int64] = [:]
            for message in messages {
                latest[message.thread] = max(latest[message.thread] ?? 0, message.lastActivity(era))
            }
            entries = heads.map { TwakeReach.Entry(id: $0.id, position: latest[$0.id] ?? 0) }
        }

        /// Whether the server has no older thread. The proxy filters messages out of pages, so a short page of era A
        /// proves nothing.
        var isLast: Bool { era == .b && heads.count + leftOut < TwakeEndpoints.pageLength }

        /// Removes the threads that are older than `start` and not held.
        mutating func leaveOut(before start: Int64?, _ isHeld: (EntityID) -> Bool) {
            guard let start else { return }
            let passed = Set(entries.filter { $0.position < start && !isHeld($0.id) }.map(\.id))
            guard !passed.isEmpty else { return }
            messages.removeAll { passed.contains($0.thread) }
            heads.removeAll { passed.contains($0.id) }
        }
    }

    mutating func apply(_ page: Page, before cursor: EntityID?, into context: inout HandlerContext) {
        let channel = page.path.channel
        var page = page
        if page.isCurrent {
            context.overtake { $0.path?.channel == channel && $0.isOfMessages }
        } else {
            page.messages.removeAll { memory.removed.contains($0.id) }
        }
        let model = context.model
        let step = withReach(of: channel) { reach, wish in
            reach.take(
                page.entries, before: cursor, isLast: page.isLast, isCurrent: page.isCurrent,
                held: Set(model.rows(in: .messages(channel)).map(\.id.id)), wish)
        }
        // A page that arrives after the end of its walk adds nothing that the walk left out.
        switch step {
        case .done(let end): page.leaveOut(before: end.start) { model[.message($0)] != nil }
        case .none: page.leaveOut(before: memory.reaches[channel]?.start) { model[.message($0)] != nil }
        case .ask, .again: break
        }
        for message in page.messages {
            context.adopt(message, at: page.path, channel: channel, page.era, isCurrent: page.isCurrent)
        }
        // An overtaken page is fetched again, and its threads are compared then.
        if page.isCurrent { reconcileThreads(of: page, into: &context) }
        if page.era == .a, step != .none {
            if cursor == nil { memory.listed[channel] = [] }
            memory.listed[channel, default: []].formUnion(page.messages.lazy.filter { !$0.isHead }.map(\.id))
        }
        carryOut(step, page.era, page.path, into: &context)
    }

    /// Continues a walk whose next page is missing, with another cursor or from the start.
    mutating func lost(
        _ cursor: EntityID, _ era: TwakeEra, _ path: TwakeChannelPath, into context: inout HandlerContext
    ) {
        let step = withReach(of: path.channel) { reach, wish in reach.lost(cursor, wish) }
        carryOut(step, era, path, into: &context)
    }

    private mutating func withReach(
        of channel: EntityID, _ body: (inout TwakeReach, TwakeReach.Wish) -> TwakeReach.Step
    ) -> TwakeReach.Step {
        // Each page except the first begins with a thread of the page before.
        let pages = max(historyLength, catchUp) / (TwakeEndpoints.pageLength - 1) + 2
        return body(
            &memory.reaches[channel, default: TwakeReach(beginning: 0)],
            TwakeReach.Wish(count: historyLength, pages: pages))
    }

    private mutating func carryOut(
        _ step: TwakeReach.Step, _ era: TwakeEra, _ path: TwakeChannelPath, into context: inout HandlerContext
    ) {
        switch step {
        case .none: break
        case .ask(let cursor): context.fetch(.twake(.history(era, path, before: cursor)))
        case .again: context.fetch(.twake(.feed(era, path)), after: .seconds(1))
        case .done(let end): finish(end, era, path, into: &context)
        }
    }

    /// Ends a walk. Held threads that no page listed are removed if they are older than the window. Otherwise each is
    /// fetched: it was deleted, or it moved forward during the walk.
    private mutating func finish(
        _ end: TwakeReach.End, _ era: TwakeEra, _ path: TwakeChannelPath, into context: inout HandlerContext
    ) {
        let channel = path.channel
        // A page of era A may contain a reply without its head, which was deleted or moved. Keep that thread.
        let listed = memory.listed[channel, default: []].compactMap { context.model[.message($0)]?.message?.thread }
        let shown = Set(listed)
        for item in context.model.rows(in: .messages(channel)) {
            let isOld =
                !shown.contains(item.id.id)
                && end.start.map { lastActivity(of: item.id.id, era, context) < $0 } ?? false
            guard isOld || end.unseen.contains(item.id.id) else { continue }
            // The page may list the former head as a reply in another thread.
            guard context.model[item.id]?.message?.isHead ?? false else { continue }
            if isOld || (end.isWhole && era == .b) {
                context.removeThread(item.id.id)
            } else {
                context.fetch(.twake(.message(era, path, thread: item.id.id, id: item.id.id)))
                // No page showed changes inside this thread either.
                guard context.model.elementCount(in: .thread(item.id.id)) > 0 else { continue }
                context.fetch(.twake(.thread(era, company: path.company, path, id: item.id.id)))
            }
        }
        let hole = memory.reaches[channel]?.hole
        context.show(
            hole.map {
                Hole(
                    of: .messages(channel), from: Timestamp(milliseconds: $0.from), to: Timestamp(milliseconds: $0.to))
            }, of: channel, isNew: end.leftHole)
        for thread in era == .b ? context.strays(of: channel) : headless(in: channel, context) {
            context.fetch(.twake(.thread(era, company: path.company, path, id: thread)))
        }
        for thread in memory.deepThreads(of: channel) {
            context.fetch(.twake(.thread(era, company: path.company, path, id: thread)))
        }
    }

    /// Returns the time of the last known activity in a thread, in milliseconds since 1970.
    private func lastActivity(of thread: EntityID, _ era: TwakeEra, _ context: HandlerContext) -> Int64 {
        let rows = context.model.rows(in: .thread(thread)) + [context.model[.message(thread)]].compactMap { $0 }
        return rows.compactMap { $0.message?.lastActivity(era) }.max() ?? 0
    }

    mutating func missed(_ model: SectionedCollection<Item>) {
        for channel in memory.reaches.keys {
            let heads = model.rows(in: .messages(channel)).compactMap(\.message)
            let replies = heads.flatMap { model.rows(in: .thread($0.id)) }.compactMap(\.message)
            let newest = (heads + replies).map { $0.lastActivity(facts.effectiveEra) }.max()
            memory.reaches[channel]?.missed(after: newest)
        }
    }

    mutating func recalled(_ items: [Item]) {
        var threads: [EntityID: Int64] = [:]
        var channels: [EntityID: [EntityID]] = [:]
        for message in items.compactMap(\.message) {
            threads[message.thread] = max(threads[message.thread] ?? 0, message.lastActivity(facts.effectiveEra))
            guard message.isHead, let channel = message.channel else { continue }
            channels[channel, default: []].append(message.id)
        }
        for (channel, heads) in channels {
            let entries = heads.map { TwakeReach.Entry(id: $0, position: threads[$0] ?? 0) }
            memory.reaches[channel, default: TwakeReach(beginning: 0)].remember(entries, passesOver: resyncs)
        }
    }

    func knownSince(_ room: String) -> Int64? {
        Twake.RoomName(room).channel.flatMap { memory.reaches[$0]?.start }
    }

    private func reconcileThreads(of page: Page, into context: inout HandlerContext) {
        var listed: [EntityID: Set<EntityID>] = [:]
        for message in page.messages where !message.isHead { listed[message.thread, default: []].insert(message.id) }
        for head in page.heads {
            let replies = listed.removeValue(forKey: head.id) ?? []
            reconcile(head, page.era, page.path, listed: replies, listsAll: true, into: &context)
        }
        // A page of the proxy may list a reply without its head. The later event of the reply is then no news, so the
        // head's counter must be checked here.
        for reply in page.messages where !reply.isHead {
            guard let replies = listed.removeValue(forKey: reply.thread),
                let head = context.model[.message(reply.thread)]?.message, head.isHead
            else { continue }
            reconcile(head, page.era, page.path, listed: replies, into: &context)
        }
    }

    /// Returns the threads without a head whose replies were not all listed.
    ///
    /// In era A, the replies of a deleted or moved head stay in place, and no counter covers them.
    private mutating func headless(in channel: EntityID, _ context: HandlerContext) -> [EntityID] {
        let listed = memory.listed.removeValue(forKey: channel) ?? []
        let model = context.model
        return model.sectionKeys.filter { $0.name == Item.Section.threadName }.compactMap { section in
            guard let thread = section.parent, model[.message(thread)]?.message?.isHead != true else { return nil }
            // Threads that this walk removed are not fetched.
            let replies = model.rows(in: section).filter { $0.message?.channel == channel && model[$0.id] != nil }
            return replies.allSatisfy { listed.contains($0.id.id) } ? nil : thread
        }
    }
}

extension TwakeResource {
    /// Whether the answer contains messages.
    var isOfMessages: Bool {
        switch self {
        case .feed, .history, .thread, .replies, .message: true
        case .server, .account, .accounts, .companies, .workspaces, .rooms, .channels, .directs, .channel, .members,
            .badges:
            false
        }
    }
}

extension Twake.Message {
    /// The time of the last activity in the message's thread, as far as this message contains it, in milliseconds since
    /// 1970. In era A it is the head's modification time (Twake TW-77).
    fileprivate func lastActivity(_ era: TwakeEra) -> Int64 {
        let said = isHead ? era == .a ? self.updatedAt : self.threadActivity : nil
        return max(self.createdAt?.milliseconds ?? 0, said?.milliseconds ?? 0)
    }
}
