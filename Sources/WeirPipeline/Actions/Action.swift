public import WeirEvents
import WeirJSON

/// Something that a user wants to do at the backend, described independently of any backend.
public struct Action: Hashable, Sendable {
    /// A random identifier chosen by the caller and never reused. It names the action, and the provisional row it
    /// creates until the backend assigns an id.
    public var id: EntityID
    /// The operation to perform at the backend.
    public var operation: Operation
    /// The company and workspace that contain the target; `nil` for the session's current selection.
    public var place: Place?
    /// The addresses of a message's pictures, as the backend's image service returned them.
    public var pictures: [String] = []
    /// Files to add to a message when it is sent or edited. Each file is uploaded first, and only once.
    public var files: [File] = []
    /// The wall-clock time of the request. A message shows it until the server has assigned a time.
    public var asked: Timestamp

    /// Creates an action, without a place, pictures or files.
    public init(id: EntityID, _ operation: Operation, asked: Timestamp) {
        self.id = id
        self.operation = operation
        self.asked = asked
    }

    /// A company and a workspace, as far as they were named or are known.
    public struct Place: Hashable, Sendable {
        /// The id of the company; `nil` if it is unknown.
        public var company: EntityID?
        /// The id of the workspace; `nil` if it is unknown.
        public var workspace: EntityID?

        /// Creates a place, or returns `nil` if neither the company nor the workspace is known.
        public init?(company: EntityID?, workspace: EntityID?) {
            if company == nil, workspace == nil { return nil }
            (self.company, self.workspace) = (company, workspace)
        }
    }

    /// The operations that a user can request.
    ///
    /// A channel is named by its id, by `#` and its name, or by the id of the action that creates it. A message is
    /// named by its id, or by the id of the action that sends it.
    public enum Operation: Hashable, Sendable {
        /// Send a message to a channel, or a reply to a thread.
        case send(channel: EntityID, thread: EntityID?, text: String)
        /// Replace the text of a message.
        case edit(MessageReference, text: String)
        /// Replace the user's reactions to a message. An empty list removes them.
        case react(MessageReference, names: [String])
        /// Delete a message from its channel or thread.
        case delete(MessageReference)
        /// Mark a channel as read.
        case markRead(channel: EntityID)
        /// Create a channel, or find the direct conversation with these members.
        case createChannel(ChannelDraft)
        /// Change the properties of a channel that are not `nil`.
        case editChannel(channel: EntityID, ChannelChange)
        /// Delete a channel and everything in it.
        case deleteChannel(channel: EntityID)
        /// Rejoin a channel that the user left.
        case rejoinChannel(channel: EntityID)
        /// Add a user to a channel.
        case addMember(channel: EntityID, user: EntityID)
        /// Remove a user from a channel.
        case removeMember(channel: EntityID, user: EntityID)
        /// Create a workspace. Members are named by their e-mail addresses.
        case createWorkspace(name: String, members: [String])
        /// Change a workspace, which is named by its id or its name.
        case changeWorkspace(EntityID, WorkspaceChange)
        /// Change the user's own account.
        case changeAccount(AccountChange)
        /// Run an action that a profile declares, step by step.
        case run(Run)
    }

    /// The changes that can be made to a workspace.
    public enum WorkspaceChange: Hashable, Sendable {
        /// Give the workspace another name.
        case rename(String)
        /// Delete the workspace and everything in it.
        case delete
        /// Add a user, named by an e-mail address or an id.
        case addMember(String)
        /// Remove a user from the workspace.
        case removeMember(EntityID)
    }

    /// The changes that users can make to their accounts.
    public enum AccountChange: Hashable, Sendable {
        /// Set the language, such as `en`.
        case language(String)
        /// Set the status text and the emoji before it. Both are empty for no status.
        case status(String, icon: String)
    }

