import WeirEvents
public import WeirJSON

// Actions as JSON, for stores and recordings: `{"id":…,"asked":…,"do":"send","channel":…,"text":…}`.
extension Action {
    /// Writes the action as a JSON object.
    public func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        encodeMembers(into: &writer)
        writer.endObject()
    }

    /// Writes the members of the action into an open object.
    func encodeMembers(into writer: inout JSONWriter) {
        writer.member("id", id.description)
        writer.member("asked", asked.milliseconds)
        writer.member("do", operation.name)
        operation.encodeMembers(into: &writer)
        writer.member("company", place?.company?.description)
        writer.member("workspace", place?.workspace?.description)
        if !pictures.isEmpty { writer.member("pictures", names: pictures) }
        guard !files.isEmpty else { return }
        writer.key("files")
        writer.beginArray()
        for file in files { file.encode(into: &writer) }
        writer.endArray()
    }

    /// Creates an action from the JSON that `encode` wrote, or returns `nil` for anything else.
    public init?(_ value: JSONValue) {
        guard let id = value["id"]?.text, !id.isEmpty, let asked = value["asked"]?.int64,
            let operation = Operation(value)
        else { return nil }
        self.init(id: EntityID(id), operation, asked: Timestamp(milliseconds: asked))
        place = Place(company: value["company"]?.id, workspace: value["workspace"]?.id)
        pictures = value["pictures"]?.texts ?? []
        if case .array(let files)? = value["files"] { self.files = files.compactMap { File($0) } }
    }
}

extension Action.Operation {
    /// The members of an action's object apart from `do`, by the value of `do`. An action of a profile has the member
    /// `run`, which contains its parameters.
    package static let members: KeyValuePairs<String, [String]> = [
        "send": ["channel", "text", "thread"], "edit": ["channel", "message", "text", "thread"],
        "react": ["channel", "message", "names", "thread"], "delete": ["channel", "message", "thread"],
        "read": ["channel"], "create_channel": ["name", "kind", "members", "icon", "description"],
        "edit_channel": ["channel", "name", "kind", "icon", "description"], "delete_channel": ["channel"],
        "rejoin_channel": ["channel"], "add_member": ["channel", "user"], "remove_member": ["channel", "user"],
        "create_workspace": ["name", "members"], "rename_workspace": ["place", "name"], "delete_workspace": ["place"],
        "add_workspace_member": ["place", "user"], "remove_workspace_member": ["place", "user"],
        "set_language": ["language"], "set_status": ["text", "icon"],
    ]

    fileprivate func encodeMembers(into writer: inout JSONWriter) {
        func write(_ members: KeyValuePairs<String, String?>) {
            for (key, value) in members {
                guard let value else { continue }
                writer.key(key)
                writer.string(value)
            }
        }
        func write(_ reference: Action.MessageReference) {
            write([
                "channel": reference.channel.description, "message": reference.message.description,
                "thread": reference.thread?.description,
            ])
        }
        switch self {
        case .send(let channel, let thread, let text):
            write(["channel": channel.description, "thread": thread?.description, "text": text])
        case .edit(let reference, let text):
            write(reference)
            write(["text": text])
        case .react(let reference, let names):
            write(reference)
            writer.member("names", names: names)
        case .delete(let reference): write(reference)
        case .markRead(let channel), .deleteChannel(let channel), .rejoinChannel(let channel):
            write(["channel": channel.description])
        case .createChannel(let draft):
            write([
                "kind": draft.kind.rawValue, "name": draft.name, "icon": draft.icon, "description": draft.description,
                "made": draft.made?.description,
            ])
            writer.member("members", names: draft.members.map(\.description))
        case .editChannel(let channel, let change):
            write([
                "channel": channel.description, "name": change.name, "kind": change.visibility?.rawValue,
                "icon": change.icon, "description": change.description,
            ])
        case .addMember(let channel, let user), .removeMember(let channel, let user):
            write(["channel": channel.description, "user": user.description])
        case .createWorkspace(let name, let members):
            write(["name": name])
            writer.member("members", names: members)
        case .changeWorkspace(let workspace, .rename(let name)): write(["place": workspace.description, "name": name])
        case .changeWorkspace(let workspace, .delete): write(["place": workspace.description])
        case .changeWorkspace(let workspace, .addMember(let user)):
            write(["place": workspace.description, "user": user])
        case .changeWorkspace(let workspace, .removeMember(let user)):
            write(["place": workspace.description, "user": user.description])
        case .changeAccount(.language(let language)): write(["language": language])
        case .changeAccount(.status(let text, let icon)): write(["text": text, "icon": icon])
        case .run(let run):
            writer.key("run")
            writer.beginObject()
            for (name, value) in run.values.sorted(by: { $0.key < $1.key }) {
                writer.key(name)
                writer.string(value)
            }
            writer.endObject()
            writer.member("step", run.step)
            if run.makesSomething { writer.member("makes", true) }
        }
    }

