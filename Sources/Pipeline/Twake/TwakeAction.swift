import Events
import JSONText
import SectionedModel
import Terminal

// Resolves what an action needs before its request can be built: the era, the user, the company, the workspace and the
// channel.
extension TwakeBackend {
    func step(
        for action: Action, fetched: [ResourceKey], in model: SectionedCollection<Item>
    ) -> ActionStep {
        guard action.pictures.isEmpty else { return .impossible("pictures can be sent only to GroupMe") }
        if case .rejoinChannel = action.operation {
            return .impossible("Twake does not support rejoining: ask to be added again")
        }
        guard !facts.hasNoREST else { return .impossible("no Twake REST service here") }
        guard let era = facts.era else { return fetching(.server, fetched, "the server does not identify its version") }
        guard facts.user != nil else { return fetching(.account(era), fetched, "the server does not identify you") }
        if case .changeAccount(let change) = action.operation { return request(for: change, era) }
        guard let company = action.place?.company ?? facts.company else {
            return fetching(.companies(era), fetched, "you belong to no company; name one with --company")
        }
        let named = action.place?.workspace ?? (company == facts.company ? facts.workspace : nil)
        if let step = looking(for: company, named, era, fetched, model) { return step }
        if case .createWorkspace(let name, let members) = action.operation {
            return request(forWorkspace: name, members, era, company)
        }
        if case .changeWorkspace(let name, let change) = action.operation {
            let workspace = workspace(named: name, of: company)
            if let step = looking(for: workspace, of: company, era, fetched, model) { return step }
            return request(for: change, of: TwakePlace(company: company, workspace: workspace), era)
        }
        guard let workspace = named else {
            let why = "you belong to no workspace of the company; name one with --workspace"
            return fetching(.workspaces(era, company: company), fetched, why)
        }
        if let step = looking(for: workspace, of: company, era, fetched, model) { return step }
        if case .createChannel(let draft) = action.operation {
            return request(forChannel: draft, era, TwakePlace(company: company, workspace: workspace))
        }
        guard let name = action.operation.channel else { return .impossible("it names no channel") }
        guard let channel = channel(named: name, in: model, at: workspace) else {
            let lists: [ResourceKey] = [
                .twake(.channels(era, company: company, workspace: workspace)), .twake(.directs(era, company: company)),
            ]
            let wanted = lists.filter { !fetched.contains($0) }
            if !wanted.isEmpty { return .fetch(wanted) }
            let names = model.sectionKeys.filter { $0.name == "channels" }.flatMap {
                model.rows(in: $0).compactMap { $0.channel?.name.map { "#" + $0 } }
            }
            return .impossible(
                "none of your channels in the workspace is named \(name)"
                    + Suggestion.phrase(for: name.description, among: names))
        }
        let operation = action.operation.replacing(name, by: channel.id)
        // Without a known message, the session could not distinguish an echo from an older message with the same text.
        if case .send(_, let thread, _) = operation, let feed = unreadPlace(of: channel, thread, era, model),
            !fetched.contains(feed)
        {
            return .fetch([feed])
        }
        if case .edit(let reference, _) = operation {
            // An edit sends the existing files again: the server removes files that an edit does not list.
            let place = place(of: reference, channel.path, model)
            let key = ResourceKey.twake(.message(era, channel.path, thread: place.thread, id: place.message))
            if model[.message(reference.message)] == nil {
                guard fetched.contains(key) else { return .fetch([key]) }
                if !action.files.isEmpty { return .impossible("the channel has no such message") }
            }
        }
        if let file = action.nextUpload {
            // Era A stores the files of directs in a workspace, too.
            let place = TwakePlace(company: company, workspace: channel.isDirect ? workspace : channel.workspace)
            return upload(file, of: action, for: operation, to: place, era)
        }
        var known = action
        known.operation = operation
        return request(for: known, in: channel, era, model)
    }

    func lane(of action: Action, in model: SectionedCollection<Item>) -> EntityID? {
        guard let name = action.operation.channel, case .text(let text) = name, text.hasPrefix("#") else {
            return action.lane
        }
        return channel(named: name, in: model, at: action.place?.workspace)?.id
    }

    var place: Action.Place? { Action.Place(company: facts.company, workspace: facts.workspace) }

    /// Whether an action belongs to another place than the session's. A session that discovers rooms would follow the
    /// other place as well, so it does not run such an action.
    func isElsewhere(_ action: Action) -> Bool {
        guard discoversRooms, let place = action.place else { return false }
        return place.company.map { $0 != facts.company } == true
            || place.workspace.map { $0 != facts.workspace } == true
    }

