import WeirEvents
import WeirJSON
import WeirWire

/// The mobile proxy's REST services under `/internal/mobile` (Twake TW-71). Answers are bare arrays and
/// objects.
enum EraA {
    static let routes: [Route] =
        [
            Route("GET", "", isPublic: true, server),
            Route("GET", "user", user),
            Route("GET", "companies", companies),
            Route("GET", "workspaces", workspaces),
            Route("POST", "workspaces", createWorkspace),
            Route("DELETE", "workspaces", deleteWorkspace),
            Route("GET", "workspaces/members", workspaceMembers),
            Route("POST", "workspaces/members", addWorkspaceMembers),
            Route("DELETE", "workspaces/members", removeWorkspaceMembers),
            Route("GET", "users/search", searchUsers),
            Route("PATCH", "users/profile", changeProfile),
            Route("GET", "workspace/notifications", rooms),
            Route("GET", "badges", badges),
        ] + channelRoutes + messageRoutes + tokenRoutes + fileRoutes

    private static func server(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let origin = "http://\(call.request.host)"
        return RESTAnswer(
            value: .fields([
                "ready": .bool(true), "auth_mode": .array([.string("internal")]),
                "auth": .fields(["internal": .fields(["use": .bool(true)])]),
                "version": .fields(["current": .string("2021.Q2.550"), "minimal": .string("2021.Q2.550")]),
                "elastic_search_available": .bool(false), "help_link": .string(""),
                "core_endpoint_url": .string(origin),
                "socket_endpoint": .fields(["host": .string(origin), "path": .string("/socket")]),
                "hostname": .string("demo"),
                "ver": .string("1"),
            ]))
    }

    private static func user(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let me = try call.user()
        let id = call.queryValue("id").map { EntityID($0) } ?? me.id
        guard let user = backend.world.user(id) else { throw .notFound("User not found") }
        return RESTAnswer(value: backend.world.proxyAccount(user))
    }

    private static func companies(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let company = backend.world.company
        return RESTAnswer(
            value: .array([
                .fields([
                    "id": .id(company.id), "name": .string(company.name), "logo": .string(""),
                    "total_members": .integer(Int64(backend.world.users.count)),
                    "notification_rooms": .array([.string("previous:group/\(company.id)")]), "permissions": .array([]),
                ])
            ]))
    }

    private static func workspaces(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        try checkCompany(call, backend.world)
        let world = backend.world
        let mine = world.workspaces(of: try call.user().id)
        let values = mine.sorted { $0.name < $1.name }.map { proxyWorkspace($0, world) }
        return RESTAnswer(value: .array(values))
    }

    private static func createWorkspace(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        try checkCompany(call, backend.world)
        let id = try backend.perform(.createWorkspace(name: try call.requiredField("name")), for: call)
        guard let workspace = id.flatMap({ backend.world.workspace($0) }) else {
            throw .notFound("Workspace not found")
        }
        return RESTAnswer(value: proxyWorkspace(workspace, backend.world))
    }

    private static func deleteWorkspace(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        _ = try backend.perform(.deleteWorkspace(try workspace(call, backend.world).id), for: call)
        return RESTAnswer(value: .fields(["success": .bool(true)]))
    }

    /// Finds users by a part of their names. The answer contains only the names and ids.
    private static func searchUsers(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        try checkCompany(call, backend.world)
        let found = backend.world.users(called: try call.requiredField("name"))
        return RESTAnswer(
            value: .array(
                found.map {
                    .fields([
                        "id": .id($0.id), "username": .string($0.username), "firstname": .string($0.firstName),
                        "lastname": .string($0.lastName),
                    ])
                }))
    }

    /// Changes the caller's language. The proxy does not accept a status.
    private static func changeProfile(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let language = call.body["language"]?.stringValue
        _ = try backend.perform(.changeAccount(language: language, status: nil), for: call)
        return RESTAnswer(
            value: .fields(["language": .fields(["readonly": .bool(false), "value": .text(language)])]))
    }

