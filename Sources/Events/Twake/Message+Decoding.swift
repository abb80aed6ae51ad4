import JSONText

extension Twake.Message {
    /// Reads a message of either era; nil for an ephemeral one, which has no id and can be neither kept nor fetched (3.3).
    static func read(_ reader: inout JSONReader) throws(Mismatch) -> Self? {
        var replies: [Self]?
        return try read(&reader, repliesInto: &replies)
    }

    /// Reads a message and, when `replies` is not nil, appends to it the messages of `last_replies`.
    static func read(_ reader: inout JSONReader, repliesInto replies: inout [Self]?) throws(Mismatch) -> Self? {
        var fields = Fields(id: .none, thread: .none)
        return try fields.take(from: &reader, repliesInto: &replies) ? Self(fields) : nil
    }

    /// Reads the messages of `last_replies`; null counts as none.
    fileprivate static func list(_ reader: inout JSONReader) throws(Mismatch) -> [Self] {
        var messages: [Self] = []
        guard try reader.openListIfAny() else { return messages }
        while try reader.another() {
            if let message = try read(&reader) { messages.append(message) }
        }
        return messages
    }
}

extension Twake.Message.Fields {
    /// Takes what is sent of a message; false for an ephemeral one.
    fileprivate mutating func take(
        from reader: inout JSONReader, repliesInto replies: inout [Twake.Message]?
    ) throws(Mismatch) -> Bool {
        var rest = MessageRest()
        let start = try reader.open()
        while let key = try reader.field() {
            if try takeIdentity(key, from: &reader) { continue }
            if try takeContent(key, from: &reader) { continue }
            if try takeState(key, from: &reader) { continue }
            if try rest.take(key, from: &reader) { continue }
            if replies != nil, reader.isNamed(key, "last_replies") {
                replies?.append(contentsOf: try Twake.Message.list(&reader))
            } else {
                try reader.pass()
            }
        }
        if id.isNone, rest.isEphemeral { return false }
        try id.require("id", at: start)
        if thread.isNone { thread = id }
        if rest.isPresent { complete(with: rest) }
        return true
    }

    /// Fills what the message itself did not say, or said in a roundabout way.
    private mutating func complete(with rest: MessageRest) {
        channel = channel ?? rest.cachedChannel
        senderName = rest.senderName(of: user)
        user = user ?? rest.application
    }

    private mutating func takeIdentity(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "id") {
            id = try reader.id()
        } else if reader.isNamed(key, "thread_id") {
            thread = try reader.id()
        } else if reader.isNamed(key, "channel_id") {
            channel = try reader.idIfAny()
        } else if reader.isNamed(key, "user_id") {
            user = try reader.idIfAny()
        } else {
            return false
        }
        return true
    }

    private mutating func takeContent(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "text") {
            text = try reader.textIfAny() ?? ""
        } else if reader.isNamed(key, "content") {
            text = try reader.member("original_str") { (reader) throws(Mismatch) in try reader.textIfAny() } ?? text
        } else if reader.isNamed(key, "subtype") {
            subtype = try reader.textIfAny()?.unlessEmpty
        } else if reader.isNamed(key, "reactions") {
            reactions = try Twake.Reaction.list(reading: &reader)
        } else {
            return false
        }
        return true
    }

    private mutating func takeState(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "created_at") || reader.isNamed(key, "creation_date") {
            createdAt = try reader.timeIfAny()
        } else if reader.isNamed(key, "updated_at") || reader.isNamed(key, "modification_date") {
            updatedAt = try reader.timeIfAny()
        } else if reader.isNamed(key, "edited") {
            editedAt = try reader.member("edited_at") { (reader) throws(Mismatch) in try reader.timeIfAny() }
        } else if reader.isNamed(key, "pinned_info") {
            isPinned = try reader.kind() == .object
            try reader.pass()
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

/// What bears on a message while it is read and is none of its fields.
private struct MessageRest {
    /// Of 2022's `cache`.
    var cachedChannel: EntityID?
    var application: EntityID?
    var isEphemeral = false
    var sender = Person()
    var users: [Person] = []
    /// The name an application gives itself.
    var overridingName: String?

    /// Whether anything of it was sent.
    private(set) var isPresent = false

    mutating func take(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "ephemeral") {
            isEphemeral = try reader.kind() == .object
            try reader.pass()
        } else if reader.isNamed(key, "application_id") {
            application = try reader.idIfAny()
            if application != nil { isPresent = true }
        } else if reader.isNamed(key, "override") {
            overridingName = try reader.member("title") { (reader) throws(Mismatch) in try reader.textIfAny() }
            if overridingName != nil { isPresent = true }
        } else if reader.isNamed(key, "cache") {
            cachedChannel = try reader.member("channel_id") { (reader) throws(Mismatch) in try reader.idIfAny() }
            isPresent = true
        } else if reader.isNamed(key, "users") {
            users = try Person.list(reading: &reader)
            isPresent = true
        } else {
            guard try sender.takeName(key, from: &reader) else { return false }
            isPresent = true
        }
        return true
    }

    /// The name in the message itself, else the one of its user among those sent along.
    func senderName(of user: EntityID?) -> String? {
        if let overridingName = overridingName?.unlessEmpty { return overridingName }
        if let name = sender.displayName { return name }
        guard let user else { return nil }
        return users.first { $0.id == user }?.displayName
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
