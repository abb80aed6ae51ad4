package import WeirEvents
package import WeirJSON

/// The actions that users can perform. References are ids in the world, and names in a scenario.
package enum UserAction<Reference: Hashable & Sendable>: Hashable, Sendable {
    /// Begins a thread in a channel. `context` is the client's own object, stored with the message.
    case post(channel: Reference, text: String, context: JSONValue? = nil, files: [EntityID] = [])
    /// Replies in the thread of a message.
    case reply(message: Reference, text: String, context: JSONValue? = nil, files: [EntityID] = [])
    /// Replaces the text, and also the files unless they are `nil`.
    case edit(message: Reference, text: String, files: [EntityID]? = nil)
    case delete(message: Reference)
    /// Replaces the user's reactions to a message. An empty list removes them.
    case react(message: Reference, names: [String])
    case pin(message: Reference, isPinned: Bool)
    /// Moves a message into the thread of another (Twake TW-60).
    case move(message: Reference, target: Reference)
    /// Attaches a text file to the user's own message.
    case attach(message: Reference, name: String, text: String)
    /// Creates a public or private channel. The user becomes its owner and first member.
    case createChannel(NewChannel<Reference>)
    /// Changes the values that are not `nil`; Twake TW-57 is the rename.
    case changeChannel(Reference, name: String?, icon: String?, description: String?, isPrivate: Bool? = nil)
    case deleteChannel(Reference)
    /// Finds or creates the direct channel of the user and others.
    case openDirect(with: [Reference])
    case addMember(channel: Reference, user: Reference)
    case removeMember(channel: Reference, user: Reference)
    case changeMembership(channel: Reference, isFavorite: Bool?, level: NotificationLevel?)
    case markRead(channel: Reference)
    case markUnread(channel: Reference)
    /// Creates a workspace with all users as members.
    case createWorkspace(name: String)
    /// Changes the name of a workspace.
    case renameWorkspace(Reference, name: String)
    /// Deletes a workspace with all its channels.
    case deleteWorkspace(Reference)
    /// Adds a user to a workspace, or removes the user.
    case changeWorkspaceMember(Reference, user: Reference, isMember: Bool)
    /// Changes the user's language and status, unless they are `nil`.
    case changeAccount(language: String?, status: String?)
    /// Reports that the user came online or went offline.
    case presence(isOnline: Bool)
    /// Reports that the user is writing, or stopped, in the channel or in the message's thread. Changes nothing.
    case typing(channel: Reference, message: Reference?, isWriting: Bool)
}

/// The properties of a channel to create.
package struct NewChannel<Reference: Hashable & Sendable>: Hashable, Sendable {
    var workspace: Reference
    var name: String
    var icon = ""
    var description = ""
    package var isPrivate = false
    /// Whether all users become members.
    package var isDefault = false
    /// The members to add after the owner.
    package var members: [Reference] = []
}

extension NewChannel {
    /// Creates a public channel without further members.
    package init(workspace: Reference, name: String) { self.init(workspace: workspace, name: name, icon: "") }
}

/// The result of an action.
struct Outcome: Hashable, Sendable {
    /// The frames that the server sends, in this order.
    var frames: [Frame] = []
    /// The message or channel that the action created, found or changed.
    var subject: EntityID?
}

/// The reason why an action is not possible. The messages are those of the real server if they are known (Twake TW-62).
enum WorldError: Error, Hashable, Sendable {
    case notFound(String)
    case badRequest(String)
    case forbidden(String)
    /// The real server throws a plain exception, and answers 500.
    case refused(String)
}

