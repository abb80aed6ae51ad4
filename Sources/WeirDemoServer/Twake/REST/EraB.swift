import WeirEvents
import WeirJSON
import WeirWire

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

extension EraB {
    /// The path of the channels in a workspace, or in `direct`.
    private static let channels = "channels/v1/companies/*/workspaces/*/channels"

    static let channelRoutes: [Route] = [
        Route("GET", channels, listChannels),
        Route("POST", channels, createChannel),
        Route("GET", "\(channels)/*", getChannel),
        Route("POST", "\(channels)/*", changeChannel),
        Route("DELETE", "\(channels)/*", deleteChannel),
        Route("POST", "\(channels)/*/read", markRead),
        Route("GET", "\(channels)/*/members", listMembers),
        Route("POST", "\(channels)/*/members", addMember),
        Route("GET", "\(channels)/*/members/*", getMember),
        Route("POST", "\(channels)/*/members/*", changeMember),
        Route("DELETE", "\(channels)/*/members/*", removeMember),
    ]

    private static func listChannels(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        try checkCompany(call, backend.world)
        let me = try call.user()
        let world = backend.world
        let workspace = call.id(1)
        let isDirect = workspace == World.directWorkspace
        guard isDirect || world.workspace(workspace) != nil else { throw .notFound("Workspace not found") }
        let mine = isDirect || call.isOn("mine")
        let found = world.channels.filter { channel in
            channel.workspace == workspace
                && (channel.membership(of: me.id) != nil || (!mine && channel.visibility == .public))
        }
        let rooms =
            isDirect
            ? [world.rooms.directList(user: me.id)]
            : [world.rooms.publicList(workspace), world.rooms.privateList(workspace, user: me.id)]
        let withUsers = call.isOn("include_users")
        return page(found.map { world.listed($0, for: me.id, withUsers: withUsers) }, call, websockets: rooms)
    }

    private static func getChannel(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let channel = try channel(call, backend.world)
        return resource(backend.world.filtered(channel, for: try call.user().id))
    }

    private static func createChannel(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        try checkCompany(call, backend.world)
        let fields = call.body["resource"] ?? .null
        let members = (call.body["options"]?["members"]?.arrayValue ?? fields["members"]?.arrayValue ?? [])
            .prefix(1_000).compactMap { $0.stringValue.map { EntityID($0) } }
        let action: UserAction<EntityID>
        if call.id(1) == World.directWorkspace {
            action = .openDirect(with: members)
        } else {
            var new = NewChannel(workspace: call.id(1), name: fields["name"]?.stringValue ?? "")
            new.icon = fields["icon"]?.stringValue ?? ""
            new.description = fields["description"]?.stringValue ?? ""
            new.isPrivate = fields["visibility"]?.stringValue == "private"
            new.isDefault = fields["is_default"]?.boolValue ?? false
            new.members = members
            action = .createChannel(new)
        }
        return try changedChannel(try backend.perform(action, for: call), call, backend.world)
    }

    private static func changeChannel(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let channel = try channel(call, backend.world)
        let fields = call.body["resource"] ?? .null
        let action = UserAction<EntityID>.changeChannel(
            channel.id, name: fields["name"]?.stringValue, icon: fields["icon"]?.stringValue,
            description: fields["description"]?.stringValue,
            isPrivate: fields["visibility"]?.stringValue.map { $0 == "private" })
        return try changedChannel(try backend.perform(action, for: call), call, backend.world)
    }

    private static func changedChannel(_ id: EntityID?, _ call: RESTCall, _ world: World) throws(RESTError)
        -> RESTAnswer
    {
        guard let channel = id.flatMap({ world.channel($0) }) else { throw .notFound("Channel not found") }
        return resource(world.filtered(channel, for: try call.user().id), status: 201)
    }

    private static func deleteChannel(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        _ = try backend.perform(.deleteChannel(try channel(call, backend.world).id), for: call)
        return RESTAnswer(status: 204)
    }

    private static func markRead(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let channel = try channel(call, backend.world)
        let isRead = call.body["value"]?.boolValue ?? true
        _ = try backend.perform(isRead ? .markRead(channel: channel.id) : .markUnread(channel: channel.id), for: call)
        return RESTAnswer(value: .bool(true))
    }

    // MARK: - Members

    private static func listMembers(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let channel = try channel(call, backend.world)
        return page(
            channel.memberships.map { backend.world.json($0, in: channel) }, call,
            websockets: [backend.world.rooms.members(channel)])
    }

