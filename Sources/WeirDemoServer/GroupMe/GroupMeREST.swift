import WeirEvents
import WeirJSON

/// A request to version 3 of the REST service, routed and authenticated.
struct GroupMeCall: Sendable {
    let user: GroupMe.UserID
    /// The components of the path after `v3`.
    let path: [String]
    let query: [(name: String, value: String)]
    /// The path components that match the route's wildcards.
    var parameters: [String] = []
    /// The parsed body; null when the request has none.
    var body: JSONValue
    /// The server's time, in milliseconds since 1970.
    let now: Int64

    func parameter(_ index: Int) -> String { parameters.indices.contains(index) ? parameters[index] : "" }

    var group: GroupMe.GroupID { GroupMe.GroupID(parameter(0)) }

    func queryValue(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// Returns a number from the query, or `otherwise` when it is missing. Throws when it is out of bounds.
    func number(_ name: String, _ bounds: ClosedRange<Int>, otherwise: Int) throws(GroupMeRESTError) -> Int {
        guard let text = queryValue(name) else { return otherwise }
        guard let number = Int(text), bounds.contains(number) else {
            throw GroupMeRESTError(400, "\(name) must be between \(bounds.lowerBound) and \(bounds.upperBound)")
        }
        return number
    }
}

/// The result of a route's handler.
struct GroupMeAnswer: Sendable {
    var status = 200
    /// The response in the envelope; `nil` for an answer without a body.
    var value: JSONValue?
    /// The code in the envelope; `nil` when it equals the status.
    var code: Int64?

    static let nothing = GroupMeAnswer()

    static func ok(_ value: JSONValue, status: Int = 200) -> Self { Self(status: status, value: value) }

    var response: RESTResponse {
        guard let value else { return RESTResponse(status: status, body: []) }
        let meta = JSONValue.fields(["code": .integer(code ?? Int64(status))])
        // An answer with only a code has no `response` member.
        let envelope =
            code == nil ? JSONValue.fields(["response": value, "meta": meta]) : JSONValue.fields(["meta": meta])
        return RESTResponse(status: status, body: Array(envelope.raw.bytes))
    }
}

/// A refused request. It is answered with an envelope without a response, or with an empty body for 404
/// (GroupMe GM-27).
struct GroupMeRESTError: Error, Hashable, Sendable {
    var status: Int
    var message: String

    static let notFound = GroupMeRESTError(404, "")
    static let unauthorized = GroupMeRESTError(401, "unauthorized")

    init(_ status: Int, _ message: String) {
        self.status = status
        self.message = message
    }

    init(_ refusal: GroupMeRefusal) {
        switch refusal {
        case .notFound: self = .notFound
        case .bad(let message): self.init(400, message)
        case .forbidden: self.init(403, "forbidden")
        case .repeated: self.init(409, "Duplicate source_guid")
        }
    }

    var response: RESTResponse {
        if status == 404 { return RESTResponse(status: status, body: []) }
        let meta = JSONValue.fields(["code": .integer(Int64(status)), "errors": .array([.string(message)])])
        return RESTResponse(status: status, body: Array(JSONValue.fields(["meta": meta]).raw.bytes))
    }
}

/// A route: method, path and handler.
struct GroupMeRoute: Sendable {
    typealias Handler = @Sendable (GroupMeCall, inout GroupMeBackend) throws(GroupMeRESTError) -> GroupMeAnswer

    let method: String
    /// The pattern of the path after `v3`.
    let pattern: RoutePattern
    let handler: Handler

    init(_ method: String, _ path: String, _ handler: @escaping Handler) {
        self.method = method
        pattern = RoutePattern(path)
        self.handler = handler
    }

    static let all: [GroupMeRoute] = users + groups + members + messages
}

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

extension GroupMeRoute {
    static let messages: [GroupMeRoute] = [
        GroupMeRoute("GET", "groups/*/messages") { call, backend throws(GroupMeRESTError) in
            try backend.page(of: .group(call.group), named: "messages", for: call)
        },
        GroupMeRoute("POST", "groups/*/messages") { call, backend throws(GroupMeRESTError) in
            try backend.say(in: .group(call.group), named: "message", for: call)
        },
        GroupMeRoute("GET", "direct_messages") { call, backend throws(GroupMeRESTError) in
            let other = GroupMe.UserID(call.queryValue("other_user_id") ?? "")
            return try backend.page(
                of: .direct(between: call.user, and: other), named: "direct_messages", for: call)
        },
        GroupMeRoute("POST", "direct_messages") { call, backend throws(GroupMeRESTError) in
            let recipient = call.body["direct_message"]?["recipient_id"]
            let other = GroupMe.UserID(
                recipient?.stringValue ?? recipient?.integerValue.map { String($0) } ?? "")
            return try backend.say(
                in: .direct(between: call.user, and: other), named: "direct_message", for: call)
        },
        GroupMeRoute("GET", "chats") { call, backend throws(GroupMeRESTError) in
            let page = try call.number("page", 1...10_000, otherwise: 1)
            let size = try call.number("per_page", 1...100, otherwise: 20)
            let directs = backend.world.directs(of: call.user).dropFirst((page - 1) * size).prefix(size)
            return .ok(.array(directs.map { backend.world.answered($0, for: call.user) }))
        },
        GroupMeRoute("POST", "messages/*/*/like") { call, backend throws(GroupMeRESTError) in
            try backend.react(for: call, isLike: true)
        },
        GroupMeRoute("POST", "messages/*/*/unlike") { call, backend throws(GroupMeRESTError) in
            try backend.react(for: call, isLike: false)
        },
        GroupMeRoute("GET", "groups/*/likes") { call, backend throws(GroupMeRESTError) in
            try backend.liked(for: call) { _ in true }
        },
        GroupMeRoute("GET", "groups/*/likes/mine") { call, backend throws(GroupMeRESTError) in
            try backend.liked(for: call) { $0.reactions.contains { $0.users.contains(call.user) } }
        },
        GroupMeRoute("GET", "groups/*/likes/for_me") { call, backend throws(GroupMeRESTError) in
            try backend.liked(for: call) { $0.sender == call.user }
        },
    ]
}

extension GroupMeBackend {
    fileprivate typealias Message = GroupMeWorld.Message