    private static func proxyWorkspace(_ workspace: Workspace, _ world: World) -> JSONValue {
        .fields([
            "id": .id(workspace.id), "private": .bool(false), "logo": .string(""), "color": .string("#222"),
            "company_id": .id(world.company.id), "name": .string(workspace.name),
            "total_members": .integer(Int64(world.members(of: workspace).count)), "is_archived": .bool(false),
            "user_last_access": .integer(workspace.createdAt), "permissions": .array([]),
        ])
    }

    private static func workspaceMembers(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let members = backend.world.members(of: try workspace(call, backend.world))
        return RESTAnswer(value: .array(members.map { backend.world.proxyAccount($0) }))
    }

    /// Adds users by their email addresses. An unknown address is an error, because this server sends no mail.
    private static func addWorkspaceMembers(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer
    {
        try changeMembers(call, &backend, isMember: true) { address, world in world.user(login: address)?.id }
    }

    private static func removeWorkspaceMembers(
        _ call: RESTCall, _ backend: inout Backend
    ) throws(RESTError) -> RESTAnswer {
        try changeMembers(call, &backend, isMember: false) { id, _ in EntityID(id) }
    }

    private static func changeMembers(
        _ call: RESTCall, _ backend: inout Backend, isMember: Bool, _ user: (String, World) -> EntityID?
    ) throws(RESTError) -> RESTAnswer {
        let workspace = try workspace(call, backend.world).id
        for name in (call.body["members"]?.arrayValue ?? []).prefix(1_000).compactMap(\.stringValue) {
            guard let user = user(name, backend.world) else { throw .notFound("User \(name) not found") }
            _ = try backend.perform(.changeWorkspaceMember(workspace, user: user, isMember: isMember), for: call)
        }
        return try workspaceMembers(call, &backend)
    }

    /// Lists the rooms of Twake TW-17: four fixed ones, then one for each of the caller's channels and direct channels.
    private static func rooms(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let workspace = try workspace(call, backend.world)
        let me = try call.user()
        let names = backend.world.rooms
        let mine = backend.world.channels(of: me.id)
        let fixed = [
            room(names.publicList(workspace.id), "channels_list", "public"),
            room(names.privateList(workspace.id, user: me.id), "channels_list", "private"),
            room(names.directList(user: me.id), "directs_list", "direct"),
            room(names.notifications(user: me.id), "notifications", "private"),
        ]
        let channels = mine.filter { $0.workspace == workspace.id }.map { channel in
            room(names.messageUpdates(channel.id), "channel", channel.id.description)
        }
        let directs = mine.filter(\.isDirect).map { room(names.messageUpdates($0.id), "direct", $0.id.description) }
        return RESTAnswer(value: .array(fixed + channels + directs))
    }

    private static func room(_ key: String, _ type: String, _ id: String) -> JSONValue {
        .fields(["key": .string(key), "type": .string(type), "id": .string(id)])
    }

    /// Returns counters per company, workspace and channel, summed over the unread threads.
    private static func badges(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        try checkCompany(call, backend.world)
        let badges = backend.world.badges(of: try call.user().id)
        guard !badges.isEmpty else { return RESTAnswer(value: .array([])) }
        let company = counter("company", backend.world.company.id, badges.count)
        return RESTAnswer(
            value: .array(
                [company] + counters("workspace", badges.map(\.workspace)) + counters("channel", badges.map(\.channel)))
        )
    }

    private static func counters(_ type: String, _ ids: [EntityID]) -> [JSONValue] {
        var order: [EntityID] = []
        for id in ids where !order.contains(id) { order.append(id) }
        return order.map { id in counter(type, id, ids.count { $0 == id }) }
    }

    private static func counter(_ type: String, _ id: EntityID, _ count: Int) -> JSONValue {
        .fields(["type": .string(type), "id": .id(id), "count": .integer(Int64(count))])
    }

    // MARK: -

    static func checkCompany(_ call: RESTCall, _ world: World) throws(RESTError) {
        guard try call.idField("company_id") == world.company.id else { throw .notFound("Company not found") }
    }

    static func workspace(_ call: RESTCall, _ world: World) throws(RESTError) -> Workspace {
        try checkCompany(call, world)
        guard let workspace = world.workspace(try call.idField("workspace_id")) else {
            throw .notFound("Workspace not found")
        }
        return workspace
    }

    /// Returns the channel identified by a field, if the caller may see it.
    static func channel(_ field: String, _ call: RESTCall, _ world: World) throws(RESTError) -> Channel {
        try checkCompany(call, world)
        let id = try call.idField(field)
        let me = try call.user()
        do throws(WorldError) { return try world.visibleChannel(id, to: me) } catch { throw RESTError(error) }
    }
}

/// The routes for login and logout (Twake TW-67).
extension EraA {
    static let tokenRoutes: [Route] = [
        Route("POST", "authorize", isPublic: true, authorize),
        Route("POST", "authorization/prolong", isPublic: true, prolong),
        Route("POST", "logout", logout),
    ]