    /// An action of several steps, and its progress.
    public struct Run: Hashable, Sendable {
        /// The action's name in the profile.
        public var name: String
        /// The parameters and, once a step has found or created a row, the id and the fields of that row. The keys are
        /// the names of the places in the profile's templates.
        public var values: [String: String]
        /// The current step, counted from 0.
        package internal(set) var step = 0
        /// The next part of the step. The phase is not stored: after a restart a step looks before it writes.
        var phase = Phase.look
        /// Whether the request in flight creates something each time it is sent.
        package internal(set) var makesSomething = false

        /// The phases of a step.
        enum Phase: Hashable, Sendable {
            /// Send the step's read request if it has one; otherwise write.
            case look
            /// Write, because the read request found nothing.
            case write
            /// Read again, because the server already has what the step would create.
            case verify
        }

        /// Creates a run that has not started.
        public init(_ name: String, _ parameters: [String: String] = [:]) { (self.name, values) = (name, parameters) }
    }

    /// A message and its position in the backend.
    public struct MessageReference: Hashable, Sendable {
        /// The channel that contains the message.
        public var channel: EntityID
        /// The id of the message.
        public var message: EntityID
        /// The first message of the thread; `nil` if the model knows it, or if the message itself is the first one.
        public var thread: EntityID?
        /// Creates a reference to a message in a channel.
        public init(channel: EntityID, message: EntityID, thread: EntityID? = nil) {
            self.channel = channel
            self.message = message
            self.thread = thread
        }
    }

    /// The changes to a channel. A property that is `nil` stays as it is.
    public struct ChannelChange: Hashable, Sendable {
        /// The new name of the channel.
        public var name: String?
        /// The new icon, in the format of `ChannelDraft.icon`.
        public var icon: String?
        /// The new purpose of the channel; empty for none.
        public var description: String?
        /// The new visibility. A channel cannot become a direct conversation.
        public var visibility: ChannelDraft.Kind?
        /// Creates a change, which leaves every property as it is by default.
        public init(
            name: String? = nil, icon: String? = nil, description: String? = nil, visibility: ChannelDraft.Kind? = nil
        ) {
            (self.name, self.icon, self.description, self.visibility) = (name, icon, description, visibility)
        }
    }

    /// The properties of a channel to create.
    public struct ChannelDraft: Hashable, Sendable {
        /// The visibility of a channel.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            case `public`, `private`, direct
        }
        /// The visibility of the channel.
        public var kind: Kind
        /// The name of the channel; empty for a direct conversation.
        public var name: String
        /// An emoji, raw or as `:shortname:`, or the address of a picture in the form that the backend uses; empty for
        /// none.
        public var icon: String
        /// The purpose of the channel; empty for none.
        public var description: String
        /// The members of the channel, in addition to the user.
        public var members: [EntityID]
        /// The channel, once it is created and only its members remain to be added, if that is a step of its own.
        package internal(set) var made: EntityID?
        /// Creates a draft of a channel.
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
    /// Adds an uploaded picture to a message, or makes it the icon of the channel that is created or changed.
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

    /// The lane of the action.
    ///
    /// The actions of one lane are performed one after the other, in the order they were requested; different lanes run
    /// in parallel. Every action on a channel is in the lane of that channel, so an edit never overtakes the message
    /// that it changes.
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
    /// The name of the operation, one word, as it is stored and shown.
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

    /// The channel that the operation is about, if there already is one.
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

    /// Whether a repetition creates a second object. Such an operation may be repeated only if it is known not to have
    /// been done.
    var makesSomething: Bool {
        switch self {
        case .send, .createWorkspace: true
        // The backend finds the existing direct conversation again.
        case .createChannel(let draft): draft.kind != .direct && draft.made == nil
        case .run(let run): run.makesSomething
        case .edit, .react, .delete, .markRead, .editChannel, .deleteChannel, .rejoinChannel, .addMember, .removeMember,
            .changeWorkspace, .changeAccount:
            false
        }
    }

    /// Returns whether the operation refers to `id`.
    func mentions(_ id: EntityID) -> Bool { replacing(id, by: .none) != self }

