import Events
import JSONText
import SectionedModel
import Terminal

// Chooses the next step of an action: a fetch of missing data, or the request itself (GroupMe GM-29 to GM-43).
extension GroupMeBackend {
    /// The maximum length of a message, in characters (GroupMe GM-37).
    private static let longestText = 1000

    func step(for action: Action, fetched: [ResourceKey], in model: SectionedCollection<Item>) -> ActionStep {
        guard let user else {
            let key = ResourceKey.groupMe(.me)
            return fetched.contains(key) ? .impossible("the server does not identify you") : .fetch([key])
        }
        switch action.operation {
        case .createWorkspace, .changeWorkspace: return .impossible("GroupMe has no workspaces")
        case .changeAccount: return .impossible("GroupMe has no language and no status of an account")
        case .createChannel(let draft): return step(making: draft, action, fetched, model)
        case .rejoinChannel(let name): return step(rejoining: name, fetched, model)
        default: break
        }
        guard let name = action.operation.channel else { return .impossible("it names no group") }
        guard let place = conversation(named: name, in: model) else { return finding(name, fetched, model) }
        if let group = place.group, model.group(group) == nil {
            let key = ResourceKey.groupMe(.group(group))
            return fetched.contains(key) ? .impossible("you are not a member of group \(group)") : .fetch([key])
        }
        if place.group == nil, place.partner(of: user) == nil { return .impossible("the direct \(place) is not yours") }
        var known = action
        known.operation = action.operation.replacing(name, by: place.entity)
        return step(for: known, in: place, user, fetched, model)
    }

    /// Returns the step that resolves a name: fetching the lists of groups and directs to their last pages.
    private func finding(_ name: EntityID, _ fetched: [ResourceKey], _ model: SectionedCollection<Item>) -> ActionStep {
        let pages = [GroupMeResource.groups(page: 1), .chats(page: 1)] + memory.listingPages
        let wanted = pages.map { ResourceKey.groupMe($0) }.filter { !fetched.contains($0) }
        guard wanted.isEmpty else { return .fetch(wanted) }
        let names =
            model.rows(in: .groups).compactMap { $0.group?.name }
            + model.rows(in: .chats).compactMap { $0.chat?.partner.name }
        return .impossible(
            "none of your groups and direct conversations is named \(name)"
                + Suggestion.phrase(for: name.description, among: names.map { "#" + $0 }))
    }

    /// Returns the conversation with an id, with the form `lo+hi`, or with `#` and the name of a group or partner.
    /// Names are compared without regard to case.
    func conversation(named name: EntityID, in model: SectionedCollection<Item>) -> GroupMe.ConversationID? {
        let text = name.description
        guard text.hasPrefix("#") else { return GroupMe.ConversationID(text) }
        let wanted = text.dropFirst().lowercased()
        if let group = model.rows(in: .groups).lazy.compactMap(\.group).first(where: { $0.name?.lowercased() == wanted }
        ) {
            return .group(group.id)
        }
        return model.rows(in: .chats).lazy.compactMap(\.chat).first { $0.partner.name?.lowercased() == wanted }?
            .conversation
    }

    /// Creates a group first and adds its members afterwards, because the service accepts no members at creation
    /// (GroupMe GM-31).
    private func step(
        making draft: Action.ChannelDraft, _ action: Action, _ fetched: [ResourceKey],
        _ model: SectionedCollection<Item>
    ) -> ActionStep {
        guard draft.kind != .direct else { return .impossible("a direct begins with its first message: send one") }
        if let why = problem(withPicture: draft.icon) { return .impossible(why) }
        if let made = draft.made {
            return step(adding: draft.members, to: GroupMe.GroupID(made), by: action, fetched, model)
        }
        let body = GroupMeBodies.group(
            changedBy: .init(
                name: draft.name, icon: draft.icon, description: draft.description.unlessEmpty, visibility: draft.kind))
        return .request(action.operation, post("/v3/groups", body))
    }

    /// Returns an error message for a picture outside GroupMe's image service, since groups show only its pictures.
    private func problem(withPicture address: String?) -> String? {
        guard let address, !address.isEmpty, !address.hasPrefix(GroupMePictures.addresses) else { return nil }
        return "the picture of a group must have an address of the image service, \(GroupMePictures.addresses)…"
    }

