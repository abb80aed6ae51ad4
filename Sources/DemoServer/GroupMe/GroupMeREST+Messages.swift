import Events
import JSONText

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
