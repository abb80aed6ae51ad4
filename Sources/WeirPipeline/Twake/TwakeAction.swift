import WeirEvents
import WeirJSON
import WeirModel
import WeirTerminal

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

// Uploads the files of a message. Each file needs its own request; the message then refers to the files (Twake TW-42,
// TW-78, TW-80).
extension TwakeBackend {
    /// The maximum size of a file in era A, in bytes (Twake TW-78).
    static let largestProxyFile = 50_000_000

    /// Returns the request that uploads the next file of an action. The file belongs to a company in era B, and to a
    /// workspace in era A. If any file is too large, none is uploaded.
    func upload(
        _ file: Action.File, of action: Action, for operation: Action.Operation, to place: TwakePlace, _ era: TwakeEra
    ) -> ActionStep {
        var call: RESTCall
        switch era {
        case .a:
            if let large = action.files.first(where: { $0.size > Self.largestProxyFile }) {
                return .impossible(
                    "\(large.name) has \(large.size) bytes, and this server takes \(Self.largestProxyFile) at most")
            }
            call = RESTCall(.post, "\(TwakeEndpoints.proxy)/media/upload")
            call.form = RESTCall.Form(
                fields: [.init(name: "workspace_id", value: place.workspace.description)], name: "file", file: file)
        case .b:
            call = RESTCall(.post, "\(TwakeEndpoints.core)/files/v1/companies/\(place.company)/files")
            call.form = RESTCall.Form(name: "file", file: file)
        }
        return .request(operation, call)
    }

    /// Returns the verdict on the answer to an upload. An upload that may have succeeded is not repeated.
    func judge(_ answer: Answer, ofUpload file: Action.File) -> ActionVerdict {
        let failed = "\(file.name) was not uploaded: "
        switch answer {
        case .failure("file", let message): return .refused(why: message, status: nil)
        case .failure(let kind, let message) where Answer.neverLeft(kind):
            return .later(after: nil, why: message, mayBeDone: false)
        case .failure(_, let message):
            return .refused(why: failed + message, status: nil)
        case .response(200..<300, let body, _):
            if Self.uploadedID(in: body) != nil { return .done }
            return .refused(why: failed + "unexpected answer of the server", status: nil)
        case .response(let status, let body, let retryAfter):
            let why = RESTCall.refusal(status: status, body: body)
            if isTokenRefusal(status, Self.words(of: body)) { return .tokenRefused(why: why) }
            if status == 429 || status == 425 {
                return .later(after: retryAfter.map { .seconds($0) }, why: why, mayBeDone: false)
            }
            return .refused(why: failed + why, status: status)
        }
    }

    mutating func follow(_ action: Action, _ answer: Answer, into context: inout HandlerContext) -> ActionFollowing? {
        guard action.nextUpload != nil, case .response(_, let body, _) = answer else { return nil }
        return Self.uploadedID(in: body).map { .uploaded($0) }
    }

    /// Reads the id of an uploaded file. Era A answers with the file itself, era B with an envelope.
    private static func uploadedID(in body: ArraySlice<UInt8>) -> EntityID? {
        guard let value = try? JSONValue(parsing: body) else { return nil }
        return value["resource"]?["id"]?.id ?? value["id"]?.id
    }
}

extension [Twake.File] {
    /// Returns the files together with those of an action. A repeated edit finds its files already in the message, so
    /// they are not added twice.
    func adding(_ files: [Action.File]) -> [Twake.File] {
        let known = Set(map(\.contentID))
        return self + files.map { Twake.File($0) }.filter { !known.contains($0.contentID) }
    }
}

extension Twake.File {
    /// Creates the displayed form of a user's file.
    fileprivate init(_ file: Action.File) {
        self.init(
            id: file.uploaded ?? EntityID(file.name), source: "internal", externalID: file.uploaded, name: file.name,
            size: file.size, mime: file.type)
    }

    /// Returns the reference to a file in a message of era B. The server completes the metadata of its own files. A
    /// file that already belongs to a message is identified by its id.
    func reference(in company: EntityID) -> JSONValue {
        let owner = (self.company ?? company).description
        var value = JSONValue.fields(["company_id": .string(owner)])
        if let message {
            value = value.adding(["id": .string(id.description), "message_id": .string(message.description)])
        }
        guard let source else { return value.adding(["id": .string(id.description)]) }
        var metadata = JSONValue.fields(["source": .string(source)])
        if let externalID {
            let external = JSONValue.string(externalID.description)
            metadata = metadata.adding([
                "external_id": source == "internal"
                    ? .fields(["id": external, "company_id": .string(owner)]) : external
            ])
        }
        return value.adding(["metadata": metadata.adding(facts)])
    }

