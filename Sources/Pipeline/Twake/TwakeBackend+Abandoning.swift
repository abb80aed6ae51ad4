import Events
import SectionedModel

// Removes the rows of rooms that are no longer wanted, since no event keeps them up to date.
extension TwakeBackend {
    mutating func abandon(_ room: String, _ rooms: RoomSubscriptions, into context: inout HandlerContext) {
        switch Twake.RoomName(room) {
        case .feed(_, _, let channel), .previousMessages(let channel):
            context.cancelMessages(of: channel)
            memory.forgetMessages(of: channel)
            context.removeMessages(of: channel)
        case .thread(_, let thread):
            guard !hasMessages(ofThread: thread, rooms, context.model) else { return }
            context.removeThread(thread)
        case .notifications:
            for section in context.model.sectionKeys where section.name == Item.Section.badgesName {
                for badge in context.model.rows(in: section) { context.model.remove(badge.id) }
            }
        case .directs(let company, _): removeChannels(of: .directs(company), into: &context)
        case .channelsPublic(_, let workspace), .channelsPrivate(_, let workspace, _):
            let isKept = rooms.entries.contains { Twake.RoomName($0.name).lists(workspace) }
            if !isKept { removeChannels(of: .channels(workspace), into: &context) }
        case .online(let company):
            memory.presence = TwakePresenceBook()
            guard let company = company ?? facts.company else { return }
            for user in context.model.rows(in: .online(company)) { context.model.remove(user.id) }
        case .workspaces(let company):
            for place in context.model.rows(in: .workspaces(company)) { context.model.remove(place.id) }
        case .channel(_, _, let channel):
            for member in context.model.rows(in: .members(channel)) { context.model.remove(member.id) }
        default: break
        }
    }

    /// Whether the message room of the thread's channel is still wanted.
    private func hasMessages(
        ofThread thread: EntityID, _ rooms: RoomSubscriptions, _ model: SectionedCollection<Item>
    ) -> Bool {
        guard let channel = model[.message(thread)]?.message?.channel,
            let path = model[.channel(channel)]?.channel?.path
        else { return false }
        return rooms.isWanted(Twake.RoomName.ofMessages(facts.effectiveEra, path).description)
    }
}

extension Twake.RoomName {
    /// Whether the room is one of the two channel lists of the workspace.
    fileprivate func lists(_ workspace: EntityID) -> Bool {
        switch self {
        case .channelsPublic(_, let listed), .channelsPrivate(_, let listed, _): listed == workspace
        default: false
        }
    }
}
