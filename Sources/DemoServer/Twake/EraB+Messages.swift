import Events
import JSONText

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
