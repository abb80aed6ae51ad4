import Events
import SectionedModel

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
