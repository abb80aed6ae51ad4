import Events
import JSONText
import Wire

/// The core's REST services under `/internal/services` (Twake TW-79).
enum EraB {
    static let routes: [Route] =
        [
            Route("GET", "general/v1/server", isPublic: true, server),
            Route("POST", "console/v1/login", isPublic: true, login),
            Route("POST", "console/v1/token", renew),
            Route("GET", "users/v1/users", users),
            Route("POST", "users/v1/users/me", setStatus),
            Route("POST", "users/v1/users/me/preferences", setPreferences),
            Route("GET", "users/v1/users/*", user),
            Route("GET", "users/v1/users/*/companies", companies),
            Route("GET", "users/v1/companies/*", isPublic: true, company),
            Route("GET", "workspaces/v1/companies/*/workspaces", workspaces),
            Route("POST", "workspaces/v1/companies/*/workspaces", createWorkspace),
            Route("GET", "workspaces/v1/companies/*/workspaces/*", workspace),
            Route("POST", "workspaces/v1/companies/*/workspaces/*", changeWorkspace),
            Route("DELETE", "workspaces/v1/companies/*/workspaces/*", deleteWorkspace),
            Route("GET", "workspaces/v1/companies/*/workspaces/*/users", workspaceUsers),
            Route("POST", "workspaces/v1/companies/*/workspaces/*/users", addWorkspaceUser),
            Route("POST", "workspaces/v1/companies/*/workspaces/*/users/invite", inviteUsers),
            Route("DELETE", "workspaces/v1/companies/*/workspaces/*/users/*", removeWorkspaceUser),
            Route("GET", "notifications/v1/badges", badges),
        ] + channelRoutes + messageRoutes + fileRoutes

    // MARK: - People and places

    private static func server(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let version = JSONValue.string(backend.world.edition == .last ? "2023.Q1.1223" : "2021.Q3.735")
        let accounts = JSONValue.fields([
            "type": .string("internal"),
            "internal": .fields(["disable_account_creation": .bool(true), "disable_email_verification": .bool(true)]),
        ])
        return RESTAnswer(
            value: .fields([
                "status": .string("ready"),
                "version": .fields(["current": version, "minimal": .fields(["web": version, "mobile": version])]),
                "configuration": .fields(["help_url": .null, "pricing_plan_url": .string(""), "accounts": accounts]),
            ]))
    }

    private static func users(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let ids = call.queryValue("user_ids").map { $0.split(separator: ",").map { EntityID(String($0)) } }
        let search = call.queryValue("search") ?? ""
        let found =
            ids.map { ids in backend.world.users.filter { ids.contains($0.id) } }
            ?? backend.world.users(called: search)
        return list(found.map { backend.world.account($0) }, call, websockets: [])
    }

    private static func user(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let me = try call.user()
        let id = call.parameter(0) == "me" ? me.id : call.id(0)
        guard let user = backend.world.user(id) else { throw .notFound("User \(call.parameter(0)) not found") }
        return resource(user.id == me.id ? backend.world.ownAccount(user) : backend.world.account(user))
    }

    private static func companies(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let me = try call.user()
        let id = call.parameter(0) == "me" ? me.id : call.id(0)
        guard backend.world.user(id) != nil else { throw .notFound("User \(call.parameter(0)) not found") }
        return list([backend.world.companyJSON], call)
    }

    private static func company(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        try checkCompany(call, backend.world)
        return resource(backend.world.companyJSON)
    }

    private static func workspaces(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        try checkCompany(call, backend.world)
        return list(backend.world.workspaces(of: try call.user().id).map { backend.world.json($0) }, call)
    }

    private static func workspace(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        try checkCompany(call, backend.world)
        guard let workspace = backend.world.workspace(call.id(1)) else { throw .notFound("Workspace not found") }
        return resource(backend.world.json(workspace))
    }

    private static func createWorkspace(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        try checkCompany(call, backend.world)
        let name = call.body["resource"]?["name"]?.stringValue ?? ""
        let id = try backend.perform(.createWorkspace(name: name), for: call)
        guard let workspace = id.flatMap({ backend.world.workspace($0) }) else {
            throw .notFound("Workspace not found")
        }
        return resource(backend.world.json(workspace), status: 201)
    }

    private static func changeWorkspace(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        try checkCompany(call, backend.world)
        let name = call.body["resource"]?["name"]?.stringValue ?? ""
        _ = try backend.perform(.renameWorkspace(call.id(1), name: name), for: call)
        return RESTAnswer(status: 201, value: try workspace(call, &backend).value)
    }

    private static func deleteWorkspace(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        try checkCompany(call, backend.world)
        _ = try backend.perform(.deleteWorkspace(call.id(1)), for: call)
        return RESTAnswer(status: 204)
    }

    /// Sets the caller's status. The body's `resource` is the status itself.
    private static func setStatus(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let me = try call.user()
        _ = try backend.perform(.changeAccount(language: nil, status: call.body["resource"]?.stringValue), for: call)
        return resource(backend.world.account(backend.world.user(me.id) ?? me))
    }

    /// Sets the caller's preferences. The body and the answer have no envelope.
    private static func setPreferences(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let locale = call.body["locale"]?.stringValue
        _ = try backend.perform(.changeAccount(language: locale, status: nil), for: call)
        return RESTAnswer(value: .fields(["locale": .text(locale)]))
    }

    private static func workspaceUsers(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        try checkCompany(call, backend.world)
        guard let workspace = backend.world.workspace(call.id(1)) else { throw .notFound("Workspace not found") }
        return page(backend.world.members(of: workspace).map { workspaceUser($0, workspace, backend.world) }, call)
    }

