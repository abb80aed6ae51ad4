import WeirEvents
import WeirJSON
import WeirModel

// Creates the requests of Twake TW-71 (era A) and Twake TW-79 (era B).
extension TwakeBackend {
    func request(
        for action: Action, in channel: Twake.Channel, _ era: TwakeEra, _ model: SectionedCollection<Item>
    ) -> ActionStep {
        let path = channel.path
        let request: RESTCall
        switch action.operation {
        case .send(_, let thread, let text):
            let files = [Twake.File]().adding(action.files)
            request =
                era == .a ? .proxySend(path, thread, text, files) : .coreSend(path, thread, text, files, action.id)
        case .edit(let reference, let text):
            let place = place(of: reference, path, model)
            let files = (model[.message(reference.message)]?.message?.files ?? []).adding(action.files)
            request = era == .a ? .proxyEdit(place, text, files) : .coreEdit(place, text, files)
        case .react(let reference, let names):
            if era == .a, names.count > 1 { return .impossible("this server takes one reaction to a message") }
            let place = place(of: reference, path, model)
            request = era == .a ? .proxyReact(place, names.first ?? "") : .coreReact(place, names)
        case .delete(let reference):
            let place = place(of: reference, path, model)
            request = era == .a ? .proxyDelete(place) : .coreDelete(place)
        case .markRead: request = era == .a ? .proxyRead(path) : .coreRead(path)
        case .editChannel(_, let change):
            if channel.isDirect { return .impossible("a direct conversation has no name") }
            if era == .a, change.visibility != nil {
                return .impossible("this server cannot change the visibility of a channel")
            }
            request = era == .a ? .proxyEditChannel(channel.edited(change)) : .coreEditChannel(path, change)
        case .deleteChannel: request = era == .a ? .proxyDeleteChannel(path) : .coreDeleteChannel(path)
        case .addMember(_, let user):
            request = era == .a ? .proxyMembers(.post, path, user) : .coreAddMember(path, user)
        case .removeMember(_, let user):
            request = era == .a ? .proxyMembers(.delete, path, user) : .coreRemoveMember(path, user)
        case .createChannel, .rejoinChannel, .createWorkspace, .changeWorkspace, .changeAccount, .run:
            return .impossible("it names no channel")
        }
        return .request(action.operation, request)
    }

    func request(forChannel draft: Action.ChannelDraft, _ era: TwakeEra, _ place: TwakePlace) -> ActionStep {
        if draft.kind == .direct, draft.members.isEmpty {
            return .impossible("a direct conversation needs another member")
        }
        let operation = Action.Operation.createChannel(draft)
        switch era {
        case .a where draft.kind == .direct && draft.members.count > 1:
            return .impossible("this server makes directs of two")
        case .a: return .request(operation, .proxyCreateChannel(draft, place))
        case .b: return .request(operation, .coreCreateChannel(draft, place))
        }
    }

    func request(forWorkspace name: String, _ members: [String], _ era: TwakeEra, _ company: EntityID) -> ActionStep {
        let operation = Action.Operation.createWorkspace(name: name, members: members)
        switch era {
        case .a: return .request(operation, .proxyCreateWorkspace(name, members, company))
        case .b:
            if !members.isEmpty { return .impossible("this server makes workspaces without members") }
            return .request(operation, .coreCreateWorkspace(name, company))
        }
    }

    func request(for change: Action.WorkspaceChange, of place: TwakePlace, _ era: TwakeEra) -> ActionStep {
        let operation = Action.Operation.changeWorkspace(place.workspace, change)
        switch (era, change) {
        case (.a, .rename): return .impossible("this server has no call that renames a workspace")
        case (.a, .delete): return .request(operation, .proxyDeleteWorkspace(place))
        case (.b, .rename(let name)): return .request(operation, .coreRenameWorkspace(place, name))
        case (.b, .delete): return .request(operation, .coreDeleteWorkspace(place))
        case (.a, .addMember(let user)):
            guard user.contains("@") else { return .impossible("this server takes the addresses of new members") }
            return .request(operation, .proxyWorkspaceMembers(.post, place, user))
        case (.b, .addMember(let user)): return .request(operation, .coreAddWorkspaceMember(place, user))
        case (_, .removeMember(let user)):
            if user.description.contains("@") { return .impossible("a member is removed by id, not by address") }
            return .request(
                operation,
                era == .a
                    ? .proxyWorkspaceMembers(.delete, place, user.description)
                    : .core(.delete, "\(place.corePath)/users/\(user)"))
        }
    }

