import Events

extension UserAction {
    /// Whether the action creates a message, which gets a time UUID.
    var makesMessage: Bool {
        switch self {
        case .post, .reply: true
        case .edit, .delete, .react, .pin, .move, .attach, .createChannel, .changeChannel, .deleteChannel, .openDirect,
            .addMember, .removeMember,
            .changeMembership, .markRead, .markUnread, .createWorkspace, .renameWorkspace, .deleteWorkspace,
            .changeWorkspaceMember, .changeAccount, .presence, .typing:
            false
        }
    }
}

extension UserAction<String> {
    typealias Resolver = (String) -> EntityID?

    /// Returns the same action with ids instead of names; `nil` when a name is unknown.
    func resolved(
        person: Resolver, place: Resolver, channel: Resolver, message: Resolver
    ) -> UserAction<EntityID>? {
        switch self {
        case .post, .reply, .edit, .delete, .react, .pin, .move, .attach:
            return resolvedOnMessages(channel: channel, message: message)
        case .createChannel(let new):
            guard let workspace = place(new.workspace) else { return nil }
            return .createChannel(
                NewChannel(
                    workspace: workspace, name: new.name, icon: new.icon, description: new.description,
                    isPrivate: new.isPrivate,
                    isDefault: new.isDefault, members: new.members.compactMap(person)))
        case .openDirect(let others):
            return .openDirect(with: others.compactMap(person))
        case .addMember(let name, let user):
            return channel(name).flatMap { id in person(user).map { .addMember(channel: id, user: $0) } }
        case .removeMember(let name, let user):
            return channel(name).flatMap { id in person(user).map { .removeMember(channel: id, user: $0) } }
        case .changeChannel(let id, let name, let icon, let description, let isPrivate):
            return channel(id).map {
                .changeChannel($0, name: name, icon: icon, description: description, isPrivate: isPrivate)
            }
        case .deleteChannel(let name): return channel(name).map { .deleteChannel($0) }
        case .changeMembership(let name, let isFavorite, let level):
            return channel(name).map { .changeMembership(channel: $0, isFavorite: isFavorite, level: level) }
        case .markRead(let name): return channel(name).map { .markRead(channel: $0) }
        case .markUnread(let name): return channel(name).map { .markUnread(channel: $0) }
        case .createWorkspace(let name): return .createWorkspace(name: name)
        case .renameWorkspace(let label, let name): return place(label).map { .renameWorkspace($0, name: name) }
        case .deleteWorkspace(let label): return place(label).map { .deleteWorkspace($0) }
        case .changeWorkspaceMember(let label, let user, let isMember):
            guard let place = place(label), let user = person(user) else { return nil }
            return .changeWorkspaceMember(place, user: user, isMember: isMember)
        case .changeAccount(let language, let status): return .changeAccount(language: language, status: status)
        case .presence(let isOnline): return .presence(isOnline: isOnline)
        case .typing(let name, let head, let isWriting):
            return channel(name).map { .typing(channel: $0, message: head.flatMap(message), isWriting: isWriting) }
        }
    }

    private func resolvedOnMessages(channel: Resolver, message: Resolver) -> UserAction<EntityID>? {
        switch self {
        case .post(let name, let text, let context, let files):
            return channel(name).map { .post(channel: $0, text: text, context: context, files: files) }
        case .reply(let name, let text, let context, let files):
            return message(name).map { .reply(message: $0, text: text, context: context, files: files) }
        case .edit(let name, let text, let files):
            return message(name).map { .edit(message: $0, text: text, files: files) }
        case .delete(let name): return message(name).map { .delete(message: $0) }
        case .react(let name, let names): return message(name).map { .react(message: $0, names: names) }
        case .pin(let name, let isPinned): return message(name).map { .pin(message: $0, isPinned: isPinned) }
        case .move(let name, let target):
            return message(name).flatMap { id in message(target).map { .move(message: id, target: $0) } }
        case .attach(let id, let name, let text):
            return message(id).map { .attach(message: $0, name: name, text: text) }
        case .createChannel, .changeChannel, .deleteChannel, .openDirect, .addMember, .removeMember, .changeMembership,
            .markRead,
            .markUnread, .createWorkspace, .renameWorkspace, .deleteWorkspace, .changeWorkspaceMember, .changeAccount,
            .presence, .typing:
            return nil
        }
    }
}