extension World {
    /// Performs an action of a user. `newID` is the id for anything it creates. A refused action changes nothing.
    mutating func perform(
        _ action: UserAction<EntityID>, by user: EntityID, at now: Int64, newID: EntityID
    ) throws(WorldError) -> Outcome {
        guard let actor = self.user(user) else { throw .notFound("User \(user) not found") }
        switch action {
        case .post, .reply, .edit, .delete, .react, .pin, .move, .attach:
            return try performOnMessages(action, by: actor, at: now, newID: newID)
        case .createChannel(let new):
            return try createChannel(new, by: actor, at: now, id: newID)
        case .changeChannel(let channel, let name, let icon, let description, let isPrivate):
            return try changeChannel(
                channel, name: name, icon: icon, description: description, isPrivate: isPrivate, by: actor, at: now)
        case .deleteChannel(let channel):
            return try deleteChannel(channel, by: actor)
        case .openDirect(let others):
            return try openDirect(with: others, by: actor, at: now, id: newID)
        case .addMember(let channel, let user):
            return try addMember(user, to: channel, by: actor, at: now)
        case .removeMember(let channel, let user):
            return try removeMember(user, from: channel, by: actor)
        case .changeMembership(let channel, let isFavorite, let level):
            return try changeMembership(of: actor, in: channel, isFavorite: isFavorite, level: level, at: now)
        case .markRead(let channel):
            return try markRead(channel, by: actor, at: now)
        case .markUnread(let channel):
            return try markUnread(channel, by: actor, at: now)
        case .createWorkspace(let name):
            return try createWorkspace(name, by: actor, at: now, id: newID)
        case .renameWorkspace(let workspace, let name):
            return try renameWorkspace(workspace, name: name)
        case .deleteWorkspace(let workspace):
            return try deleteWorkspace(workspace)
        case .changeWorkspaceMember(let workspace, let user, let isMember):
            return try changeMember(user, ofWorkspace: workspace, isMember: isMember, by: actor)
        case .changeAccount(let language, let status):
            return changeAccount(of: actor.id, language: language, status: status)
        case .presence(let isOnline):
            return presence(of: actor.id, isOnline: isOnline)
        case .typing(let channel, let message, let isWriting):
            return try typing(in: channel, message: message, isWriting: isWriting, by: actor)
        }
    }

    private mutating func performOnMessages(
        _ action: UserAction<EntityID>, by actor: User, at now: Int64, newID: EntityID
    ) throws(WorldError) -> Outcome {
        switch action {
        case .post(let channel, let text, let context, let files):
            return try post(text, in: channel, by: actor, at: now, id: newID, context: context, files: files)
        case .reply(let message, let text, let context, let files):
            return try reply(text, to: message, by: actor, at: now, id: newID, context: context, files: files)
        case .edit(let message, let text, let files):
            return try edit(message, text: text, files: files, by: actor, at: now)
        case .delete(let message):
            return try delete(message, by: actor, at: now)
        case .react(let message, let names):
            return try react(to: message, names: names, by: actor, at: now)
        case .pin(let message, let isPinned):
            return try pin(message, isPinned, by: actor, at: now)
        case .move(let message, let target):
            return try move(message, to: target, by: actor, at: now)
        case .attach(let message, let name, let text):
            return try attach(name, text, to: message, by: actor, at: now, id: newID)
        case .createChannel, .changeChannel, .deleteChannel, .openDirect, .addMember, .removeMember, .changeMembership,
            .markRead,
            .markUnread, .createWorkspace, .renameWorkspace, .deleteWorkspace, .changeWorkspaceMember, .changeAccount,
            .presence, .typing:
            return Outcome()
        }
    }

    /// Returns a channel, if the user may see it. A hidden channel is reported as unknown.
    func visibleChannel(_ id: EntityID, to user: User) throws(WorldError) -> Channel {
        guard let channel = channel(id), isVisible(channel, to: user.id) else { throw .notFound("Channel not found") }
        return channel
    }

    /// Replaces the stored channel with the same id.
    mutating func store(_ channel: Channel) {
        guard let index = channels.firstIndex(where: { $0.id == channel.id }) else { return }
        channels[index] = channel
    }
}

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
