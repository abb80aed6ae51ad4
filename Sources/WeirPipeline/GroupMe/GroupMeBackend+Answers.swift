import WeirEvents
import WeirModel

// Applies the service's answers. They are authoritative, except for events that arrived after the request.
extension GroupMeBackend {
    mutating func apply(
        _ body: ArraySlice<UInt8>, of key: ResourceKey, isCurrent: Bool, into context: inout HandlerContext
    ) throws(DecodingFailure) {
        guard let resource = key.groupMe else { return }
        switch resource {
        case .me: learn(try GroupMeEndpoints.me.parse(body), into: &context)
        case .groups(let page):
            let records = try context.answer(to: GroupMeEndpoints.groups(page: page), body)
            list(records, page: page, isCurrent: isCurrent, into: &context)
        case .formerGroups:
            let records = try context.answer(to: GroupMeEndpoints.formerGroups, body)
            if isCurrent { listFormer(records, into: &context) }
        case .group(let id):
            let record = try context.answer(to: GroupMeEndpoints.group(id), body)
            if isCurrent { show(record, into: &context) }
        case .chats(let page):
            let chats = try context.answer(to: GroupMeEndpoints.chats(page: page, user: user), body)
            list(chats, page: page, into: &context)
        case .newest(let place), .window(let place, _), .around(let place, _):
            guard let endpoint = GroupMeEndpoints.messages(resource, for: user) else { return }
            let page = try context.answer(to: endpoint, body)
            apply(page, of: resource, in: place, isCurrent: isCurrent, into: &context)
        case .addedMembers(let group, let results):
            let added = try context.answer(
                to: GroupMeEndpoints.addedMembers(to: group, results: results), body)
            if isCurrent { for member in added.members { context.model.put(.member(member)) } }
        }
        memory.told.wentWell(key)
    }

    /// Stores the user's id, and subscribes to the user's channel, which is named by that id.
    private mutating func learn(_ account: GroupMe.User, into context: inout HandlerContext) {
        let isNews = user != account.id
        user = account.id
        context.plans.append(.account(account.id.entity))
        if following.contains(.accounts) { context.model.put(.user(account)) }
        if connects, isNews { subscribeToUser(into: &context) }
    }

    // MARK: Lists

    /// Applies a page of the list of groups, which contains no members. Only an empty page ends the list.
    ///
    /// When a group changed while the page was in flight, the page may contain its old state. The page is then fetched
    /// again, and the group separately.
    private mutating func list(
        _ records: [GroupMe.GroupRecord], page: Int, isCurrent: Bool, into context: inout HandlerContext
    ) {
        for record in records where isCurrent || !memory.groups.isTouched(record.group.id.entity) {
            show(record, into: &context)
        }
        guard
            memory.groups.take(records.map(\.group.id.entity), leftOut: context.leftOut, page: page)
        else { return }
        let count = records.count + context.leftOut.count
        if let why = memory.groups.giveUp(after: page, of: count) {
            return tell(.groups(page: page), why, into: &context)
        }
        if let next = memory.groups.next(after: page, of: count) {
            return context.fetch(.groupMe(.groups(page: next)))
        }
        let (gone, doubtful) = memory.groups.end(of: context.model.rows(in: .groups).map(\.id.id))
        for group in gone { leave(GroupMe.GroupID(group), into: &context) }
        for group in doubtful { context.fetch(.groupMe(.group(GroupMe.GroupID(group)))) }
    }

    private mutating func listFormer(_ records: [GroupMe.GroupRecord], into context: inout HandlerContext) {
        memory.former = records.map(\.group.id)
        let listed = Set(records.map(\.group.id.entity))
        let isWhole = context.leftOut.isHarmless
        for row in context.model.rows(in: .formerGroups)
        where isWhole && !listed.contains(row.id.id) {
            context.model.remove(row.id)
        }
        for record in records {
            let row = context.model[.conversation(.group(record.group.id))]
            // A group that the user rejoined has a row in the list of groups; leave it there.
            if row == nil || row?.sectionKey == .formerGroups {
                context.model.put(.group(record.group, isFormer: true))
            }
        }
    }