    private static func getMember(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let channel = try channel(call, backend.world)
        guard let member = channel.membership(of: call.id(3)) else { throw .notFound("Channel member not found") }
        return resource(backend.world.json(member, in: channel))
    }

    private static func addMember(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let channel = try channel(call, backend.world)
        guard let user = call.body["resource"]?["user_id"]?.stringValue else {
            throw .badRequest("user_id is required")
        }
        _ = try backend.perform(.addMember(channel: channel.id, user: EntityID(user)), for: call)
        return try member(EntityID(user), of: channel.id, backend.world, status: 201)
    }

    private static func changeMember(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let channel = try channel(call, backend.world)
        guard call.id(3) == (try call.user().id) else {
            throw RESTError(status: 403, message: "User does not have the permissions")
        }
        let fields = call.body["resource"] ?? .null
        let level = fields["notification_level"]?.stringValue.flatMap { NotificationLevel(rawValue: $0) }
        _ = try backend.perform(
            .changeMembership(channel: channel.id, isFavorite: fields["favorite"]?.boolValue, level: level), for: call)
        return try member(call.id(3), of: channel.id, backend.world, status: 200)
    }

    private static func removeMember(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        _ = try backend.perform(
            .removeMember(channel: try channel(call, backend.world).id, user: call.id(3)), for: call)
        return RESTAnswer(status: 204)
    }

    private static func member(
        _ user: EntityID, of id: EntityID, _ world: World, status: Int
    ) throws(RESTError) -> RESTAnswer {
        guard let channel = world.channel(id), let member = channel.membership(of: user) else {
            throw .notFound("Channel member not found")
        }
        return resource(world.json(member, in: channel), status: status)
    }

    /// Returns the channel in the path (company, workspace, channel), if the caller may see it.
    static func channel(_ call: RESTCall, _ world: World) throws(RESTError) -> Channel {
        try checkCompany(call, world)
        let me = try call.user()
        do throws(WorldError) {
            let channel = try world.visibleChannel(call.id(2), to: me)
            guard channel.workspace == call.id(1) else { throw WorldError.notFound("Channel not found") }
            return channel
        } catch {
            throw RESTError(error)
        }
    }
}

extension EraB {
    private static let threads = "messages/v1/companies/*/threads"

    static let messageRoutes: [Route] = [
        Route("GET", "messages/v1/companies/*/workspaces/*/channels/*/feed", feed),
        Route("POST", threads, newThread),
        Route("GET", "\(threads)/*/messages", threadMessages),
        Route("POST", "\(threads)/*/messages", reply),
        Route("GET", "\(threads)/*/messages/*", getMessage),
        Route("POST", "\(threads)/*/messages/*", changeMessage),
        Route("POST", "\(threads)/*/messages/*/delete", deleteMessage),
        Route("POST", "\(threads)/*/messages/*/reaction", react),
        Route("POST", "\(threads)/*/messages/*/pin", pin),
    ]

    // MARK: - Reading

    /// Lists the threads of a channel by their last activity. The page token is a message id, and its message is
    /// repeated on the next page.
    private static func feed(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let channel = try channel(call, backend.world)
        let world = backend.world
        let (threads, next) = try slice(world.feed(of: channel), call) { $0.id }
        let replies = call.limit("replies_per_thread", 0...100, otherwise: 3)
        let withUsers = call.isOn("include_users")
        let heads = threads.compactMap { thread in
            world.messages[thread.id].map { world.enriched($0, lastReplies: replies, withUsers: withUsers) }
        }
        return list(heads, call, websockets: [world.rooms.feed(channel)], next: next)
    }

    private static func threadMessages(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let thread = try thread(call, backend.world)
        let world = backend.world
        let (messages, next) = try slice(world.messages(ofThread: thread.id), call) { $0.id }
        let withUsers = call.isOn("include_users")
        let values = messages.map { world.enriched($0, lastReplies: $0.isHead ? 3 : nil, withUsers: withUsers) }
        return list(values, call, websockets: [world.rooms.thread(thread.id)], next: next)
    }

    private static func getMessage(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let message = try message(call, backend.world)
        let withUsers = call.isOn("include_users")
        return resource(backend.world.enriched(message, lastReplies: message.isHead ? 3 : nil, withUsers: withUsers))
    }