    /// Returns the fetch that checks whether the user is in the named company, or the reason why the action is
    /// impossible; `nil` when the company is known or the server does not list companies.
    private func looking(
        for company: EntityID, _ workspace: EntityID?, _ era: TwakeEra, _ fetched: [ResourceKey],
        _ model: SectionedCollection<Item>
    ) -> ActionStep? {
        var sections: [Item.Section] = [.directs(company), .workspaces(company)]
        if let workspace { sections.append(.channels(workspace)) }
        if sections.contains(where: { holdsTruth($0, model) }) { return nil }
        return looking(for: company, among: facts.companies, .companies(era), fetched) { others in
            "no company '\(company)'; " + (others.isEmpty ? "you belong to none" : "candidates: \(others)")
        }
    }

    /// Returns the same check for a workspace.
    private func looking(
        for workspace: EntityID, of company: EntityID, _ era: TwakeEra, _ fetched: [ResourceKey],
        _ model: SectionedCollection<Item>
    ) -> ActionStep? {
        if holdsTruth(.channels(workspace), model) { return nil }
        let places = facts.workspaces[company]
        return looking(for: workspace, among: places, .workspaces(era, company: company), fetched) { others in
            let name = facts.companies?.first { $0.id == company }?.label ?? company.description
            return "no workspace '\(workspace)' in company \(name); "
                + (others.isEmpty ? "you belong to none" : "candidates: \(others)")
        }
    }

    /// Whether the section contains a row from the server. Rows of pending actions do not count.
    private func holdsTruth(_ section: Item.Section, _ model: SectionedCollection<Item>) -> Bool {
        model.rows(in: section).contains { $0.delivery == nil }
    }

    private func looking(
        for place: EntityID, among listed: [TwakeFacts.Place]?, _ list: TwakeResource, _ fetched: [ResourceKey],
        _ why: (_ others: String) -> String
    ) -> ActionStep? {
        if listed?.contains(where: { $0.id == place }) == true { return nil }
        guard fetched.contains(.twake(list)) else { return .fetch([.twake(list)]) }
        guard let listed else { return nil }
        let (shown, left) = (listed.prefix(Self.mostNamed), listed.count - Self.mostNamed)
        return .impossible(why(shown.map(\.label).joined(separator: ", ") + (left > 0 ? " and \(left) more" : "")))
    }

    /// The maximum number of alternatives in an error message about an unknown place.
    private static let mostNamed = 10

    private func fetching(_ resource: TwakeResource, _ fetched: [ResourceKey], _ why: String) -> ActionStep {
        fetched.contains(.twake(resource)) ? .impossible(why) : .fetch([.twake(resource)])
    }

    /// Returns the channel with an id, or with `#` and a name in the given workspace or the session's. Names are
    /// compared without regard to case.
    func channel(
        named name: EntityID, in model: SectionedCollection<Item>, at workspace: EntityID? = nil
    ) -> Twake.Channel? {
        if let row = model[.channel(name)], row.delivery == nil || row.delivery == .leaving { return row.channel }
        guard case .text(let text) = name, text.hasPrefix("#") else { return nil }
        let wanted = text.dropFirst().lowercased()
        // Before the workspace is known, use the remembered one if there is only one.
        let sections = model.sectionKeys.filter { $0.name == "channels" }
        let section = (workspace ?? facts.workspace).map { .channels($0) } ?? (sections.count == 1 ? sections[0] : nil)
        guard let section else { return nil }
        return model.rows(in: section).lazy.compactMap(\.channel).first { $0.name?.lowercased() == wanted }
    }

    /// Returns the workspace with an id, or with a unique name, compared without regard to case. An unknown name is
    /// returned unchanged.
    private func workspace(named name: EntityID, of company: EntityID) -> EntityID {
        let places = facts.workspaces[company] ?? []
        if places.contains(where: { $0.id == name }) { return name }
        let wanted = name.description.lowercased()
        let found = places.filter { $0.name.lowercased() == wanted }
        return found.count == 1 ? found[0].id : name
    }