    /// Answers with a page of messages selected by one of three cursors (GroupMe GM-33). `after_id` starts right after
    /// its message, oldest first; `since_id` and `before_id` return the newest matches, newest first.
    fileprivate mutating func page(
        of conversation: GroupMe.ConversationID, named name: String, for call: GroupMeCall
    ) throws(GroupMeRESTError) -> GroupMeAnswer {
        guard world.isVisible(conversation, to: call.user) else { throw .notFound }
        let limit = try call.number("limit", 1...200, otherwise: 20)
        let thread = world.threads[conversation] ?? GroupMeWorld.Thread()
        let page: [Message]
        if let cursor = call.queryValue("after_id") {
            page = Array(thread.messages.drop { $0.id <= GroupMe.MessageID(cursor) }.prefix(limit))
        } else if let cursor = call.queryValue("since_id") {
            page = thread.messages.drop { $0.id <= GroupMe.MessageID(cursor) }.suffix(limit).reversed()
        } else if let cursor = call.queryValue("before_id") {
            page = thread.messages.prefix { $0.id < GroupMe.MessageID(cursor) }.suffix(limit).reversed()
        } else {
            page = thread.messages.suffix(limit).reversed()
        }
        if page.isEmpty { return noMore(named: name, count: thread.count) }
        let messages = JSONValue.array(page.map { world.answered($0, in: conversation) })
        var answer = JSONValue.fields(["count": .integer(Int64(thread.count)), name: messages])
        if let partner = conversation.partner(of: call.user),
            let receipt = world.receipt(of: partner, in: conversation, name: "chat_id")
        {
            answer = answer.adding(["read_receipt": receipt])
        }
        return .ok(answer)
    }

    private func noMore(named name: String, count: Int) -> GroupMeAnswer {
        switch emptyForm {
        case .notModified: GroupMeAnswer(status: 304)
        case .codeInEnvelope: GroupMeAnswer(status: 200, value: .null, code: 304)
        case .nullResponse: .ok(.null)
        case .emptyList: .ok(.fields(["count": .integer(Int64(count)), name: .array([])]))
        }
    }

    fileprivate mutating func say(
        in conversation: GroupMe.ConversationID, named name: String, for call: GroupMeCall
    ) throws(GroupMeRESTError) -> GroupMeAnswer {
        let message = call.body[name]
        let attachments = message?["attachments"]?.arrayValue ?? []
        let said = try perform(
            .say(
                conversation, text: message?["text"]?.stringValue, attachments: attachments,
                guid: message?["source_guid"]?.stringValue ?? ""), for: call)
        guard let sent = world.threads[conversation]?.messages.last(where: { $0.id == said.message }) else {
            throw .notFound
        }
        return .ok(.fields([name: world.answered(sent, in: conversation)]), status: 201)
    }

    /// Adds or removes a reaction. A second like changes nothing; to change the symbol, a client must unlike first
    /// (GroupMe GM-41).
    fileprivate mutating func react(
        for call: GroupMeCall, isLike: Bool
    ) throws(GroupMeRESTError) -> GroupMeAnswer {
        guard let conversation = GroupMe.ConversationID(call.parameter(0)) else { throw .notFound }
        let id = GroupMe.MessageID(call.parameter(1))
        func message() -> Message? { world.threads[conversation]?.messages.last { $0.id == id } }
        let hasReacted = message()?.reactions.contains { $0.users.contains(call.user) } ?? false
        if !isLike || !hasReacted {
            let symbol = isLike ? Self.symbol(call.body["like_icon"]) : nil
            _ = try perform(.react(conversation, id, symbol), for: call)
        }
        guard let reacted = message(), world.isVisible(conversation, to: call.user) else { throw .notFound }
        return .ok(.fields(["reactions": world.reactions(of: reacted)]))
    }

    private static func symbol(_ value: JSONValue?) -> GroupMe.ReactionSymbol {
        if let code = value?["code"]?.stringValue, !code.isEmpty, code.utf8.count <= 64 { return .unicode(code) }
        if let pack = value?["pack_id"]?.integerValue, let index = value?["pack_index"]?.integerValue {
            return .powerUp(pack: Int(clamping: pack), index: Int(clamping: index))
        }
        return .unicode("❤️")
    }

    fileprivate func liked(
        for call: GroupMeCall, _ isWanted: (Message) -> Bool
    ) throws(GroupMeRESTError) -> GroupMeAnswer {
        let conversation = GroupMe.ConversationID.group(call.group)
        guard world.isVisible(conversation, to: call.user) else { throw .notFound }
        let liked = world.threads[conversation]?.messages.filter { !$0.reactions.isEmpty && isWanted($0) } ?? []
        return .ok(.fields(["messages": .array(liked.suffix(100).map { world.answered($0, in: conversation) })]))
    }
}
