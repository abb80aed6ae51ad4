import JSONText

extension Twake.Message {
    /// Reads a message of either era; nil for an ephemeral one, which has no id and can be neither kept nor fetched (3.3).
    static func read(_ reader: inout JSONReader) throws(Mismatch) -> Self? {
        var replies: [Self]?
        return try read(&reader, repliesInto: &replies)
    }

    /// Reads a message and, when `replies` is not nil, appends to it the messages of `last_replies`.
    static func read(_ reader: inout JSONReader, repliesInto replies: inout [Self]?) throws(Mismatch) -> Self? {
        var fields = MessageFields()
        let start = try reader.open()
        while let key = try reader.field() {
            if try fields.takeIdentity(key, from: &reader) { continue }
            if try fields.takeContent(key, from: &reader) { continue }
            if try fields.takeState(key, from: &reader) { continue }
            if replies != nil, reader.isNamed(key, "last_replies") {
                replies?.append(contentsOf: try list(&reader))
            } else {
                try reader.pass()
            }
        }
        if fields.id == nil, fields.isEphemeral { return nil }
        return Self(fields, id: try fields.id.required("id", at: start))
    }

    /// Reads the messages of `last_replies`; null counts as none.
    private static func list(_ reader: inout JSONReader) throws(Mismatch) -> [Self] {
        var messages: [Self] = []
        guard try reader.openListIfAny() else { return messages }
        while try reader.another() {
            if let message = try read(&reader) { messages.append(message) }
        }
        return messages
    }

    private init(_ fields: MessageFields, id: EntityID) {
        self.init(
            id: id, thread: fields.thread ?? id, channel: fields.channel ?? fields.cachedChannel,
            user: fields.user ?? fields.application, senderName: fields.senderName, text: fields.text ?? "",
            subtype: fields.subtype, createdAt: fields.createdAt, updatedAt: fields.updatedAt,
            editedAt: fields.editedAt, isPinned: fields.isPinned, reactions: fields.reactions, replies: fields.replies)
    }
}

/// A message of either era while it is read.
private struct MessageFields {
    var id: EntityID?
    var thread: EntityID?
    var channel: EntityID?
    /// Of 2022's `cache`.
    var cachedChannel: EntityID?
    var user: EntityID?
    var application: EntityID?
    var isEphemeral = false
    var text: String?
    var subtype: String?
    var sender = Person()
    var users: [Person] = []
    /// The name an application gives itself.
    var overridingName: String?
    var createdAt: Timestamp?
    var updatedAt: Timestamp?
    var editedAt: Timestamp?
    var isPinned = false
    var reactions: [Twake.Reaction] = []
    var replies: Int?

    /// The name in the message itself, else the one of its user among those sent along.
    var senderName: String? {
        if let overridingName = overridingName?.unlessEmpty { return overridingName }
        if let name = sender.displayName { return name }
        guard let user else { return nil }
        return users.first { $0.id == user }?.displayName
    }

    mutating func takeIdentity(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "id") {
            id = try reader.idIfAny()
        } else if reader.isNamed(key, "thread_id") {
            thread = try reader.idIfAny()
        } else if reader.isNamed(key, "channel_id") {
            channel = try reader.idIfAny()
        } else if reader.isNamed(key, "user_id") {
            user = try reader.idIfAny()
        } else if reader.isNamed(key, "application_id") {
            application = try reader.idIfAny()
        } else if reader.isNamed(key, "cache") {
            cachedChannel = try reader.member("channel_id") { (reader) throws(Mismatch) in try reader.idIfAny() }
        } else if reader.isNamed(key, "ephemeral") {
            isEphemeral = try reader.kind() == .object
            try reader.pass()
        } else {
            return false
        }
        return true
    }

    mutating func takeContent(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "text") {
            text = try reader.textIfAny()
        } else if reader.isNamed(key, "content") {
            text = try reader.member("original_str") { (reader) throws(Mismatch) in try reader.textIfAny() } ?? text
        } else if reader.isNamed(key, "subtype") {
            subtype = try reader.textIfAny()?.unlessEmpty
        } else if reader.isNamed(key, "users") {
            users = try Person.list(reading: &reader)
        } else if reader.isNamed(key, "override") {
            overridingName = try reader.member("title") { (reader) throws(Mismatch) in try reader.textIfAny() }
        } else {
            return try sender.takeName(key, from: &reader)
        }
        return true
    }

    mutating func takeState(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "created_at") || reader.isNamed(key, "creation_date") {
            createdAt = try reader.timeIfAny()
        } else if reader.isNamed(key, "updated_at") || reader.isNamed(key, "modification_date") {
            updatedAt = try reader.timeIfAny()
        } else if reader.isNamed(key, "edited") {
            editedAt = try reader.member("edited_at") { (reader) throws(Mismatch) in try reader.timeIfAny() }
        } else if reader.isNamed(key, "pinned_info") {
            isPinned = try reader.kind() == .object
            try reader.pass()
        } else if reader.isNamed(key, "reactions") {
            reactions = try Twake.Reaction.list(reading: &reader)
        } else if reader.isNamed(key, "responses_count") {
            replies = try reader.countIfAny()
        } else if reader.isNamed(key, "stats") {
            // The server counts the head message as well (4.4).
            replies = try reader.member("replies") { (reader) throws(Mismatch) in try reader.countIfAny() }
                .map { max(0, $0 - 1) }
        } else {
            return false
        }
        return true
    }
}

extension Twake.Reaction {
    /// Reads a list of reactions, or the map from emoji to reaction that came before it (section 8, #508); null counts as none.
    static func list(reading reader: inout JSONReader) throws(Mismatch) -> [Self] {
        var reactions: [Self] = []
        guard try reader.kind() == .object else {
            guard try reader.openListIfAny() else { return reactions }
            while try reader.another() { reactions.append(try Self(reading: &reader)) }
            return reactions
        }
        _ = try reader.open()
        while let key = try reader.field() {
            reactions.append(try Self(reading: &reader, name: reader.string(key)))
        }
        return reactions
    }

    private init(reading reader: inout JSONReader, name known: String? = nil) throws(Mismatch) {
        var name = known
        var count: Int?
        var users: [EntityID] = []
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "name") {
                name = try reader.textIfAny()
            } else if reader.isNamed(key, "count") {
                count = try reader.countIfAny()
            } else if reader.isNamed(key, "users") {
                users = try reader.ids()
            } else {
                try reader.pass()
            }
        }
        self.init(name: try name.required("name", at: start), count: count ?? users.count, users: users)
    }
}

extension JSONReader {
    /// Reads the member `name` of an object and passes over the others; nil when there is none or no object.
    mutating func member<Value>(
        _ name: StaticString, _ read: (inout JSONReader) throws(Mismatch) -> Value?
    ) throws(Mismatch) -> Value? {
        var value: Value?
        guard try openIfAny() else { return nil }
        while let key = try field() {
            if isNamed(key, name) {
                value = try read(&self)
            } else {
                try pass()
            }
        }
        return value
    }
}