    /// Returns the operation with the id of a channel, message or thread replaced by another.
    func replacing(_ old: EntityID, by new: EntityID) -> Self { replacing { $0 == old ? new : $0 } }

    /// Returns the operation with each id of a channel, message or thread replaced by the result of `other`.
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

extension Action {
    /// A file to attach to a message: the user's file, and after the upload the server's.
    public struct File: Hashable, Sendable {
        /// The absolute path. Another process, with another working directory, may upload the file.
        public var path: String
        /// The size in bytes at the time of the request.
        public var size: Int
        /// The server's id of the file; `nil` until it is uploaded.
        package internal(set) var uploaded: EntityID?

        /// Creates a file with an absolute path.
        public init(path: String, size: Int) { (self.path, self.size) = (path, size) }

        /// The last component of the path.
        package var name: String { path.split(separator: "/").last.map(String.init) ?? path }

        /// The media type, derived from the extension of the name.
        package var type: String {
            guard let dot = name.lastIndex(of: ".") else { return Self.unknownType }
            return Self.types[name[name.index(after: dot)...].lowercased()] ?? Self.unknownType
        }

        private static let unknownType = "application/octet-stream"
        private static let types = [
            "avif": "image/avif", "bmp": "image/bmp", "csv": "text/csv", "doc": "application/msword",
            "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "gif": "image/gif",
            "gz": "application/gzip", "heic": "image/heic", "htm": "text/html", "html": "text/html",
            "jpeg": "image/jpeg", "jpg": "image/jpeg", "json": "application/json", "log": "text/plain",
            "m4a": "audio/mp4", "md": "text/markdown", "mov": "video/quicktime", "mp3": "audio/mpeg",
            "mp4": "video/mp4", "odt": "application/vnd.oasis.opendocument.text", "ogg": "audio/ogg",
            "pdf": "application/pdf", "png": "image/png", "svg": "image/svg+xml", "tar": "application/x-tar",
            "txt": "text/plain", "wav": "audio/wav", "webm": "video/webm", "webp": "image/webp",
            "xls": "application/vnd.ms-excel",
            "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "zip": "application/zip",
        ]
    }

    /// The first file that is not uploaded yet. The next request of the action uploads it.
    package var nextUpload: File? { files.first { $0.uploaded == nil } }

    /// Records that the next file was uploaded.
    mutating func noteUpload(_ file: EntityID) {
        guard let next = files.firstIndex(where: { $0.uploaded == nil }) else { return }
        files[next].uploaded = file
    }
}

extension Action.File {
    /// Writes the file as a JSON object.
    func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("path", path)
        writer.member("size", size)
        writer.member("uploaded", uploaded?.description)
        writer.endObject()
    }

    /// Creates a file from the JSON that `encode` wrote, or returns `nil` for anything else.
    init?(_ value: JSONValue) {
        guard let path = value["path"]?.text, let size = value["size"]?.int64 else { return nil }
        self.init(path: path, size: Int(clamping: max(0, size)))
        uploaded = value["uploaded"]?.id
    }
}

/// A report on the progress of an action.
public struct ActionReport: Hashable, Sendable {
    /// The stages of an action.
    public enum Change: Hashable, Sendable {
        /// The action was requested. The model shows it from now on.
        case queued
        /// The request of the action goes out. Attempts count from 1.
        case sending(attempt: Int)
        /// The server performed the action. `subject` is what it created or changed, if the answer contains it.
        case done(subject: EntityID?)
        /// The server refused the action, or the action cannot be performed. `status` is the HTTP status of a refusal
        /// that has one. The words are untrusted.
        case refused(why: String, status: Int?)
        /// The server could not be reached, or cannot perform the action now. The session tries again.
        case delayed(why: String, retryIn: Duration)
        /// The action was withdrawn before it was done.
        case dropped
    }
    /// The action that the report is about.
    public var action: Action
    /// The stage that the action reached.
    public var change: Change
    /// Creates a report of an action's new stage.
    init(_ action: Action, _ change: Change) {
        self.action = action
        self.change = change
    }
}