    private static func authorize(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let name = try call.requiredField("username")
        guard let user = backend.world.user(login: name), try call.requiredField("password") == EraB.password else {
            throw RESTError(status: 403, message: "Wrong credentials")
        }
        return RESTAnswer(value: backend.proxyToken(for: user.id, at: call))
    }

    private static func prolong(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        guard case .valid(let user) = backend.tokens.judge(try call.requiredField("refresh_token"), at: call.moment)
        else { throw RESTError(status: 403, message: "Wrong token") }
        return RESTAnswer(value: backend.proxyToken(for: user, at: call))
    }

    /// Answers a logout. The token stays valid, because the server keeps no list of tokens.
    private static func logout(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        RESTAnswer(value: .fields(["success": .bool(true)]))
    }
}

extension Backend {
    /// Returns era A's answer to a login. Times are Unix seconds (Twake TW-67).
    fileprivate func proxyToken(for user: EntityID, at call: RESTCall) -> JSONValue {
        let token = tokens.issue(for: user, at: call.moment, lifetime: tokenLifetime).reveal()
        let expiration = call.now / 1_000 + tokenLifetime.components.seconds
        let (refresh, end) = refreshToken(for: user, at: call)
        return .fields([
            "token": .string(token), "expiration": .integer(expiration), "refresh_token": .string(refresh),
            "refresh_expiration": .integer(end),
        ])
    }

    /// Returns a refresh token that is valid for a month, and its expiry in Unix seconds. It is an ordinary token, as
    /// on the real server.
    func refreshToken(for user: EntityID, at call: RESTCall) -> (token: String, end: Int64) {
        let life = Duration.seconds(2_592_000)
        let token = tokens.issue(for: user, at: call.moment, lifetime: life)
        return (token.reveal(), call.now / 1_000 + life.components.seconds)
    }
}

extension EraA {
    static let channelRoutes: [Route] = [
        Route("GET", "channels", listChannels),
        Route("POST", "channels", createChannel),
        Route("PUT", "channels", changeChannel),
        Route("DELETE", "channels", deleteChannel),
        Route("POST", "channels/read", markRead),
        Route("GET", "channels/members", listMembers),
        Route("POST", "channels/members", addMembers),
        Route("DELETE", "channels/members", removeMembers),
        Route("GET", "direct", listDirects),
        Route("POST", "direct", openDirect),
    ]

    /// Lists the caller's channels of a workspace by name. With `all`, the list includes channels that the caller could
    /// join.
    private static func listChannels(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let workspace = try workspace(call, backend.world)
        let me = try call.user()
        let all = call.isOn("all")
        let found = backend.world.channels.filter { channel in
            channel.workspace == workspace.id
                && (channel.membership(of: me.id) != nil || (all && channel.visibility == .public))
        }
        let values = found.sorted { ($0.name, $0.createdAt) < ($1.name, $1.createdAt) }
        return RESTAnswer(value: .array(values.map { backend.world.proxyChannel($0, for: me) }))
    }

    /// Lists the caller's direct channels, most recently active first.
    private static func listDirects(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        try checkCompany(call, backend.world)
        let me = try call.user()
        let found = backend.world.channels(of: me.id).filter(\.isDirect).enumerated()
            .sorted { ($0.element.lastActivity, $1.offset) > ($1.element.lastActivity, $0.offset) }
        return RESTAnswer(value: .array(found.map { backend.world.proxyChannel($0.element, for: me) }))
    }

