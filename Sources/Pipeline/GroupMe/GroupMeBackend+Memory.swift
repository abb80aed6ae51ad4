import Events
import SectionedModel

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
