import JSONText

extension Twake.Message {
    /// Reads a message of either era. Returns `nil` for an ephemeral message, which has no id and can be
    /// neither stored nor fetched (Twake TW-40).
    static func read(_ reader: inout JSONReader) throws(Mismatch) -> Self? {
        var replies: [Self]?
        return try read(&reader, repliesInto: &replies)
    }

    /// Reads a message. If `replies` is not `nil`, the messages of `last_replies` are appended to it.
    static func read(
        _ reader: inout JSONReader, repliesInto replies: inout [Self]?, through sieve: RowSieve? = nil,
        isQuoted: Bool = false
    ) throws(Mismatch) -> Self? {
        var fields = Fields(id: .none, thread: .none)
        var rest = MessageRest(isQuoted: isQuoted)
        return try fields.take(from: &reader, &rest, repliesInto: &replies, through: sieve)
            ? Self(fields) : nil
    }

    /// Reads the messages of `last_replies`; null counts as an empty list.
    fileprivate static func list(_ reader: inout JSONReader, through sieve: RowSieve?)
        throws(Mismatch) -> [Self]
    {
        var messages: [Self] = []
        guard try reader.openListIfAny() else { return messages }
        try reader.rows(through: sieve) { (reader) throws(Mismatch) in
            if let message = try read(&reader) { messages.append(message) }
        }
        return messages
    }
}

extension Twake.Message.Fields {
    /// Reads a message into the fields. Returns false for an ephemeral message.
    fileprivate mutating func take(
        from reader: inout JSONReader, _ rest: inout MessageRest,
        repliesInto replies: inout [Twake.Message]?,
        through sieve: RowSieve?
    ) throws(Mismatch) -> Bool {
        let start = try reader.open()
        while let key = try reader.field() {
            // Half of the members are null, which means the same as an absent member.
            if try reader.isNull() { continue }
            if try takeIdentity(key, from: &reader) { continue }
            if try takeContent(key, &rest, from: &reader) { continue }
            if try takeState(key, &rest, from: &reader) { continue }
            if try rest.take(key, from: &reader) { continue }
            if try rest.takeSender(key, from: &reader) { continue }
            if replies != nil, reader.isNamed(key, "last_replies") {
                replies?.append(contentsOf: try Twake.Message.list(&reader, through: sieve))
            } else {
                try reader.pass()
            }
        }
        if id.isNone, rest.details?.value.ephemeral != nil { return false }
        try id.require("id", at: start)
        if thread.isNone { thread = id }
        if let blocks = rest.blocks(besides: text, in: reader) {
            rest.noted().value.blocks = blocks
            rest.noteFiles(in: blocks)
        }
        if let details = rest.details { complete(with: details) }
        return true
    }

    /// Fills in values that the message does not contain, or contains only indirectly.
    private mutating func complete(with details: MessageRest.Details) {
        channel = channel ?? details.cachedChannel
        senderName = details.senderName(of: user)
        details.value.senderPicture = details.senderPicture(of: user)
        user = user ?? details.value.application
        self.details = details.shared
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

    private mutating func takeContent(
        _ key: JSONKey, _ rest: inout MessageRest, from reader: inout JSONReader
    ) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "type") {
            let type = try Twake.MessageType.ifAny(reading: &reader) ?? .message
            if type != .message { rest.noted().value.type = type }
        } else if reader.isNamed(key, "text") {
            text = try rest.takeText(from: &reader) ?? ""
        } else if reader.isNamed(key, "blocks") {
            try rest.takeBlocks(from: &reader)
        } else if reader.isNamed(key, "content") {
            guard try reader.openIfAny() else { return true }
            while let key = try reader.field() {
                if reader.isNamed(key, "original_str") {
                    text = try rest.takeText(from: &reader) ?? text
                } else if reader.isNamed(key, "prepared") {
                    try rest.takePrepared(from: &reader)
                } else {
                    try reader.pass()
                }
            }
        } else if reader.isNamed(key, "subtype") {
            subtype = try Twake.MessageSubtype.ifAny(reading: &reader)
        } else if reader.isNamed(key, "reactions") {
            reactions = try Twake.Reaction.list(reading: &reader)
        } else {
            return false
        }
        return true
    }

    private mutating func takeState(
        _ key: JSONKey, _ rest: inout MessageRest, from reader: inout JSONReader
    ) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "created_at") || reader.isNamed(key, "creation_date") {
            createdAt = try reader.timeIfAny()
        } else if reader.isNamed(key, "updated_at") || reader.isNamed(key, "modification_date") {
            updatedAt = try reader.timeIfAny()
        } else if reader.isNamed(key, "edited") {
            editedAt = try reader.member("edited_at") { (reader) throws(Mismatch) in try reader.timeIfAny() }
        } else if reader.isNamed(key, "pinned_info") {
            if let pin = try Twake.Pin.ifAny(reading: &reader) { rest.noted().value.pin = pin }
        } else if reader.isNamed(key, "responses_count") {
            replies = try reader.countIfAny()
        } else if reader.isNamed(key, "stats") {
            try takeStatistics(from: &reader)
        } else {
            return false
        }
        return true
    }

    private mutating func takeStatistics(from reader: inout JSONReader) throws(Mismatch) {
        guard try reader.openIfAny() else { return }
        while let key = try reader.field() {
            if reader.isNamed(key, "replies") {
                // The server counts the head message as well (Twake TW-82).
                replies = try reader.countIfAny().map { max(0, $0 - 1) }
            } else if reader.isNamed(key, "last_activity") {
                threadActivity = try reader.timeIfAny()
            } else {
                try reader.pass()
            }
        }
    }
}

extension Twake.Reaction {
    /// Reads a list of reactions, or the map from emoji to reaction that preceded it (Twake TW-97, #508);
    /// null counts as an empty list.
    static func list(reading reader: inout JSONReader) throws(Mismatch) -> [Self] {
        var reactions: [Self] = []
        guard try reader.kind() == .object else {
            guard try reader.openListIfAny() else { return reactions }
            while try reader.another() { reactions.append(try Self(reading: &reader, name: nil)) }
            return reactions
        }
        _ = try reader.open()
        while let key = try reader.field() {
            reactions.append(try Self(reading: &reader, name: reader.string(key)))
        }
        return reactions
    }

    private init(reading reader: inout JSONReader, name known: String?) throws(Mismatch) {
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
    /// Reads the member `name` of an object and skips the others. Returns `nil` if the member is absent, or if
    /// the value is null or an array.
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
