public import Events

/// Something a user wants done at the backend, in the words of no backend.
public struct Action: Hashable, Sendable {
    /// Made by whoever asks, random, and never used again: names the action, and the row that stands for what it makes
    /// until the backend has named it.
    public var id: EntityID
    /// What.
    public var operation: Operation
    /// Where what it names is; nil for where the session looks.
    public var place: Place?
    /// Addresses of pictures that a message has, as the backend's image service gave them.
    public var pictures: [String] = []
    /// Files that a message gets when it is sent or edited, beside those it has: each is uploaded first, and once.
    public var files: [File] = []
    /// The wall clock when it was asked for, which a message shows until the server has given it a time.
    public var asked: Timestamp

    /// An action.
    public init(id: EntityID, _ operation: Operation, asked: Timestamp) {
        self.id = id
        self.operation = operation
        self.asked = asked
    }

    /// A company and a workspace, as far as they were named or known.
    public struct Place: Hashable, Sendable {
        /// The company.
        public var company: EntityID?
        /// The workspace.
        public var workspace: EntityID?

        /// A place; nil when nothing of it is known.
        public init?(company: EntityID?, workspace: EntityID?) {
            if company == nil, workspace == nil { return nil }
            (self.company, self.workspace) = (company, workspace)
        }
    }

    /// What can be done. A channel is named by its id, by `#` and its name, or by the id of the action that makes it; a
    /// message by its id, or by the id of the action that sends it.
    public enum Operation: Hashable, Sendable {
        /// Send a message to a channel, or, with a thread, a reply.
        case send(channel: EntityID, thread: EntityID?, text: String)
        /// Replace the text of a message.
        case edit(MessageReference, text: String)
        /// Make these the user's reactions to a message, instead of those there are; none takes them away.
        case react(MessageReference, names: [String])
        /// Delete a message.
        case delete(MessageReference)
        /// Mark a channel as read.
        case markRead(channel: EntityID)
        /// Make a channel, or find the direct of these members.
        case createChannel(ChannelDraft)
        /// Change what is not nil.
        case editChannel(channel: EntityID, ChannelChange)
        /// Delete a channel with everything in it.
        case deleteChannel(channel: EntityID)
        /// Go back into a channel that the user left.
        case rejoinChannel(channel: EntityID)
        /// Add a user to a channel.
        case addMember(channel: EntityID, user: EntityID)
        /// Take a user out of a channel.
        case removeMember(channel: EntityID, user: EntityID)
        /// Make a workspace; members by their addresses.
        case createWorkspace(name: String, members: [String])
        /// Change a workspace, which is named by its id or its name.
        case changeWorkspace(EntityID, WorkspaceChange)
        /// Change the user's own account.
        case changeAccount(AccountChange)
        /// Do an action that a profile declares, step by step.
        case run(Run)
    }

    /// What can be done to a workspace.
    public enum WorkspaceChange: Hashable, Sendable {
        /// Give it another name.
        case rename(String)
        /// Delete it with everything in it.
        case delete
        /// Add a user, by an address or an id.
        case addMember(String)
        /// Take a user out of it.
        case removeMember(EntityID)
    }

    /// What users can change of their accounts.
    public enum AccountChange: Hashable, Sendable {
        /// The language, as `en`.
        case language(String)
        /// What the user says about themselves, and an emoji before it; both empty for nothing.
        case status(String, icon: String)
    }

    /// An action of several steps, and how far it is.
    public struct Run: Hashable, Sendable {
        /// What the profile calls it.
        public var name: String
        /// Its parameters and, once a step has found or made a row, that row's id and fields: by the name of their place.
        public var values: [String: String]
        /// The step it is at, from 0.
        package internal(set) var step = 0
        /// What the step does next. It is not kept: after a restart a step looks before it writes.
        var phase = Phase.look
        /// Whether the request that is under way makes something each time it is sent.
        package internal(set) var makesSomething = false

        /// What a step does.
        enum Phase: Hashable, Sendable {
            /// Ask its read, where it has one; else write.
            case look
            /// Write, since the read found nothing.
            case write
            /// Ask its read again: the server has what the step would have made.
            case lookAgain
        }

        /// An action that has not begun.
        public init(_ name: String, _ parameters: [String: String] = [:]) { (self.name, values) = (name, parameters) }
    }

    /// A message and where it is.
    public struct MessageReference: Hashable, Sendable {
        /// The channel.
        public var channel: EntityID
        /// The message.
        public var message: EntityID
        /// The head of its thread; nil where the model knows, and for a head itself.
        public var thread: EntityID?
        /// A message in a channel.
        public init(channel: EntityID, message: EntityID, thread: EntityID? = nil) {
            self.channel = channel
            self.message = message
            self.thread = thread
        }
    }

    /// What is to be different of a channel; what is nil stays.
    public struct ChannelChange: Hashable, Sendable {
        /// Another name.
        public var name: String?
        /// As that of a draft.
        public var icon: String?
        /// What it is for; empty for nothing.
        public var description: String?
        /// Who sees it. No channel becomes a direct.
        public var visibility: ChannelDraft.Kind?
        /// A change.
        public init(
            name: String? = nil, icon: String? = nil, description: String? = nil, visibility: ChannelDraft.Kind? = nil
        ) {
            (self.name, self.icon, self.description, self.visibility) = (name, icon, description, visibility)
        }
    }