    /// Returns a page of `items`, oldest first: the newest ones up to the token (`history`), or those from the token on
    /// (`future`).
    private static func slice<Item>(
        _ items: [Item], _ call: RESTCall, id: (Item) -> EntityID
    ) throws(RESTError) -> (items: [Item], next: String?) {
        var bound: Int?
        if let token = call.queryValue("page_token"), !token.isEmpty {
            bound = items.firstIndex { id($0) == EntityID(token) }
            if bound == nil { throw .badRequest("page_token is not a message of this list") }
        }
        if call.queryValue("direction") == "future" {
            let start = bound ?? 0
            let end = min(start + call.limit(), items.count)
            return (
                Array(items[start..<end]), end < items.count ? items[start..<end].last.map { id($0).description } : nil
            )
        }
        let end = bound.map { $0 + 1 } ?? items.count
        let start = max(0, end - call.limit())
        return (Array(items[start..<end]), start > 0 ? items[start..<end].first.map { id($0).description } : nil)
    }

    // MARK: - Writing

    private static func newThread(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        try checkCompany(call, backend.world)
        let participants = call.body["resource"]?["participants"]?.arrayValue ?? []
        guard let channel = participants.first(where: { $0["type"]?.stringValue == "channel" })?["id"]?.stringValue
        else {
            throw .badRequest("participants has no channel")
        }
        let message = call.body["options"]?["message"] ?? .null
        let text = message["text"]?.stringValue ?? ""
        let id = try backend.perform(
            .post(
                channel: EntityID(channel), text: text, context: context(of: message), files: files(of: message) ?? []),
            for: call)
        guard let id, let thread = backend.world.threads[id] else { throw .notFound("Thread not found") }
        return resource(backend.world.json(thread))
    }

    private static func reply(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let thread = try thread(call, backend.world)
        let fields = call.body["resource"] ?? .null
        if let moved = fields["id"]?.stringValue, call.body["options"]?["previous_thread"]?.stringValue != nil {
            return try changed(.move(message: EntityID(moved), target: thread.id), call, &backend)
        }
        let text = fields["text"]?.stringValue ?? ""
        return try changed(
            .reply(
                message: thread.id, text: text, context: context(of: fields), files: files(of: fields) ?? []), call,
            &backend)
    }

    /// Returns the client's own object in a message; `nil` above 1000 bytes, which the server does not store.
    private static func context(of message: JSONValue) -> JSONValue? {
        guard let context = message["context"], case .object = context, context.raw.bytes.count <= 1_000 else {
            return nil
        }
        return context
    }

    private static func changeMessage(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        if let previous = call.body["options"]?["previous_thread"]?.stringValue, EntityID(previous) != call.id(1) {
            let thread = try thread(call, backend.world)
            return try changed(.move(message: call.id(2), target: thread.id), call, &backend)
        }
        let message = try message(call, backend.world)
        let fields = call.body["resource"] ?? .null
        // The first servers remove files that the request omits; the last ones keep them.
        let files = files(of: fields) ?? (backend.world.edition == .last ? nil : [])
        return try changed(
            .edit(message: message.id, text: fields["text"]?.stringValue ?? "", files: files), call, &backend)
    }

    private static func deleteMessage(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        _ = try backend.perform(.delete(message: try message(call, backend.world).id), for: call)
        return RESTAnswer(value: .fields(["status": .string("success")]))
    }

    private static func react(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let message = try message(call, backend.world)
        let names = (call.body["reactions"]?.arrayValue ?? []).compactMap(\.stringValue)
        return try changed(.react(message: message.id, names: names), call, &backend)
    }

    private static func pin(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let message = try message(call, backend.world)
        return try changed(.pin(message: message.id, isPinned: call.body["pin"]?.boolValue ?? true), call, &backend)
    }

    private static func changed(
        _ action: UserAction<EntityID>, _ call: RESTCall, _ backend: inout Backend
    ) throws(RESTError) -> RESTAnswer {
        guard let id = try backend.perform(action, for: call), let message = backend.world.messages[id] else {
            throw .notFound("Message not found")
        }
        return resource(backend.world.json(message))
    }

    /// Returns the thread in the path, if the caller may see its channel.
    private static func thread(_ call: RESTCall, _ world: World) throws(RESTError) -> Thread {
        try checkCompany(call, world)
        let me = try call.user()
        guard let thread = world.threads[call.id(1)], let channel = world.channel(thread.channel),
            world.isVisible(channel, to: me.id)
        else { throw .notFound("Thread not found") }
        return thread
    }

    private static func message(_ call: RESTCall, _ world: World) throws(RESTError) -> Message {
        let thread = try thread(call, world)
        guard let message = world.messages[call.id(2)], message.thread == thread.id else {
            throw .notFound("Message not found")
        }
        return message
    }
}
