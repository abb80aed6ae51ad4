import Events
import JSONText

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