    /// The name, size and type of the file.
    private var facts: KeyValuePairs<String, JSONValue> {
        [
            "name": name.map { .string($0) } ?? .null, "size": size.map { .integer(Int64($0)) } ?? .null,
            "mime": mime.map { .string($0) } ?? .null,
        ]
    }

    /// The reference to a file in a message of era A: an element of the message's contents.
    fileprivate var piece: JSONValue {
        .fields([
            "type": .string("file"), "mode": .string("preview"), "content": .string(id.description),
            "metadata": .fields([
                "id": .string(id.description), "name": name.map { .string($0) } ?? .null,
                "size": size.map { .integer(Int64($0)) } ?? .null, "preview": preview.map { .string($0) } ?? .null,
                "download": download.map { .string($0) } ?? .null,
            ]),
        ])
    }
}

extension JSONValue {
    /// Returns the value with the contents of a message of era A. With files, the contents are sent as elements,
    /// because the proxy creates them from plain text only.
    func saying(_ text: String, _ files: [Twake.File]) -> JSONValue {
        let value = adding(["original_str": .string(text)])
        guard !files.isEmpty else { return value }
        let attached = JSONValue.fields(["type": .string("nop"), "content": .array(files.map(\.piece))])
        return value.adding(["prepared": .array((text.isEmpty ? [] : [.string(text)]) + [attached])])
    }
}

// Shows pending actions in the model.
extension TwakeBackend {
    /// The base of the sort keys of unsent messages. It is later than any real time, so they follow all other messages
    /// in sending order.
    private static let behindEveryTime = Int64(1) << 52

    func lay(_ view: ActionView, on overlay: inout Overlay, in model: inout SectionedCollection<Item>) {
        switch view.action.operation {
        case .send(let channel, let thread, let text): lay(text, channel, thread, view, on: &overlay, in: &model)
        case .edit(let reference, let text):
            let files = view.action.files
            overlay.change(.message(reference.message), view, in: &model) { row in
                row.message?.with { message in
                    message.text = text
                    if !files.isEmpty { message.files = message.files.adding(files) }
                }
            }
        case .react(let reference, let names):
            let user = facts.user
            overlay.change(.message(reference.message), view, in: &model) { row in
                row.message?.with { $0.reactions = $0.reactions.replacing(by: names, of: user) }
            }
        case .delete(let reference): overlay.leave(.message(reference.message), in: &model)
        case .markRead(let channel): layReading(of: channel, view, on: &overlay, in: &model)
        case .createChannel(let draft): lay(draft, view, on: &overlay, in: &model)
        case .editChannel(let channel, let change):
            overlay.change(.channel(channel), view, in: &model) { row in
                row.channel.map { Item.Entity($0.edited(change)) }
            }
        case .deleteChannel(let channel): overlay.leave(.channel(channel), in: &model)
        case .addMember(let channel, let user):
            let id = Item.ID.member(user, of: channel)
            let member = Twake.ChannelMember(channel: channel, user: user)
            if model[id] == nil, let row = Item.member(member) {
                overlay.put(row.shown(as: view.delivery), in: &model)
            }
        case .removeMember(let channel, let user): overlay.leave(.member(user, of: channel), in: &model)
        case .changeWorkspace(let workspace, .rename(let name)):
            overlay.change(.workspace(workspace), view, in: &model) { row in
                row.workspace.map { Item.Entity($0.named(name)) }
            }
        case .changeWorkspace(let workspace, .delete): overlay.leave(.workspace(workspace), in: &model)
        case .changeAccount(let change):
            guard let user = facts.user else { break }
            overlay.change(.account(user), view, in: &model) { row in
                row.account.map { Item.Entity($0.changed(by: change)) }
            }
        case .changeWorkspace, .rejoinChannel, .createWorkspace, .run: break
        }
    }