    /// Returns the step that rejoins a group. If the user is already in the group, the action is finished.
    private func step(
        rejoining name: EntityID, _ fetched: [ResourceKey], _ model: SectionedCollection<Item>
    ) -> ActionStep {
        if let group = formerGroup(named: name, in: model) {
            return .request(
                .rejoinChannel(channel: group.entity), post("/v3/groups/join", GroupMeBodies.rejoining(group)))
        }
        let group = conversation(named: name, in: model)?.group
        if let group, model.group(group) != nil { return .follow(.finished(group.entity)) }
        let keys = [GroupMeResource.formerGroups] + (group.map { [.group($0)] } ?? [])
        guard let next = keys.map({ ResourceKey.groupMe($0) }).first(where: { !fetched.contains($0) }) else {
            return .impossible("you left no group \(name) that you may go back into")
        }
        return .fetch([next])
    }

    /// Returns the former group with an id, or with `#` and a name, compared without regard to case.
    ///
    /// `memory.former` adds the groups of the current answer, whose rows are staged but not committed.
    private func formerGroup(named name: EntityID, in model: SectionedCollection<Item>) -> GroupMe.GroupID? {
        let title = name.description.lowercased()
        let ids = model.rows(in: .formerGroups).map(\.id) + memory.former.map { .conversation(.group($0)) }
        return ids.lazy.compactMap { model[$0] }.filter(\.isFormerChannel).compactMap(\.group).first { group in
            group.id.entity == name || group.name.map { "#" + $0.lowercased() == title } ?? false
        }?.id
    }

    /// Adds members. The service requires a nickname for each; when no known group contains the user, the list of
    /// directs is fetched for it.
    private func step(
        adding users: [EntityID], to group: GroupMe.GroupID, by action: Action, _ fetched: [ResourceKey],
        _ model: SectionedCollection<Item>
    ) -> ActionStep {
        let named = users.map { (id: $0, nickname: nickname(of: $0, model)) }
        let chats = ResourceKey.groupMe(.chats(page: 1))
        if named.contains(where: { $0.nickname == nil }), !fetched.contains(chats) { return .fetch([chats]) }
        let body = GroupMeBodies.newMembers(
            named.map { ($0.id, $0.nickname ?? $0.id.description) }, guid: action.id)
        return .request(action.operation, post("\(GroupMeEndpoints.path(group))/members/add", body))
    }

    private func step(
        for action: Action, in place: GroupMe.ConversationID, _ user: GroupMe.UserID, _ fetched: [ResourceKey],
        _ model: SectionedCollection<Item>
    ) -> ActionStep {
        switch action.operation {
        case .send(_, let thread, let text):
            guard text.count <= Self.longestText else {
                return .impossible("a message has at most \(Self.longestText) characters, this has \(text.count)")
            }
            guard !text.isEmpty || !action.pictures.isEmpty else { return .impossible("nothing to send") }
            return .request(action.operation, sending(text, re: thread, action, to: place, user))
        case .react(let reference, let names):
            guard names.count <= 1 else { return .impossible("a user has one reaction to a message") }
            return .request(action.operation, reacting(with: names.first, to: reference.message, in: place))
        case .edit: return .impossible("version 3 of GroupMe's service edits no messages")
        case .delete: return .impossible("version 3 of GroupMe's service deletes no messages")
        case .markRead: return .impossible("version 3 of GroupMe's service marks nothing as read")
        case .editChannel, .deleteChannel, .addMember, .removeMember:
            guard let group = place.group else { return .impossible("a direct has no name and no members to change") }
            return step(changing: group, by: action, fetched, model)
        case .createChannel, .rejoinChannel, .createWorkspace, .changeWorkspace, .changeAccount, .run:
            return .impossible("it names no group")
        }
    }