    private static func workspaceUser(_ user: User, _ workspace: Workspace, _ world: World) -> JSONValue {
        .fields([
            "id": .id(user.id), "company_id": .id(world.company.id), "workspace_id": .id(workspace.id),
            "user_id": .id(user.id), "created_at": .integer(user.createdAt),
            "role": .string(user.id == workspace.owner ? "moderator" : "member"), "user": world.account(user),
        ])
    }

    private static func addWorkspaceUser(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        try checkCompany(call, backend.world)
        let id = EntityID(call.body["resource"]?["user_id"]?.stringValue ?? "")
        _ = try backend.perform(.changeWorkspaceMember(call.id(1), user: id, isMember: true), for: call)
        guard let user = backend.world.user(id), let workspace = backend.world.workspace(call.id(1)) else {
            throw .notFound("Workspace not found")
        }
        return resource(workspaceUser(user, workspace, backend.world), status: 201)
    }

    /// Invites users by email, with one result per invitation. The real server stores invitations of unknown addresses
    /// and sends mail; this one does not.
    private static func inviteUsers(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        try checkCompany(call, backend.world)
        var results: [JSONValue] = []
        for invitation in (call.body["invitations"]?.arrayValue ?? []).prefix(1_000) {
            let address = invitation["email"]?.stringValue ?? ""
            let user = backend.world.user(login: address)?.id
            if let user {
                _ = try backend.perform(.changeWorkspaceMember(call.id(1), user: user, isMember: true), for: call)
            }
            results.append(
                .fields([
                    "email": .string(address), "status": .string(user == nil ? "error" : "ok"),
                    "message": user == nil ? .string("There is no user \(address)") : .null,
                ]))
        }
        return list(results, call)
    }

    private static func removeWorkspaceUser(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer
    {
        try checkCompany(call, backend.world)
        _ = try backend.perform(.changeWorkspaceMember(call.id(1), user: call.id(2), isMember: false), for: call)
        return RESTAnswer(status: 204)
    }

    private static func badges(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let me = try call.user()
        let world = backend.world
        if let company = call.queryValue("company_id"), EntityID(company) != world.company.id { return list([], call) }
        var badges = world.badges(of: me.id).prefix(call.limit(otherwise: 1_000)).map { world.json($0) }
        // A defect of the real server: the first badge of the current company is repeated (Twake-Mobile#651).
        if call.isOn("all_companies"), call.queryValue("company_id") != nil, let first = badges.first {
            badges.insert(first, at: 0)
        }
        return list(badges, call, websockets: [world.rooms.notifications(user: me.id)])
    }

    // MARK: - Tokens

    /// The password of every user.
    static let password = "weir"

    private static func login(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        guard let email = call.body["email"]?.stringValue, let password = call.body["password"]?.stringValue else {
            throw .badRequest("remote_access_token or email+password are required")
        }
        guard let user = backend.world.user(login: email) else {
            throw RESTError(status: 403, message: "User doesn't exists")
        }
        guard password == Self.password else { throw RESTError(status: 403, message: "Password doesn't match") }
        return RESTAnswer(value: backend.accessToken(for: user.id, at: call))
    }

    private static func renew(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        RESTAnswer(value: backend.accessToken(for: try call.user().id, at: call))
    }

    // MARK: - Envelopes

    static func resource(_ value: JSONValue, status: Int = 200) -> RESTAnswer {
        RESTAnswer(status: status, value: .fields(["resource": value]))
    }

    /// Returns a whole list. The rooms are included on request, or if the list is empty.
    static func list(
        _ values: [JSONValue], _ call: RESTCall, websockets: [String]? = nil, next: String? = nil
    ) -> RESTAnswer {
        var value = JSONValue.fields(["resources": .array(values)])
        if let websockets, call.isOn("websockets") || websockets.isEmpty {
            value = value.adding(["websockets": .array(websockets.map { .fields(["room": .string($0)]) })])
        }
        if let next { value = value.adding(["next_page_token": .string(next)]) }
        return RESTAnswer(value: value)
    }

    /// Returns one page of a list. The page token is an offset, which is opaque to clients.
    static func page(_ values: [JSONValue], _ call: RESTCall, websockets: [String]? = nil) -> RESTAnswer {
        let start = min(max(call.queryValue("page_token").flatMap { Int($0) } ?? 0, 0), values.count)
        let end = min(start + min(call.limit(), call.mostRows), values.count)
        return list(
            Array(values[start..<end]), call, websockets: websockets, next: end < values.count ? String(end) : nil)
    }

    static func checkCompany(_ call: RESTCall, _ world: World) throws(RESTError) {
        guard call.id(0) == world.company.id else { throw .notFound("Company \(call.parameter(0)) not found") }
    }
}

extension Backend {
    /// Returns the answer to a login. Times are Unix seconds (Twake TW-67).
    fileprivate func accessToken(for user: EntityID, at call: RESTCall) -> JSONValue {
        let time = call.now / 1_000
        let token = tokens.issue(for: user, at: call.moment, lifetime: tokenLifetime).reveal()
        let expiration = time + tokenLifetime.components.seconds
        let (refresh, end) = refreshToken(for: user, at: call)
        return .fields([
            "access_token": .fields([
                "time": .integer(time), "expiration": .integer(expiration), "refresh_expiration": .integer(end),
                "value": .string(token), "refresh": .string(refresh), "type": .string("Bearer"),
            ])
        ])
    }
}
