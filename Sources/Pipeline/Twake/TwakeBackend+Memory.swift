import Events
import SectionedModel

// Maps resources to the sections they describe completely, and sections to the resources that confirm them.
extension TwakeBackend {
    func sections(of key: ResourceKey, in model: SectionedCollection<Item>) -> [Item.Section] {
        guard let resource = key.twake else { return [] }
        switch resource {
        case .channels(_, _, let workspace): return [.channels(workspace)]
        case .directs(_, let company): return [.directs(company)]
        // Once the user's own account arrives, the remembered accounts are fetched again. They stay valid until then.
        case .account: return [.accounts]
        case .companies: return [.companies]
        case .workspaces(_, let company): return [.workspaces(company)]
        case .members(_, let path): return [.members(path.channel)]
        // The walk covers every held head, and a thread is fetched when its head's count differs from the held replies.
        case .feed(_, let path):
            let heads = model.elements(in: .messages(path.channel))
            return [.messages(path.channel)] + heads.map { .thread($0.id.id) }
        case .thread(_, _, _, let thread): return [.thread(thread)]
        case .badges(_, let company): return [.badges(company)]
        case .server, .accounts, .rooms, .channel, .history, .replies, .message: return []
        }
    }

    mutating func forget(_ row: Item.ID, into context: inout HandlerContext) {
        guard row.kind == .channel else { return context.model.remove(row) }
        context.removeChannel(row.id, &memory)
    }

    func confirmation(of section: Item.Section, in model: SectionedCollection<Item>) -> Confirmation {
        guard !facts.hasNoREST else { return .never }
        if let list = userList(section) { return facts.era == nil && discoversRooms ? .later : list }
        guard let parent = section.parent else { return .never }
        if discoversRooms, facts.era == nil || facts.user == nil || facts.workspace == nil { return .later }
        guard let company = facts.company, let workspace = facts.workspace else { return .never }
        let era = facts.effectiveEra
        switch section.name {
        case "channels":
            return parent == workspace ? .by(.twake(.channels(era, company: company, workspace: parent))) : .never
        case "directs": return parent == company ? .by(.twake(.directs(era, company: company))) : .never
        case Item.Section.badgesName: return parent == company ? .by(.twake(.badges(era, company: company))) : .never
        case Item.Section.workspacesName:
            return parent == company && following.contains(.places)
                ? .by(.twake(.workspaces(era, company: company))) : .never
        case "members": return path(of: parent, model).map { .by(.twake(.members(era, $0))) } ?? .never
        case "messages": return path(of: parent, model).map { .by(.twake(.feed(era, $0))) } ?? .never
        case "thread":
            guard let channel = model[.message(parent)]?.message?.channel, let path = path(of: channel, model) else {
                return .never
            }
            return .by(.twake(.thread(era, company: company, path, id: parent)))
        default: return .never
        }
    }

    /// Returns how to confirm a section that belongs to the user rather than to a company; `nil` for any other section.
    private func userList(_ section: Item.Section) -> Confirmation? {
        switch section {
        case .accounts: following.contains(.accounts) ? .by(.twake(.account(facts.effectiveEra))) : .never
        case .companies: following.contains(.places) ? .by(.twake(.companies(facts.effectiveEra))) : .never
        default: nil
        }
    }

    private func path(of channel: EntityID, _ model: SectionedCollection<Item>) -> TwakeChannelPath? {
        model[.channel(channel)]?.channel?.path
    }
}