    private func step(
        changing group: GroupMe.GroupID, by action: Action, _ fetched: [ResourceKey], _ model: SectionedCollection<Item>
    ) -> ActionStep {
        let path = GroupMeEndpoints.path(group)
        switch action.operation {
        case .editChannel(_, let change):
            if let why = problem(withPicture: change.icon) { return .impossible(why) }
            let body = GroupMeBodies.group(changedBy: change)
            return .request(action.operation, post("\(path)/update", body))
        case .deleteChannel: return .request(action.operation, post("\(path)/destroy", nil))
        case .addMember(_, let user): return step(adding: [user], to: group, by: action, fetched, model)
        case .removeMember(_, let user):
            guard let member = model[.member(user, of: group.entity)]?.membership?.id else {
                let key = ResourceKey.groupMe(.group(group))
                return fetched.contains(key) ? .impossible("\(user) is not in group \(group)") : .fetch([key])
            }
            return .request(action.operation, post("\(path)/members/\(member.entity)/remove", nil))
        case .send, .edit, .react, .delete, .markRead, .createChannel, .rejoinChannel, .createWorkspace,
            .changeWorkspace, .changeAccount, .run:
            return .impossible("it changes no group")
        }
    }

    /// Returns the user's name in any known group or direct, or `nil` when none contains the user.
    private func nickname(of user: EntityID, _ model: SectionedCollection<Item>) -> String? {
        for section in model.sectionKeys where section.name == Item.Section.members(.none).name {
            guard let group = section.parent else { continue }
            if let title = model[.member(user, of: group)]?.membership?.title { return title }
        }
        let direct = self.user.map { GroupMe.ConversationID.direct(between: $0, and: GroupMe.UserID(user)) }
        return direct.flatMap { model[.conversation($0)]?.chat?.partner.name }
    }

    // MARK: Requests

    /// Returns the request that sends a message, with the action's id as `source_guid`. The service rejects a second
    /// message with the same guid, and the guid identifies the echo.
    private func sending(
        _ text: String, re thread: EntityID?, _ action: Action, to place: GroupMe.ConversationID,
        _ user: GroupMe.UserID
    ) -> RESTCall {
        let recipient = place.partner(of: user)
        let body = GroupMeBodies.message(
            text, re: thread, pictures: action.pictures, as: action.id, to: recipient)
        guard let group = place.group else { return post("/v3/direct_messages", body) }
        return post("\(GroupMeEndpoints.path(group))/messages", body)
    }

    private func reacting(
        with name: String?, to message: EntityID, in place: GroupMe.ConversationID
    ) -> RESTCall {
        let path: RESTTarget = "/v3/messages/\(place.entity)/\(message)"
        guard let name else { return post("\(path)/unlike", nil) }
        return post("\(path)/like", GroupMeBodies.reaction(name))
    }

    private func post(_ path: RESTTarget, _ body: [UInt8]?) -> RESTCall {
        RESTCall(.post, path, body: body ?? [])
    }

    // MARK: The own echo

    func baseline(of action: Action, in model: SectionedCollection<Item>) -> Timestamp? {
        guard case .send(let channel, _, _) = action.operation, let place = conversation(named: channel, in: model)
        else { return nil }
        return model.messages(of: place).last?.createdAt ?? Timestamp(milliseconds: 0)
    }

    mutating func evidence(
        of action: Action, since baseline: Timestamp?, in model: SectionedCollection<Item>
    ) -> ResourceKey? {
        guard case .send(let channel, _, _) = action.operation, let place = conversation(named: channel, in: model)
        else { return nil }
        if let baseline { memory.reaches[place, default: GroupMeReach.nothing].goBack(to: .beforeAll(at: baseline)) }
        return .groupMe(.window(place, before: nil))
    }

    func reachOfEvidence(in key: ResourceKey, since baseline: Timestamp?, _ model: SectionedCollection<Item>)
        -> EvidenceReach
    {
        guard case .window(let place, _)? = key.groupMe, let reach = memory.reaches[place] else { return .endsEarly }
        if let cursor = reach.cursor { return .goesOn(.groupMe(.window(place, before: cursor))) }
        guard let baseline else { return .complete }
        return reach.covers(.beforeAll(at: baseline)) ? .complete : .endsEarly
    }

    func isEcho(_ message: Item, of action: Action, since baseline: Timestamp?) -> Bool {
        action.operation.isSending && message.said?.sourceGUID == action.id.description
    }

    func echo(of action: Action, after baseline: Timestamp?, in model: SectionedCollection<Item>) -> EntityID? {
        guard case .send(let channel, _, _) = action.operation, let place = conversation(named: channel, in: model)
        else { return nil }
        return model.messages(of: place).last { $0.sourceGUID == action.id.description }?.id.entity
    }
}