    private mutating func list(_ chats: [GroupMe.Chat], page: Int, into context: inout HandlerContext) {
        for chat in chats {
            context.show(chat)
            context.want(chat.conversation.room)
        }
        guard
            memory.chats.take(chats.map(\.conversation.entity), leftOut: context.leftOut, page: page)
        else { return }
        let count = chats.count + context.leftOut.count
        if let why = memory.chats.giveUp(after: page, of: count) {
            return tell(.chats(page: page), why, into: &context)
        }
        if let next = memory.chats.next(after: page, of: count) {
            return context.fetch(.groupMe(.chats(page: next)))
        }
        // A direct with a message during the reading exists, even if it moved past the pages that were read.
        let (gone, _) = memory.chats.end(of: context.model.rows(in: .chats).map(\.id.id))
        for row in gone.compactMap({ context.model[Item.ID(.channel, $0)] }) {
            guard let place = row.chat?.conversation else { continue }
            context.model.remove(row.id)
            context.plans.append(.unwant(room: place.room))
        }
    }

    /// Warns that a list was not read to its end, once for each list and page number.
    private mutating func tell(_ page: GroupMeResource, _ why: String, into context: inout HandlerContext) {
        guard memory.toldLoops.isNews(.groupMe(page)) else { return }
        context.notice(
            .warning, "\(page.label) \(why): the list is read no further, and nothing is removed")
    }

    /// Shows a group from an answer. Without members in the answer, the known members stay.
    private mutating func show(_ record: GroupMe.GroupRecord, into context: inout HandlerContext) {
        context.show(record.group)
        context.want(GroupMe.ConversationID.group(record.group.id).room)
        guard let members = record.members else { return }
        let listed = Set(members.map(\.user.entity))
        let isWhole = context.leftOut.isHarmless
        for row in context.model.rows(in: .members(record.group.id.entity))
        where isWhole && !listed.contains(row.id.id) {
            context.model.remove(row.id)
        }
        for member in members { context.model.put(.member(member)) }
    }

    // MARK: Messages

    private mutating func apply(
        _ page: GroupMe.MessagePage, of resource: GroupMeResource, in place: GroupMe.ConversationID, isCurrent: Bool,
        into context: inout HandlerContext
    ) {
        var messages = page.messages
        if isCurrent, context.leftOut.isHarmless {
            context.removeUnlisted(messages, in: place, isWhole: resource.isFirstPage)
        }
        if let start = reach(page, of: resource, in: place, isCurrent: isCurrent, into: &context) {
            let model = context.model
            messages.removeAll { $0.place < start && model.message($0.id) == nil }
            for message in model.messages(of: place).prefix(while: { $0.place < start }) {
                context.model.remove(.message(message.id.entity))
            }
        }
        for message in messages { context.adopt(message, isCurrent: isCurrent) }
        if let receipt = page.receipt { show(receipt, into: &context) }
        // Read the last message from its own row, which the page may just have changed.
        if isCurrent, resource.isFirstPage { context.follow(page, in: place) }
    }

    /// Continues to older pages until the walk has covered everything known and everything missed.
    ///
    /// - Returns: The first position to keep, or `nil` while the walk goes on.
    private mutating func reach(
        _ page: GroupMe.MessagePage, of resource: GroupMeResource, in place: GroupMe.ConversationID, isCurrent: Bool,
        into context: inout HandlerContext
    ) -> GroupMe.Place? {
        let entries = page.messages.map { GroupMeReach.Entry(id: $0.id, position: $0.place) }
        var reach = memory.reaches[place] ?? GroupMeReach.nothing
        let isReached = !resource.isFirstPage || reach.reaches(entries, of: page.count)
        var step = GroupMeReach.Step.none
        switch resource {
        case .window(_, let cursor):
            // A short page is not the last one, and some servers repeat the last page forever (GroupMe GM-34).
            let isLast = entries.isEmpty || (cursor != nil && reach.hasSeen(entries))
            step = reach.take(entries, before: cursor, isLast: isLast, isCurrent: isCurrent, wish)
        case .newest: if !isReached { step = .again }
        case .around, .me, .groups, .formerGroups, .group, .chats, .addedMembers: break
        }
        memory.reaches[place] = reach
        carryOut(step, in: place, into: &context)
        return if case .done(let end) = step { end.start } else { nil }
    }

    private var wish: GroupMeReach.Wish {
        let pages = (max(historyLength, catchUp) - 1) / GroupMeEndpoints.mostMessages + 1
        return GroupMeReach.Wish(count: historyLength, pages: pages)
    }

    private mutating func carryOut(
        _ step: GroupMeReach.Step, in place: GroupMe.ConversationID, into context: inout HandlerContext
    ) {
        switch step {
        case .none: break
        case .ask(let cursor): context.fetch(.groupMe(.window(place, before: cursor)))
        case .again: context.fetch(.groupMe(.window(place, before: nil)))
        case .done(let end):
            let hole = memory.reaches[place]?.hole.map {
                Hole(
                    of: .messages(place.entity), from: $0.from.createdAt ?? Timestamp(milliseconds: 0),
                    to: $0.to.createdAt ?? Timestamp(milliseconds: 0), count: $0.count)
            }
            context.show(hole, of: place.entity, isNew: end.leftHole)
        }
    }