    private func lay(
        _ text: String, _ name: EntityID, _ thread: EntityID?, _ view: ActionView, on overlay: inout Overlay,
        in model: inout SectionedCollection<Item>
    ) {
        let id = view.action.id
        // A `#name` identifies no channel until the name is resolved.
        let known = self.channel(named: name, in: model, at: view.action.place?.workspace)
        if case .text(let text) = name, text.hasPrefix("#"), known == nil { return }
        let channel = known?.id ?? name
        var message = Twake.Message(
            id: id, thread: thread ?? id, channel: channel, user: facts.user, text: text, createdAt: view.action.asked)
        if !view.action.files.isEmpty { message.files = [].adding(view.action.files) }
        guard let row = Item.message(message) else { return }
        let place = Self.behindEveryTime + Int64(view.order)
        overlay.put(
            Item(id: row.id, section: row.sectionKey, sortKey: place, entity: row.entity, delivery: view.delivery),
            in: &model)
    }

    private func lay(
        _ draft: Action.ChannelDraft, _ view: ActionView, on overlay: inout Overlay,
        in model: inout SectionedCollection<Item>
    ) {
        guard let company = facts.company, let workspace = facts.workspace else { return }
        let channel = Twake.Channel(
            id: view.action.id, company: company, workspace: draft.kind == .direct ? .direct : workspace,
            visibility: Twake.ChannelVisibility(wire: draft.kind.rawValue), name: draft.name, icon: draft.icon,
            description: draft.description, owner: facts.user, members: draft.kind == .direct ? draft.members : [],
            lastActivity: view.action.asked)
        overlay.put(Item.channel(channel).shown(as: view.delivery), in: &model)
    }

    /// Shows a channel as read: removes its badges, and lowers the counters of era A accordingly.
    private func layReading(
        of id: EntityID, _ view: ActionView, on overlay: inout Overlay, in model: inout SectionedCollection<Item>
    ) {
        guard let channel = model[.channel(id)]?.channel else { return }
        overlay.change(.channel(id), view, in: &model) { row in
            guard var read = row.channel, read.hasUnread else { return nil }
            read.lastAccess = latest(read.lastAccess, read.lastActivity)
            return Item.Entity(read)
        }
        let badges = model.elements(in: .badges(channel.company)).compactMap { model[$0.id] }
        let unread = badges.compactMap(\.badgeCount).first { $0.matches(.channel, id) }?.count ?? 0
        for row in badges {
            if row.badge?.channel == id { overlay.leave(row.id, in: &model) }
            guard var count = row.badgeCount, unread > 0 else { continue }
            if count.matches(.channel, id) {
                overlay.leave(row.id, in: &model)
            } else if count.matches(.workspace, channel.workspace) || count.matches(.company, channel.company) {
                count.count = max(0, count.count - unread)
                overlay.change(row.id, view, in: &model) { _ in Item.Entity(count) }
            }
        }
    }

}

extension Action.AccountChange {
    /// The status as one text; era B has no separate icon.
    var coreStatus: String {
        guard case .status(let text, let icon) = self else { return "" }
        return [icon, text].filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension Twake.Account {
    func changed(by change: Action.AccountChange) -> Twake.Account {
        var changed = self
        switch change {
        case .language(let language): changed.language = language
        case .status: changed.status = change.coreStatus.isEmpty ? nil : change.coreStatus
        }
        return changed
    }
}

extension Twake.Workspace {
    func named(_ name: String) -> Twake.Workspace {
        var changed = self
        changed.name = name
        return changed
    }
}

extension Twake.Message {
    fileprivate func with(_ change: (inout Fields) -> Void) -> Item.Entity {
        var changed = self
        changed.update(change)
        return Item.Entity(changed)
    }
}

extension [Twake.Reaction] {
    /// Returns the reactions with exactly `names` as the reactions of `user`.
    fileprivate func replacing(by names: [String], of user: EntityID?) -> [Twake.Reaction] {
        guard let user else { return self }
        var reactions = self
        for index in reactions.indices where reactions[index].users.contains(user) {
            reactions[index].users.removeAll { $0 == user }
            reactions[index].count = Swift.max(0, reactions[index].count - 1)
        }
        for name in names {
            if let index = reactions.firstIndex(where: { $0.name == name }) {
                guard !reactions[index].users.contains(user) else { continue }
                reactions[index].users.append(user)
                reactions[index].count = Int(clamping: Int64(reactions[index].count) &+ 1)
            } else {
                reactions.append(Twake.Reaction(name: name, count: 1, users: [user]))
            }
        }
        return reactions.filter { $0.count > 0 }
    }
}