    /// Returns the resource to read before sending to a channel or thread without known messages; otherwise `nil`.
    private func unreadPlace(
        of channel: Twake.Channel, _ thread: EntityID?, _ era: TwakeEra, _ model: SectionedCollection<Item>
    ) -> ResourceKey? {
        if let thread {
            guard model.elementCount(in: .thread(thread)) == 0 else { return nil }
            return pageKey(channel.path, thread, era)
        }
        return model.elementCount(in: .messages(channel.id)) == 0 ? pageKey(channel.path, nil, era) : nil
    }

    /// Returns the resource with the newest messages of a channel, or of a thread.
    func pageKey(_ path: TwakeChannelPath, _ thread: EntityID?, _ era: TwakeEra) -> ResourceKey {
        if let thread { return .twake(.thread(era, company: path.company, path, id: thread)) }
        return .twake(.feed(era, path))
    }

    // MARK: The own echo

    func baseline(of action: Action, in model: SectionedCollection<Item>) -> Timestamp? {
        guard case .send(let channel, let thread, _) = action.operation else { return nil }
        let section: Item.Section = thread.map { .thread($0) } ?? .messages(channel)
        let known = model.rows(in: section).lazy.filter { $0.delivery == nil }.compactMap(\.message?.createdAt)
            .max()
        return known ?? Timestamp(milliseconds: 0)
    }

    func isEcho(_ message: Item, of action: Action, since baseline: Timestamp?) -> Bool {
        guard case .send(let channel, let thread, let text) = action.operation, let sent = message.message,
            sent.user == facts.user
        else { return false }
        // A message that carries an action's id belongs to that action only.
        if let id = sent.clientID { return id == action.id }
        if facts.keepsContext == true { return false }
        guard sent.text == text, action.nextUpload == nil,
            Set(action.files.compactMap(\.uploaded)).isSubset(of: sent.files.map(\.contentID))
        else { return false }
        if let thread { guard sent.thread == thread, !sent.isHead else { return false } }
        if thread == nil { guard sent.isHead, sent.channel == channel else { return false } }
        guard let baseline, let createdAt = sent.createdAt else { return true }
        return createdAt >= baseline
    }

    func echo(of action: Action, after baseline: Timestamp?, in model: SectionedCollection<Item>) -> EntityID? {
        guard case .send(let channel, let thread, _) = action.operation, let baseline else { return nil }
        let section: Item.Section = thread.map { .thread($0) } ?? .messages(channel)
        return model.rows(in: section).first { row in
            guard row.delivery == nil, let createdAt = row.message?.createdAt, createdAt > baseline else {
                return false
            }
            return isEcho(row, of: action, since: baseline)
        }?.id.id
    }

    mutating func evidence(
        of action: Action, since baseline: Timestamp?, in model: SectionedCollection<Item>
    ) -> ResourceKey? {
        guard case .send(let name, let thread, _) = action.operation,
            let path = channel(named: name, in: model, at: action.place?.workspace)?.path
        else { return nil }
        if thread == nil, let baseline {
            memory.reaches[path.channel, default: TwakeReach(beginning: 0)].goBack(to: baseline.milliseconds)
        }
        return pageKey(path, thread, facts.effectiveEra)
    }

    func reachOfEvidence(in key: ResourceKey, since baseline: Timestamp?, _ model: SectionedCollection<Item>)
        -> EvidenceReach
    {
        let isComplete: Bool
        switch key.twake {
        case .feed(let era, let path), .history(let era, let path, _):
            guard let reach = memory.reaches[path.channel] else { return .endsEarly }
            if let cursor = reach.cursor { return .goesOn(.twake(.history(era, path, before: cursor))) }
            isComplete = baseline.map { reach.covers($0.milliseconds) } ?? true
        case .thread(let era, let company, let path, let thread),
            .replies(let era, let company, let path, let thread, _):
            if let next = memory.longThreads[thread]?.next {
                return .goesOn(.twake(.replies(era, company: company, path, thread: thread, before: next)))
            }
            let hole = model[.hole(thread)]?.hole
            isComplete = baseline.map { baseline in hole.map { $0.to <= baseline } ?? true } ?? true
        default: return .endsEarly
        }
        return isComplete ? .complete : .endsEarly
    }
}

extension Twake.Message {
    /// The id of the action that sent the message. Servers of era B preserve it in the message's context.
    var clientID: EntityID? {
        guard let context = self.context, let value = try? JSONValue(parsing: context.bytes) else { return nil }
        return value["client_id"]?.id
    }
}

/// A workspace within a company. `direct` as the workspace means the company's directs.
struct TwakePlace: Hashable, Sendable {
    var company: EntityID
    var workspace: EntityID
}
