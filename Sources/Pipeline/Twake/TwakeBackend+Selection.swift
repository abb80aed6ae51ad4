import Events
import SectionedModel

// Switches to another workspace or company. The old rooms are left, and the old requests and rows are removed at once.
// Then discovery starts again for the new place.
extension TwakeBackend {
    var places: [RoomFacts] {
        func facts(_ place: TwakeFacts.Place, _ kind: String, _ room: Twake.RoomName) -> RoomFacts {
            RoomFacts(name: room.description, title: place.name, kind: kind)
        }
        let companies = (self.facts.companies ?? []).map { facts($0, "company", .workspaces(company: $0.id)) }
        guard let company = self.facts.company else { return companies }
        return companies
            + (self.facts.workspaces[company] ?? []).map {
                facts($0, "workspace", .channelsPublic(company: company, workspace: $0.id))
            }
    }

    mutating func select(_ room: String, _ rooms: RoomSubscriptions, into context: inout HandlerContext) {
        let company: EntityID
        let workspace: EntityID?
        switch Twake.RoomName(room) {
        case .channelsPublic(let selected, let place): (company, workspace) = (selected, place)
        case .workspaces(let selected): (company, workspace) = (selected, nil)
        case .directs: return context.globals.tab = .directs
        default:
            guard let message = context.model[.message(EntityID(room))]?.message, let channel = message.channel
            else {
                return selectChannel(room, into: &context)
            }
            let isDirect = context.model[.channel(channel)]?.channel?.workspace == .direct
            return context.globals.select(
                channel: channel, thread: message.thread, in: isDirect ? .directs : .commons)
        }
        guard discoversRooms else {
            return context.notice(.warning, "the rooms were named with --join: there is no workspace to change")
        }
        let changesCompany = company != facts.company
        guard changesCompany || (workspace != nil && workspace != facts.workspace) else { return }
        if changesCompany {
            leaveCompany(rooms, into: &context)
        } else {
            leaveWorkspace(rooms, into: &context)
        }
        let begins = facts.workspace == nil
        facts.company = company
        facts.workspace = workspace
        if begins { dropRemembered(into: &context) }
        discover(into: &context)
    }

    mutating func select(workspace: EntityID, _ rooms: RoomSubscriptions, into context: inout HandlerContext) {
        // Rooms that the user named stay as they are.
        guard discoversRooms, let company = facts.company else { return }
        let room = Twake.RoomName.channelsPublic(company: company, workspace: workspace)
        select(room.description, rooms, into: &context)
    }

    /// Removes the remembered rows of other workspaces, when no earlier selection exists that would remove them.
    mutating func dropRemembered(into context: inout HandlerContext) {
        for section in context.model.sectionKeys where section.name == Item.Section.channelsName {
            if section.parent != facts.workspace { removeChannels(of: section, into: &context) }
        }
    }

    private mutating func leaveWorkspace(_ rooms: RoomSubscriptions, into context: inout HandlerContext) {
        guard let company = facts.company, let workspace = facts.workspace else { return }
        context.plans.append(.cancel(.workspace(workspace, company: company)))
        leave(rooms, into: &context) { $0.company == company && $0.workspace == workspace }
        removeChannels(of: .channels(workspace), into: &context)
    }

    private mutating func leaveCompany(_ rooms: RoomSubscriptions, into context: inout HandlerContext) {
        guard let company = facts.company else { return }
        leaveWorkspace(rooms, into: &context)
        context.plans.append(.cancel(.company(company)))
        leave(rooms, into: &context) { $0.company == company }
        removeChannels(of: .directs(company), into: &context)
        for section in [Item.Section.badges(company), .workspaces(company)] {
            for row in context.model.rows(in: section) { context.model.remove(row.id) }
        }
        memory.needsPlaces = true
        // This room belongs to the user, but its resources belong to a company. Joining again fetches those of the new
        // company.
        if let user = facts.user {
            context.plans.append(.unwant(room: Twake.RoomName.notifications(user: user).description))
        }
    }

    /// Handles a workspace that was deleted or that the user left: removes its channels, and selects another workspace
    /// if it was the selected one.
    mutating func lose(_ workspace: EntityID, of company: EntityID, into context: inout HandlerContext) {
        context.plans.append(.cancel(.workspace(workspace, company: company)))
        var rooms = [Twake.RoomName.channelsPublic(company: company, workspace: workspace)]
        if let user = facts.user {
            rooms.append(.channelsPrivate(company: company, workspace: workspace, user: user))
        }
        for room in rooms { context.plans.append(.unwant(room: room.description)) }
        removeChannels(of: .channels(workspace), into: &context)
        context.model.remove(.workspace(workspace))
        guard discoversRooms, workspace == facts.workspace else { return }
        let name = facts.workspaces[company]?.first { $0.id == workspace }?.name ?? workspace.description
        context.notice(.warning, "the workspace \(name) is no more, or no more yours")
        facts.workspace = nil
    }

    private func leave(
        _ rooms: RoomSubscriptions, into context: inout HandlerContext, where isOld: (Twake.RoomName) -> Bool
    ) {
        for room in rooms.entries.map(\.name) + rooms.unwanted where isOld(Twake.RoomName(room)) {
            context.plans.append(.unwant(room: room))
        }
    }

    /// Removes all channels of a list, with their messages.
    mutating func removeChannels(of section: Item.Section, into context: inout HandlerContext) {
        for channel in context.model.rows(in: section) {
            context.removeChannel(channel.id.id, &memory)
        }
    }
}