    /// Creates an operation from an action's object, or returns `nil` if a member is missing.
    package init?(_ value: JSONValue) {
        if case .object(let members)? = value["run"], let name = value["do"]?.text {
            var run = Action.Run(name, [:])
            for member in members { run.values[member.key] = member.value.text }
            run.step = Int(clamping: max(0, value["step"]?.int64 ?? 0))
            run.makesSomething = value["makes"] == .bool(true)
            self = .run(run)
            return
        }
        let channel = value["channel"]?.id
        let text = value["text"]?.text
        let user = value["user"]?.id
        let reference = channel.flatMap { channel in
            value["message"]?.id.map {
                Action.MessageReference(channel: channel, message: $0, thread: value["thread"]?.id)
            }
        }
        switch (value["do"]?.text, channel, reference) {
        case ("send", let channel?, _):
            guard let text else { return nil }
            self = .send(channel: channel, thread: value["thread"]?.id, text: text)
        case ("edit", _, let reference?):
            guard let text else { return nil }
            self = .edit(reference, text: text)
        case ("react", _, let reference?):
            self = .react(reference, names: value["names"]?.texts ?? [])
        case ("delete", _, let reference?): self = .delete(reference)
        case ("read", let channel?, _): self = .markRead(channel: channel)
        case ("edit_channel", let channel?, _):
            let kind = value["kind"]?.text
            let visibility = kind.flatMap { Action.ChannelDraft.Kind(rawValue: $0) }
            if kind != nil, visibility == nil || visibility == .direct { return nil }
            self = .editChannel(
                channel: channel,
                .init(
                    name: value["name"]?.text, icon: value["icon"]?.text, description: value["description"]?.text,
                    visibility: visibility))
        case ("delete_channel", let channel?, _): self = .deleteChannel(channel: channel)
        case ("rejoin_channel", let channel?, _): self = .rejoinChannel(channel: channel)
        case ("add_member", let channel?, _):
            guard let user else { return nil }
            self = .addMember(channel: channel, user: user)
        case ("remove_member", let channel?, _):
            guard let user else { return nil }
            self = .removeMember(channel: channel, user: user)
        case ("create_channel", _, _):
            guard let draft = Action.ChannelDraft(value) else { return nil }
            self = .createChannel(draft)
        case ("create_workspace", _, _):
            guard let name = value["name"]?.text else { return nil }
            self = .createWorkspace(name: name, members: value["members"]?.texts ?? [])
        case ("rename_workspace", _, _):
            guard let workspace = value["place"]?.id, let name = value["name"]?.text else { return nil }
            self = .changeWorkspace(workspace, .rename(name))
        case ("delete_workspace", _, _):
            guard let workspace = value["place"]?.id else { return nil }
            self = .changeWorkspace(workspace, .delete)
        case (let name?, _, _) where ["add_workspace_member", "remove_workspace_member"].contains(name):
            guard let workspace = value["place"]?.id, let user else { return nil }
            let isNew = name == "add_workspace_member"
            self = .changeWorkspace(workspace, isNew ? .addMember(user.description) : .removeMember(user))
        case ("set_language", _, _):
            guard let language = value["language"]?.text else { return nil }
            self = .changeAccount(.language(language))
        case ("set_status", _, _):
            guard let text else { return nil }
            self = .changeAccount(.status(text, icon: value["icon"]?.text ?? ""))
        case (_, _, _): return nil
        }
    }
}

extension Action.ChannelDraft {
    fileprivate init?(_ value: JSONValue) {
        guard let kind = Kind(rawValue: value["kind"]?.text ?? Kind.public.rawValue) else { return nil }
        let name = value["name"]?.text ?? ""
        if name.isEmpty, kind != .direct { return nil }
        self.init(
            kind: kind, name: name, icon: value["icon"]?.text ?? "", description: value["description"]?.text ?? "",
            members: (value["members"]?.texts ?? []).map { EntityID($0) })
        made = value["made"]?.id
    }
}

// The content of a stored or received value, if the value is of that type.
extension JSONValue {
    var text: String? { if case .string(let text) = self { text } else { nil } }
    var int64: Int64? { if case .integer(let number) = self { number } else { nil } }
    var id: EntityID? { text.flatMap { EntityID($0).ifAny } }
    var texts: [String]? {
        guard case .array(let elements) = self else { return nil }
        return elements.compactMap(\.text)
    }
}