    private static func openDirect(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        try checkCompany(call, backend.world)
        let member = try call.idField("member")
        return try changed(try backend.perform(.openDirect(with: [member]), for: call), call, backend.world)
    }

    private static func createChannel(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        var new = NewChannel(workspace: try workspace(call, backend.world).id, name: try call.requiredField("name"))
        new.icon = call.field("icon") ?? ""
        new.description = call.field("description") ?? ""
        new.isPrivate = call.field("visibility") == "private"
        new.isDefault = call.body["is_default"]?.boolValue ?? false
        new.members = users(call)
        return try changed(try backend.perform(.createChannel(new), for: call), call, backend.world)
    }

    /// Changes a channel. The answer has the core's form, as with the real proxy.
    private static func changeChannel(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let channel = try channel("id", call, backend.world)
        let action = UserAction<EntityID>.changeChannel(
            channel.id, name: call.field("name"), icon: call.field("icon"), description: call.field("description"))
        _ = try backend.perform(action, for: call)
        guard let channel = backend.world.channel(channel.id) else { throw .notFound("Channel not found") }
        return RESTAnswer(value: backend.world.filtered(channel, for: try call.user().id))
    }

    private static func deleteChannel(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        _ = try backend.perform(.deleteChannel(try channel("id", call, backend.world).id), for: call)
        return RESTAnswer(value: .fields(["success": .bool(true)]))
    }

    private static func markRead(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        _ = try backend.perform(.markRead(channel: try channel("id", call, backend.world).id), for: call)
        return RESTAnswer(value: .bool(true))
    }

    private static func changed(_ id: EntityID?, _ call: RESTCall, _ world: World) throws(RESTError) -> RESTAnswer {
        guard let channel = id.flatMap({ world.channel($0) }) else { throw .notFound("Channel not found") }
        return RESTAnswer(value: world.proxyChannel(channel, for: try call.user()))
    }

    // MARK: - Members

    private static func listMembers(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let channel = try channel("id", call, backend.world)
        return RESTAnswer(value: members(of: channel, backend.world))
    }

    private static func addMembers(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let channel = try channel("id", call, backend.world)
        for user in users(call) { _ = try backend.perform(.addMember(channel: channel.id, user: user), for: call) }
        return RESTAnswer(value: members(of: backend.world.channel(channel.id) ?? channel, backend.world))
    }

    private static func removeMembers(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let channel = try channel("id", call, backend.world)
        for user in users(call) { _ = try backend.perform(.removeMember(channel: channel.id, user: user), for: call) }
        return RESTAnswer(value: members(of: backend.world.channel(channel.id) ?? channel, backend.world))
    }

    private static func members(of channel: Channel, _ world: World) -> JSONValue {
        .array(
            channel.memberships.map { world.json($0, in: channel).adding(["email": .text(world.user($0.user)?.email)]) }
        )
    }

    private static func users(_ call: RESTCall) -> [EntityID] {
        (call.body["members"]?.arrayValue ?? []).prefix(1_000).compactMap { $0.stringValue.map { EntityID($0) } }
    }
}

extension EraA {
    static let messageRoutes: [Route] = [
        Route("GET", "messages", listMessages),
        Route("POST", "messages", post),
        Route("PUT", "messages", edit),
        Route("DELETE", "messages", delete),
        Route("POST", "reactions", react),
    ]

    /// Lists messages of a channel (heads mixed with their replies) or of a thread, oldest first. Deleted messages are
    /// left out.
    private static func listMessages(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let world = backend.world
        let channel = try channel("channel_id", call, world)
        if let id = call.field("message_id"), !id.isEmpty {
            let message = try message(EntityID(id), in: channel, world)
            return RESTAnswer(value: .array([world.proxyMessage(message)]))
        }
        var found = try messages(call, of: channel, world)
        // 0 means “not given” (Twake TW-77).
        if let after = call.field("after_date").flatMap({ Int64($0) }), after != 0 {
            found = found.filter { world.modificationDate($0) > after }
        }
        if let before = call.field("before_message_id"), !before.isEmpty { found = dropping(EntityID(before), found) }
        return RESTAnswer(value: .array(found.map { world.proxyMessage($0) }))
    }