    func request(for change: Action.AccountChange, _ era: TwakeEra) -> ActionStep {
        let operation = Action.Operation.changeAccount(change)
        switch (era, change) {
        case (.a, .language(let language)): return .request(operation, .proxySetLanguage(language))
        case (.a, .status): return .impossible("this server has no call that sets a status")
        case (.b, .language(let language)): return .request(operation, .coreSetLanguage(language))
        case (.b, .status): return .request(operation, .coreSetStatus(change.coreStatus))
        }
    }

    /// Returns the location of a message as far as the reference or the model contains it. An unknown message is
    /// assumed to be a head.
    func place(
        of reference: Action.MessageReference, _ path: TwakeChannelPath, _ model: SectionedCollection<Item>
    ) -> TwakeMessagePlace {
        let thread = reference.thread ?? model[.message(reference.message)]?.message?.thread ?? reference.message
        return TwakeMessagePlace(path: path, thread: thread, message: reference.message)
    }
}

/// The path of a message: its channel, thread and id. A head's thread has the head's id.
struct TwakeMessagePlace {
    var path: TwakeChannelPath
    var thread: EntityID
    var message: EntityID
}

// Era A: the mobile proxy, which takes its parameters in the body.
extension RESTCall {
    private static func proxy(_ method: Method, _ path: RESTTarget, _ body: JSONValue) -> RESTCall {
        RESTCall(method, "\(TwakeEndpoints.proxy)/\(path)", body: body.bytes)
    }

    fileprivate static func proxySend(
        _ path: TwakeChannelPath, _ thread: EntityID?, _ text: String, _ files: [Twake.File]
    ) -> Self {
        proxy(.post, "messages", path.fields(thread: thread, [:]).saying(text, files))
    }

    fileprivate static func proxyEdit(_ place: TwakeMessagePlace, _ text: String, _ files: [Twake.File]) -> Self {
        proxy(.put, "messages", place.fields([:]).saying(text, files))
    }

    fileprivate static func proxyDelete(_ place: TwakeMessagePlace) -> Self {
        proxy(.delete, "messages", place.fields([:]))
    }

    /// An empty reaction removes the user's reaction.
    fileprivate static func proxyReact(_ place: TwakeMessagePlace, _ name: String) -> Self {
        proxy(.post, "reactions", place.fields(["reaction": .string(name)]))
    }

    fileprivate static func proxyRead(_ path: TwakeChannelPath) -> Self {
        proxy(.post, "channels/read", path.fields(channelKey: "id", [:]))
    }

    fileprivate static func proxyCreateChannel(_ draft: Action.ChannelDraft, _ place: TwakePlace) -> Self {
        guard draft.kind != .direct else {
            return proxy(
                .post, "direct",
                .fields([
                    "company_id": .string(place.company.description),
                    "member": .string(draft.members.first?.description ?? ""),
                ]))
        }
        return proxy(
            .post, "channels",
            .fields([
                "company_id": .string(place.company.description), "workspace_id": .string(place.workspace.description),
                "name": .string(draft.name), "icon": .string(draft.icon), "description": .string(draft.description),
                "visibility": .string(draft.kind.rawValue), "members": .ids(draft.members),
            ]))
    }

    fileprivate static func proxyEditChannel(_ channel: Twake.Channel) -> Self {
        proxy(
            .put, "channels",
            channel.path.fields(
                channelKey: "id",
                [
                    "name": .string(channel.name ?? ""), "icon": .string(channel.icon ?? ""),
                    "description": .string(channel.description ?? ""),
                ]))
    }

    fileprivate static func proxyDeleteChannel(_ path: TwakeChannelPath) -> Self {
        proxy(.delete, "channels", path.fields(channelKey: "id", [:]))
    }

    fileprivate static func proxyMembers(_ method: Method, _ path: TwakeChannelPath, _ user: EntityID) -> Self {
        proxy(method, "channels/members", path.fields(channelKey: "id", ["members": .ids([user])]))
    }

    fileprivate static func proxyCreateWorkspace(_ name: String, _ members: [String], _ company: EntityID) -> Self {
        proxy(
            .post, "workspaces",
            .fields([
                "company_id": .string(company.description), "name": .string(name),
                "members": .array(members.map { .string($0) }),
            ]))
    }