    // MARK: Failures

    /// The delays before a 404 is checked again: short for a 404 of an intermediary, long for a 404 of the service on a
    /// resource that must exist.
    private static let shortWait: Duration = .seconds(2)
    private static let longWait: Duration = .seconds(30)

    mutating func gone(_ key: ResourceKey, body: ArraySlice<UInt8>, into context: inout HandlerContext) -> Bool {
        guard let resource = key.groupMe else { return true }
        // The service's own 404 is an envelope or has an empty body (GroupMe GM-27). Anything else comes from an
        // intermediary.
        if let first = body.first, first != UInt8(ascii: "{") {
            context.fetch(key, after: Self.shortWait)
            return false
        }
        if case .window(let place, let cursor?) = resource, var reach = memory.reaches[place] {
            let step = reach.lost(cursor, wish)
            memory.reaches[place] = reach
            carryOut(step, in: place, into: &context)
        }
        switch resource {
        // For a group that the user left, the service only answers 404 (GroupMe GM-32).
        case .group(let group): leave(group, into: &context)
        case .newest(.group(let group)), .window(.group(let group), _), .around(.group(let group), _):
            context.fetch(.groupMe(.group(group)))
        case .newest, .window, .around, .addedMembers, .formerGroups: break
        case .me, .groups, .chats:
            failed(key, why: "the service has no \(resource.label)", nil, into: &context)
            context.fetch(key, after: Self.longWait)
        }
        return true
    }

    mutating func failed(_ key: ResourceKey, why: String, _ answer: Answer?, into context: inout HandlerContext) {
        // Without the user's id there is no channel to subscribe to, so the connection needs another token.
        if connects, key == .groupMe(.me), why == Refetcher.tokenRefusal {
            return context.plans.append(.tokenRefused("the service does not accept the token"))
        }
        guard memory.told.isNews(key) else { return }
        context.notice(.warning, "\(key.resource.label) cannot be fetched: \(why)")
    }
}

// Maps resources to the sections they describe completely, and sections to the resources that confirm them.
extension GroupMeBackend {
    func sections(of key: ResourceKey, in model: SectionedCollection<Item>) -> [Item.Section] {
        guard let resource = key.groupMe else { return [] }
        switch resource {
        case .me: return [.accounts]
        case .groups: return memory.groups.page == nil ? [.groups] : []
        case .formerGroups: return [.formerGroups]
        case .chats: return memory.chats.page == nil ? [.chats] : []
        case .group(let group): return [.members(group.entity)]
        // A walk covers every held message, so only its end confirms the section.
        case .window(let place, _):
            return memory.reaches[place]?.isWalking != true ? [.messages(place.entity), .receipts(place.entity)] : []
        case .newest, .around, .addedMembers: return []
        }
    }

    func confirmation(of section: Item.Section, in model: SectionedCollection<Item>) -> Confirmation {
        guard connects else { return .never }
        guard user != nil else { return .later }
        switch section {
        case .accounts: return following.contains(.accounts) ? .by(.groupMe(.me)) : .never
        case .groups: return .by(.groupMe(.groups(page: memory.groups.page ?? 1)))
        case .formerGroups: return .by(.groupMe(.formerGroups))
        case .chats: return .by(.groupMe(.chats(page: memory.chats.page ?? 1)))
        default: break
        }
        guard let place = section.parent.flatMap({ GroupMe.ConversationID($0.description) }) else { return .never }
        let areMessages = section == .messages(place.entity) || section == .receipts(place.entity)
        // During a walk the next page is pending. Do not fetch the first page again: it would not confirm older
        // messages.
        if areMessages, let next = memory.reaches[place]?.cursor { return .by(.groupMe(.window(place, before: next))) }
        guard let row = model[.conversation(place)], row.sectionKey != .formerGroups else { return .never }
        if areMessages { return .by(.groupMe(.window(place, before: nil))) }
        guard section == .members(place.entity), let group = place.group else { return .never }
        return .by(.groupMe(.group(group)))
    }

    /// Removes a row. A conversation takes its messages, receipts and members with it.
    mutating func forget(_ row: Item.ID, into context: inout HandlerContext) {
        if row.kind == .channel, let place = GroupMe.ConversationID(row.id.description) {
            memory.forget(place)
            context.removeMessages(of: place)
            if let group = place.group { context.removeMembers(of: group) }
            context.plans.append(.unwant(room: place.room))
        }
        context.model.remove(row)
    }
}