    private static func messages(_ call: RESTCall, of channel: Channel, _ world: World) throws(RESTError) -> [Message] {
        let limit = call.limit(otherwise: 50)
        let before = call.field("before_message_id").map { EntityID($0) }
        if let id = call.field("thread_id"), !id.isEmpty {
            guard let thread = world.threads[EntityID(id)], thread.channel == channel.id else {
                throw .notFound("Thread not found")
            }
            return window(world.messages(ofThread: thread.id).filter { !$0.isDeleted }, to: before, limit, id: \.id)
        }
        let threads = window(world.feed(of: channel), to: before, limit, id: \.id)
        return threads.flatMap { world.messages(ofThread: $0.id) }.filter { !$0.isDeleted }.enumerated()
            .sorted { ($0.element.createdAt, $0.offset) < ($1.element.createdAt, $1.offset) }.map(\.element)
    }

    /// Returns the last `limit` items up to `before`, which is included (Twake TW-76).
    private static func window<Item>(
        _ items: [Item], to before: EntityID?, _ limit: Int, id: KeyPath<Item, EntityID>
    ) -> [Item] {
        guard let before, let index = items.firstIndex(where: { $0[keyPath: id] == before }) else {
            return items.suffix(limit)
        }
        return items[...index].suffix(limit)
    }

    /// Removes the boundary item again, as the proxy does; if it is missing, removes the last message instead
    /// (Twake TW-76).
    private static func dropping(_ id: EntityID, _ found: [Message]) -> [Message] {
        found.contains { $0.id == id } ? found.filter { $0.id != id } : found.dropLast()
    }

    // MARK: - Writing

    private static func post(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let channel = try channel("channel_id", call, backend.world)
        let (text, files) = try said(call)
        guard let thread = call.field("thread_id"), !thread.isEmpty else {
            return try changed(.post(channel: channel.id, text: text, files: files), call, &backend)
        }
        let head = try message(EntityID(thread), in: channel, backend.world)
        return try changed(.reply(message: head.id, text: text, files: files), call, &backend)
    }

    /// Returns the text and the files of a request. The text may be empty if there are files; a body without `prepared`
    /// has no files.
    private static func said(_ call: RESTCall) throws(RESTError) -> (text: String, files: [EntityID]) {
        let files = files(in: call.body["prepared"])
        return (files.isEmpty ? try call.requiredField("original_str") : call.field("original_str") ?? "", files)
    }

    private static func edit(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let message = try named(call, backend.world)
        let (text, files) = try said(call)
        return try changed(.edit(message: message.id, text: text, files: files), call, &backend)
    }

    private static func delete(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        _ = try backend.perform(.delete(message: try named(call, backend.world).id), for: call)
        return RESTAnswer(value: .fields(["success": .bool(true)]))
    }

    /// Sets the caller's reaction. An empty reaction removes it.
    private static func react(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let message = try named(call, backend.world)
        let reaction = call.field("reaction") ?? ""
        _ = try backend.perform(.react(message: message.id, names: reaction.isEmpty ? [] : [reaction]), for: call)
        let reactions = backend.world.messages[message.id]?.reactions ?? []
        return RESTAnswer(value: .fields(["id": .id(message.id), "reactions": backend.world.json(reactions)]))
    }

    private static func changed(
        _ action: UserAction<EntityID>, _ call: RESTCall, _ backend: inout Backend
    ) throws(RESTError) -> RESTAnswer {
        guard let id = try backend.perform(action, for: call), let message = backend.world.messages[id] else {
            throw .notFound("Message not found")
        }
        return RESTAnswer(value: backend.world.proxyMessage(message))
    }

    private static func named(_ call: RESTCall, _ world: World) throws(RESTError) -> Message {
        try message(try call.idField("message_id"), in: try channel("channel_id", call, world), world)
    }

    private static func message(_ id: EntityID, in channel: Channel, _ world: World) throws(RESTError) -> Message {
        guard let message = world.messages[id], message.channel == channel.id, !message.isDeleted else {
            throw .notFound("Message not found")
        }
        return message
    }
}