    fileprivate static func proxyDeleteWorkspace(_ place: TwakePlace) -> Self {
        proxy(
            .delete, "workspaces",
            .fields([
                "company_id": .string(place.company.description), "workspace_id": .string(place.workspace.description),
            ]))
    }

    fileprivate static func proxyWorkspaceMembers(_ method: Method, _ place: TwakePlace, _ user: String) -> Self {
        proxy(
            method, "workspaces/members",
            .fields([
                "company_id": .string(place.company.description), "workspace_id": .string(place.workspace.description),
                "members": .array([.string(user)]),
            ]))
    }

    fileprivate static func proxySetLanguage(_ language: String) -> Self {
        proxy(.patch, "users/profile", .fields(["language": .string(language)]))
    }
}

// Era B: the core, which takes its parameters in the path.
extension RESTCall {
    fileprivate static func core(_ method: Method, _ path: RESTTarget, _ body: JSONValue? = nil) -> RESTCall {
        RESTCall(method, "\(TwakeEndpoints.core)/\(path)", body: body?.bytes ?? [])
    }

    /// Sends a message. A message without an id is new. The server returns the client's `context` with the message,
    /// which identifies the echo.
    fileprivate static func coreSend(
        _ path: TwakeChannelPath, _ thread: EntityID?, _ text: String, _ files: [Twake.File], _ id: EntityID
    ) -> Self {
        let message = JSONValue.fields([
            "text": .string(text),
            "blocks": .array([.fields(["type": .string("twacode"), "elements": .array([.string(text)])])]),
            "files": .array(files.map { $0.reference(in: path.company) }), "type": .string("message"),
            "subtype": .null,
            "context": .fields(["client_id": .string(id.description)]),
        ])
        let threads: RESTTarget = "messages/v1/companies/\(path.company)/threads"
        if let thread {
            return core(
                .post, "\(threads)/\(thread)/messages", .fields(["resource": message, "options": .fields([:])]))
        }
        let participant = JSONValue.fields([
            "type": .string("channel"), "id": .string(path.channel.description),
            "workspace_id": .string(path.workspace.description), "company_id": .string(path.company.description),
        ])
        return core(
            .post, threads,
            .fields([
                "resource": .fields(["participants": .array([participant])]), "options": .fields(["message": message]),
            ]))
    }

    fileprivate static func coreEdit(_ place: TwakeMessagePlace, _ text: String, _ files: [Twake.File]) -> Self {
        var message = JSONValue.fields([
            "text": .string(text),
            "blocks": .array([.fields(["type": .string("twacode"), "elements": .array([.string(text)])])]),
        ])
        if !files.isEmpty {
            message = message.adding(["files": .array(files.map { $0.reference(in: place.path.company) })])
        }
        return core(.post, place.corePath, .fields(["resource": message, "options": .fields([:])]))
    }

    fileprivate static func coreDelete(_ place: TwakeMessagePlace) -> Self {
        core(.post, "\(place.corePath)/delete", .fields([:]))
    }

    fileprivate static func coreReact(_ place: TwakeMessagePlace, _ names: [String]) -> Self {
        core(.post, "\(place.corePath)/reaction", .fields(["reactions": .array(names.map { .string($0) })]))
    }

    fileprivate static func coreRead(_ path: TwakeChannelPath) -> Self {
        core(.post, "\(path.corePath)/read", .fields(["value": .bool(true)]))
    }

    fileprivate static func coreCreateChannel(_ draft: Action.ChannelDraft, _ place: TwakePlace) -> Self {
        let isDirect = draft.kind == .direct
        let workspace = isDirect ? EntityID.direct : place.workspace
        var resource = JSONValue.fields([
            "company_id": .string(place.company.description), "workspace_id": .string(workspace.description),
            "visibility": .string(draft.kind.rawValue),
        ])
        if !isDirect {
            resource = resource.adding([
                "name": .string(draft.name), "icon": .string(draft.icon), "description": .string(draft.description),
            ])
        }
        return core(
            .post, "channels/v1/companies/\(place.company)/workspaces/\(workspace)/channels",
            .fields(["options": .fields(["members": .ids(draft.members)]), "resource": resource]))
    }

