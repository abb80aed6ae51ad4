import Events
import JSONText

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
