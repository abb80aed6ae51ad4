import WeirEvents
import WeirModel

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