    fileprivate static func coreEditChannel(_ path: TwakeChannelPath, _ change: Action.ChannelChange) -> Self {
        let fields: KeyValuePairs<String, String?> = [
            "name": change.name, "icon": change.icon, "description": change.description,
            "visibility": change.visibility?.rawValue,
        ]
        let members = fields.compactMap { key, text in text.map { JSONValue.Member(key, .string($0)) } }
        return core(.post, path.corePath, .fields(["resource": .object(members)]))
    }

    fileprivate static func coreDeleteChannel(_ path: TwakeChannelPath) -> Self { core(.delete, path.corePath) }

    fileprivate static func coreAddMember(_ path: TwakeChannelPath, _ user: EntityID) -> Self {
        let resource = JSONValue.fields(["user_id": .string(user.description), "type": .string("member")])
        return core(.post, "\(path.corePath)/members", .fields(["resource": resource]))
    }

    fileprivate static func coreRemoveMember(_ path: TwakeChannelPath, _ user: EntityID) -> Self {
        core(.delete, "\(path.corePath)/members/\(user)")
    }

    fileprivate static func coreCreateWorkspace(_ name: String, _ company: EntityID) -> Self {
        let resource = JSONValue.fields(["name": .string(name), "logo": .string(""), "default": .bool(false)])
        return core(
            .post, "workspaces/v1/companies/\(company)/workspaces", .fields(["resource": resource]))
    }

    /// Fields that are left out keep their values.
    fileprivate static func coreRenameWorkspace(_ place: TwakePlace, _ name: String) -> Self {
        core(.post, place.corePath, .fields(["resource": .fields(["name": .string(name)])]))
    }

    fileprivate static func coreDeleteWorkspace(_ place: TwakePlace) -> Self { core(.delete, place.corePath) }

    /// For an email address, the core finds the user or sends an invitation.
    fileprivate static func coreAddWorkspaceMember(_ place: TwakePlace, _ user: String) -> Self {
        let role = JSONValue.string("member")
        guard user.contains("@") else {
            let resource = JSONValue.fields(["user_id": .string(user), "role": role])
            return core(.post, "\(place.corePath)/users", .fields(["resource": resource]))
        }
        let invitation = JSONValue.fields(["email": .string(user), "role": role, "company_role": role])
        return core(.post, "\(place.corePath)/users/invite", .fields(["invitations": .array([invitation])]))
    }

    fileprivate static func coreSetLanguage(_ language: String) -> Self {
        core(.post, "users/v1/users/me/preferences", .fields(["locale": .string(language)]))
    }

    /// The resource is the status text itself. This call changes nothing else of an account.
    fileprivate static func coreSetStatus(_ status: String) -> Self {
        core(.post, "users/v1/users/me", .fields(["resource": .string(status)]))
    }
}

extension TwakePlace {
    fileprivate var corePath: RESTTarget { "workspaces/v1/companies/\(company)/workspaces/\(workspace)" }
}

extension TwakeChannelPath {
    fileprivate var corePath: RESTTarget {
        "channels/v1/companies/\(company)/workspaces/\(workspace)/channels/\(channel)"
    }

    /// Returns the proxy's parameters for a channel, followed by `more`.
    fileprivate func fields(
        channelKey: String = "channel_id", thread: EntityID? = nil, _ more: KeyValuePairs<String, JSONValue>
    ) -> JSONValue {
        var value = JSONValue.object([
            .init("company_id", .string(company.description)), .init("workspace_id", .string(workspace.description)),
            .init(channelKey, .string(channel.description)),
        ])
        if let thread { value = value.adding(["thread_id": .string(thread.description)]) }
        return value.adding(more)
    }
}

extension TwakeMessagePlace {
    fileprivate var corePath: RESTTarget {
        "messages/v1/companies/\(path.company)/threads/\(thread)/messages/\(message)"
    }

    /// Returns the proxy's parameters for a message, followed by `more`. The thread of a head is omitted, as in the
    /// mobile app.
    fileprivate func fields(_ more: KeyValuePairs<String, JSONValue>) -> JSONValue {
        path.fields(thread: thread == message ? nil : thread, ["message_id": .string(message.description)])
            .adding(more)
    }
}

extension JSONValue {
    static func ids(_ ids: [EntityID]) -> JSONValue { .array(ids.map { .string($0.description) }) }

    var bytes: [UInt8] { Array(raw.bytes) }
}
