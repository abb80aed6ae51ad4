import Events
import JSONText

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