    /// What a channel is made of.
    public struct ChannelDraft: Hashable, Sendable {
        /// Who sees it.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            case `public`, `private`, direct
        }
        /// Who sees it.
        public var kind: Kind
        /// Its name; empty for a direct.
        public var name: String
        /// An emoji, raw or as `:shortname:`, or the address of a picture, as the backend has it; empty for none.
        public var icon: String
        /// What it is for; empty for nothing.
        public var description: String
        /// Who is in it beside the user.
        public var members: [EntityID]
        /// The channel once it is made and only its members are to be added, where that is a step of its own.
        package internal(set) var made: EntityID?
        /// A channel to be.
        public init(
            kind: Kind, name: String, icon: String = "", description: String = "", members: [EntityID] = []
        ) {
            self.kind = kind
            self.name = name
            self.icon = icon
            self.description = description
            self.members = members
        }
    }
}

extension Action {
    /// Gives a picture that was uploaded to what is sent, or to the channel that is made or changed.
    package mutating func attach(_ picture: String) {
        switch operation {
        case .send: pictures.append(picture)
        case .createChannel(var draft):
            draft.icon = picture
            operation = .createChannel(draft)
        case .editChannel(let channel, var change):
            change.icon = picture
            operation = .editChannel(channel: channel, change)
        case .edit, .react, .delete, .markRead, .deleteChannel, .rejoinChannel, .addMember, .removeMember,
            .createWorkspace, .changeWorkspace, .changeAccount, .run:
            break
        }
    }

    /// Actions of one lane are done one after the other, in the order they were asked for; those of different ones side by side.
    /// Whatever is about a channel is in that channel's lane, so an edit never overtakes the message it changes.
    var lane: EntityID {
        switch operation {
        case .createChannel, .createWorkspace, .run: id
        case .changeWorkspace(let workspace, _): workspace
        case .changeAccount: EntityID("account")
        case .send, .edit, .react, .delete, .markRead, .editChannel, .deleteChannel, .rejoinChannel, .addMember,
            .removeMember:
            operation.channel ?? id
        }
    }
}

extension Action.Operation {
    /// In one word, as it is stored and shown.
    public var name: String {
        switch self {
        case .send: "send"
        case .edit: "edit"
        case .react: "react"
        case .delete: "delete"
        case .markRead: "read"
        case .createChannel: "create_channel"
        case .editChannel: "edit_channel"
        case .deleteChannel: "delete_channel"
        case .rejoinChannel: "rejoin_channel"
        case .addMember: "add_member"
        case .removeMember: "remove_member"
        case .createWorkspace: "create_workspace"
        case .changeWorkspace(_, .rename): "rename_workspace"
        case .changeWorkspace(_, .delete): "delete_workspace"
        case .changeWorkspace(_, .addMember): "add_workspace_member"
        case .changeWorkspace(_, .removeMember): "remove_workspace_member"
        case .changeAccount(.language): "set_language"
        case .changeAccount(.status): "set_status"
        case .run(let run): run.name
        }
    }

    /// The channel it is about, when there is one already.
    public var channel: EntityID? {
        switch self {
        case .send(let channel, _, _), .markRead(let channel), .editChannel(let channel, _),
            .deleteChannel(let channel), .rejoinChannel(let channel), .addMember(let channel, _),
            .removeMember(let channel, _):
            channel
        case .edit(let reference, _), .react(let reference, _), .delete(let reference): reference.channel
        case .createChannel, .createWorkspace, .changeWorkspace, .changeAccount, .run: nil
        }
    }

    /// Whether doing it twice makes two of something, so that it may only be repeated when it is known not to have been done.
    var makesSomething: Bool {
        switch self {
        case .send, .createWorkspace: true
        // A direct is found again.
        case .createChannel(let draft): draft.kind != .direct && draft.made == nil
        case .run(let run): run.makesSomething
        case .edit, .react, .delete, .markRead, .editChannel, .deleteChannel, .rejoinChannel, .addMember, .removeMember,
            .changeWorkspace, .changeAccount:
            false
        }
    }

    /// Whether it is about what `id` names.
    func mentions(_ id: EntityID) -> Bool { replacing(id, by: .none) != self }

    /// The same with another id for a channel, message or thread.
    func replacing(_ old: EntityID, by new: EntityID) -> Self { replacing { $0 == old ? new : $0 } }

    /// The same with each id of a channel, message or thread as `other` says.
    package func replacing(_ other: (EntityID) -> EntityID) -> Self {
        switch self {
        case .send(let channel, let thread, let text):
            return .send(channel: other(channel), thread: thread.map { other($0) }, text: text)
        case .edit(let reference, let text): return .edit(reference.replacing(other), text: text)
        case .react(let reference, let names): return .react(reference.replacing(other), names: names)
        case .delete(let reference): return .delete(reference.replacing(other))
        case .markRead(let channel): return .markRead(channel: other(channel))
        case .editChannel(let channel, let change): return .editChannel(channel: other(channel), change)
        case .deleteChannel(let channel): return .deleteChannel(channel: other(channel))
        case .rejoinChannel(let channel): return .rejoinChannel(channel: other(channel))
        case .addMember(let channel, let user): return .addMember(channel: other(channel), user: user)
        case .removeMember(let channel, let user): return .removeMember(channel: other(channel), user: user)
        case .createChannel, .createWorkspace, .changeWorkspace, .changeAccount, .run: return self
        }
    }
}

extension Action.MessageReference {
    fileprivate func replacing(_ other: (EntityID) -> EntityID) -> Self {
        Self(channel: other(channel), message: other(message), thread: thread.map { other($0) })
    }
}
