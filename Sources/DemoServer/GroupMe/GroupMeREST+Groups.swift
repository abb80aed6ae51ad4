import Events
import JSONText

extension GroupMeRoute {
    static let users: [GroupMeRoute] = [
        GroupMeRoute("GET", "users/me") { call, backend throws(GroupMeRESTError) in
            guard let user = backend.world.user(call.user) else { throw .unauthorized }
            return .ok(backend.world.answered(user))
        },
        GroupMeRoute("GET", "memberships/states") { call, backend throws(GroupMeRESTError) in
            func state(_ group: GroupMeWorld.Group) -> String? {
                if group.membership(of: call.user) != nil { return "active" }
                if group.former.contains(where: { $0.user == call.user }) { return "exited" }
                return group.removed.contains { $0.user == call.user } ? "removed" : nil
            }
            return .ok(
                .array(
                    backend.world.groups.compactMap { group in
                        state(group).map {
                            .fields(["group_id": .string(group.id.description), "state": .string($0)])
                        }
                    }))
        },
    ]

    static let groups: [GroupMeRoute] = [
        GroupMeRoute("GET", "groups") { call, backend throws(GroupMeRESTError) in
            let page = try call.number("page", 1...10_000, otherwise: 1)
            let size = try call.number("per_page", 1...500, otherwise: 10)
            let omits = call.queryValue("omit")?.contains("memberships") ?? false
            let groups = backend.world.groups(of: call.user).dropFirst((page - 1) * size).prefix(size)
            return .ok(.array(groups.map { backend.world.answered($0, withMembers: !omits) }))
        },
        GroupMeRoute("GET", "groups/former") { call, backend throws(GroupMeRESTError) in
            let groups = backend.world.groups.filter { $0.former.contains { $0.user == call.user } }
            return .ok(.array(groups.map { backend.world.answered($0) }))
        },
        GroupMeRoute("GET", "groups/*") { call, backend throws(GroupMeRESTError) in
            .ok(try backend.answered(call.group, for: call))
        },
        GroupMeRoute("POST", "groups") { call, backend throws(GroupMeRESTError) in
            let made = try backend.perform(
                .make(
                    name: call.body["name"]?.stringValue ?? "",
                    description: call.body["description"]?.stringValue ?? "",
                    imageURL: call.body["image_url"]?.stringValue, isShared: call.body["share"]?.boolValue ?? false),
                for: call)
            return .ok(try backend.answered(made.group ?? "", for: call), status: 201)
        },
        GroupMeRoute("POST", "groups/*/update") { call, backend throws(GroupMeRESTError) in
            _ = try backend.perform(
                .change(
                    call.group, name: call.body["name"]?.stringValue,
                    description: call.body["description"]?.stringValue,
                    imageURL: call.body["image_url"]?.stringValue, isShared: call.body["share"]?.boolValue), for: call)
            return .ok(try backend.answered(call.group, for: call))
        },
        GroupMeRoute("POST", "groups/*/destroy") { call, backend throws(GroupMeRESTError) in
            _ = try backend.perform(.destroy(call.group), for: call)
            return .nothing
        },
        GroupMeRoute("POST", "groups/join") { call, backend throws(GroupMeRESTError) in
            let group = GroupMe.GroupID(call.body["group_id"]?.stringValue ?? "")
            _ = try backend.perform(.rejoin(group), for: call)
            return .ok(.fields(["group": try backend.answered(group, for: call)]))
        },
    ]

    static let members: [GroupMeRoute] = [
        GroupMeRoute("POST", "groups/*/members/add") { call, backend throws(GroupMeRESTError) in
            try backend.add(for: call)
        },
        GroupMeRoute("GET", "groups/*/members/results/*") { call, backend throws(GroupMeRESTError) in
            try backend.results(for: call)
        },
        GroupMeRoute("POST", "groups/*/members/*/remove") { call, backend throws(GroupMeRESTError) in
            let members = backend.world.group(call.group)?.members ?? []
            guard let member = members.first(where: { $0.id.description == call.parameter(1) }) else {
                throw .notFound
            }
            _ = try backend.perform(.remove(call.group, member.user), for: call)
            return .nothing
        },
        GroupMeRoute("POST", "groups/*/memberships/update") { call, backend throws(GroupMeRESTError) in
            let nickname = call.body["membership"]?["nickname"]?.stringValue ?? ""
            _ = try backend.perform(.rename(call.group, nickname: nickname), for: call)
            guard let member = backend.world.group(call.group)?.membership(of: call.user) else { throw .notFound }
            return .ok(backend.world.answered(member))
        },
    ]
}

extension GroupMeBackend {
    /// Returns a group as JSON. Only its members may see it (GroupMe GM-32).
    func answered(_ group: GroupMe.GroupID, for call: GroupMeCall) throws(GroupMeRESTError) -> JSONValue {
        guard let group = world.group(group), group.membership(of: call.user) != nil else { throw .notFound }
        return world.answered(group)
    }

    /// Adds members at once. The caller must request the result separately.
    fileprivate mutating func add(for call: GroupMeCall) throws(GroupMeRESTError) -> GroupMeAnswer {
        var users: [GroupMe.UserID] = []
        var nicknames: [String] = []
        var guids: [GroupMe.UserID: String] = [:]
        for member in call.body["members"]?.arrayValue ?? [] {
            let name = member["user_id"]?.stringValue ?? member["user_id"]?.integerValue.map { String($0) }
            let user = GroupMe.UserID(name ?? "")
            users.append(user)
            nicknames.append(member["nickname"]?.stringValue ?? "")
            guids[user] = member["guid"]?.stringValue ?? ""
        }
        _ = try perform(.add(call.group, users, nicknames: nicknames), for: call)
        let id = remember(Addition(group: call.group, waits: 1, guids: guids, at: call.now))
        return .ok(.fields(["results_id": .string(id)]), status: 202)
    }

    /// Answers a request for the result of an addition: 503 until it is done, 404 after an hour (GroupMe GM-42).
    fileprivate mutating func results(for call: GroupMeCall) throws(GroupMeRESTError) -> GroupMeAnswer {
        let id = call.parameter(1)
        guard let addition = additions[id], addition.group == call.group, call.now - addition.at < 3_600_000,
            let group = world.group(call.group), group.membership(of: call.user) != nil
        else { throw .notFound }
        if addition.waits > 0 {
            additions[id]?.waits -= 1
            throw GroupMeRESTError(503, "not ready")
        }
        let members = group.members.filter { addition.guids[$0.user] != nil }
        return .ok(
            .fields([
                "members": .array(
                    members.map { member in
                        world.answered(member).adding(["guid": .string(addition.guids[member.user] ?? "")])
                    })
            ]))
    }
}
