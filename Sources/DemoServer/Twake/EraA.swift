import Events
import JSONText

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
