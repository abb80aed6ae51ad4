package import Events
package import JSONText

/// What a user can do. References are ids in the world, and names in a scenario.
package enum UserAction<Reference: Hashable & Sendable>: Hashable, Sendable {
    /// Begins a thread in a channel. The context is the client's own, kept with the message.
    case post(channel: Reference, text: String, context: JSONValue? = nil, files: [EntityID] = [])
    /// Answers in the thread of a message.
    case reply(message: Reference, text: String, context: JSONValue? = nil, files: [EntityID] = [])
    /// Replaces the text, and the files where they are given.
    case edit(message: Reference, text: String, files: [EntityID]? = nil)
    case delete(message: Reference)
    /// Replaces the user's reactions to a message; none removes them.
    case react(message: Reference, names: [String])
    case pin(message: Reference, isPinned: Bool)
    /// Moves a message into the thread of another (T14).
    case move(message: Reference, target: Reference)
    /// Puts a file of text to a message of the user's own.
    case attach(message: Reference, name: String, text: String)
    /// Makes a public or private channel; the user becomes its owner and first member.
    case createChannel(NewChannel<Reference>)
    /// Changes what is not nil: the rename of T10.
    case changeChannel(Reference, name: String?, icon: String?, description: String?, isPrivate: Bool? = nil)
    case deleteChannel(Reference)
    /// Finds or makes the direct of the user and others.
    case openDirect(with: [Reference])
    case addMember(channel: Reference, user: Reference)
    case removeMember(channel: Reference, user: Reference)
    case changeMembership(channel: Reference, isFavorite: Bool?, level: NotificationLevel?)
    case markRead(channel: Reference)
    case markUnread(channel: Reference)
    /// Makes a workspace, which everybody belongs to.
    case createWorkspace(name: String)
    /// Gives a workspace another name.
    case renameWorkspace(Reference, name: String)
    /// Deletes a workspace with everything in it.
    case deleteWorkspace(Reference)
    /// Takes a user into a workspace, or out of it.
    case changeWorkspaceMember(Reference, user: Reference, isMember: Bool)
    /// Changes what is not nil of what the user says about themselves.
    case changeAccount(language: String?, status: String?)
    /// Says that the user is there, or no more.
    case presence(isOnline: Bool)
    /// Says that the user writes, or stopped; changes nothing. With a message: in its thread.
    case typing(channel: Reference, message: Reference?, isWriting: Bool)
}

/// What a channel is made of.
package struct NewChannel<Reference: Hashable & Sendable>: Hashable, Sendable {
    var workspace: Reference
    var name: String
    var icon = ""
    var description = ""
    package var isPrivate = false
    /// A default channel takes in everybody.
    package var isDefault = false
    /// Who is added after the owner.
    package var members: [Reference] = []
}

extension NewChannel {
    /// A public channel of who makes it.
    package init(workspace: Reference, name: String) { self.init(workspace: workspace, name: name, icon: "") }
}

/// What came of an action.
struct Outcome: Hashable, Sendable {
    /// What the server sends, in this order.
    var frames: [Frame] = []
    /// The message or channel that the action made, found or changed.
    var subject: EntityID?
}

/// Why an action is not possible. The messages are those of the real server where they are known (4.1).
enum WorldError: Error, Hashable, Sendable {
    case notFound(String)
    case badRequest(String)
    case forbidden(String)
    /// The real server throws a plain exception, and answers 500.
    case refused(String)
}

extension World {
    /// Performs `action` by `user` at `now`, with `newID` for what it makes. A refused action changes nothing but what was due anyway.
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

    /// The channel, if the user may see it. A channel that is hidden from the user is as good as none.
    func visibleChannel(_ id: EntityID, to user: User) throws(WorldError) -> Channel {
        guard let channel = channel(id), isVisible(channel, to: user.id) else { throw .notFound("Channel not found") }
        return channel
    }

    /// Puts a changed channel back in its place.
    mutating func store(_ channel: Channel) {
        guard let index = channels.firstIndex(where: { $0.id == channel.id }) else { return }
        channels[index] = channel
    }
}
