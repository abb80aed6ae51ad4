import Events
import JSONText
import SectionedModel

// Shows pending actions in the model.
extension GroupMeBackend {
    /// The base of the sort keys of unsent messages. It is later than any real time, so they follow all other messages
    /// in sending order.
    private static let behindEveryTime = Int64(1) << 62

    func lay(_ view: ActionView, on overlay: inout Overlay, in model: inout SectionedCollection<Item>) {
        switch view.action.operation {
        case .send(let channel, _, let text):
            guard let place = conversation(named: channel, in: model) else { return }
            lay(text, in: place, view, on: &overlay, in: &model)
        case .react(let reference, let names):
            guard let user else { return }
            overlay.change(.message(reference.message), view, in: &model) { row in
                row.said.map { Item.Entity($0.reacting(with: names.first, by: user)) }
            }
        case .createChannel(let draft):
            if let made = draft.made {
                for user in draft.members { lay(user, in: made, view, on: &overlay, in: &model) }
                return
            }
            var group = GroupMe.Group(id: GroupMe.GroupID(view.action.id), name: draft.name)
            group.description = draft.description.unlessEmpty
            group.createdAt = view.action.asked
            overlay.put(Item.group(group).shown(as: view.delivery), in: &model)
        case .editChannel(let channel, let change):
            overlay.change(Item.ID(.channel, channel), view, in: &model) { row in
                guard var group = row.group else { return nil }
                group.name = change.name ?? group.name
                if let icon = change.icon { group.imageURL = icon.unlessEmpty }
                if let description = change.description { group.description = description.unlessEmpty }
                // The service creates the share URL of a public group, so only its removal can be shown.
                if change.visibility == .private { group.shareURL = nil }
                return Item.Entity(group)
            }
        case .deleteChannel(let channel): overlay.leave(Item.ID(.channel, channel), in: &model)
        case .rejoinChannel(let channel):
            guard let group = model[Item.ID(.channel, channel)]?.group else { return }
            overlay.put(Item.group(group).shown(as: view.delivery), in: &model)
        case .addMember(let channel, let user): lay(user, in: channel, view, on: &overlay, in: &model)
        case .removeMember(let channel, let user): overlay.leave(.member(user, of: channel), in: &model)
        case .edit, .delete, .markRead, .createWorkspace, .changeWorkspace, .changeAccount, .run: break
        }
    }

    /// Shows a future member without a name. The results of the addition contain the name.
    private func lay(
        _ user: EntityID, in channel: EntityID, _ view: ActionView, on overlay: inout Overlay,
        in model: inout SectionedCollection<Item>
    ) {
        guard model[.member(user, of: channel)] == nil else { return }
        let member = GroupMe.Member(group: GroupMe.GroupID(channel), user: GroupMe.UserID(user))
        overlay.put(Item.member(member).shown(as: view.delivery), in: &model)
    }

    private func lay(
        _ text: String, in place: GroupMe.ConversationID, _ view: ActionView, on overlay: inout Overlay,
        in model: inout SectionedCollection<Item>
    ) {
        var message = GroupMe.Message(id: GroupMe.MessageID(view.action.id), conversation: place, text: text)
        message.attachments = view.action.pictures.map { address in
            var writer = JSONWriter()
            GroupMeBodies.picture(at: address, to: &writer)
            return GroupMe.Attachment(RawJSON(unchecked: writer.bytes[...]))
        }
        message.sender = user
        message.createdAt = view.action.asked
        message.sourceGUID = view.action.id.description
        let row = Item.said(message)
        overlay.put(
            Item(
                id: row.id, section: row.sectionKey, sortKey: Self.behindEveryTime + Int64(view.order),
                entity: row.entity, delivery: view.delivery), in: &model)
    }
}

extension GroupMe.Message {
    /// Returns the message with `code` as the user's only reaction, or with none when `code` is `nil`.
    fileprivate func reacting(with code: String?, by user: GroupMe.UserID) -> GroupMe.Message {
        var set: [GroupMe.Reaction] = []
        for var reaction in reactions ?? [] {
            reaction.users.removeAll { $0 == user }
            if !reaction.users.isEmpty { set.append(reaction) }
        }
        if let code {
            if let index = set.firstIndex(where: { $0.symbol == .unicode(code) }) {
                set[index].users.append(user)
            } else {
                set.append(GroupMe.Reaction(.unicode(code), users: [user]))
            }
        }
        var message = self
        message.react(set)
        return message
    }
}
