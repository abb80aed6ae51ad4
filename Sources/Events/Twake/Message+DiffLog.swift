public import JSONText

extension Twake.Message {
    /// Writes the message as a JSON object; nil fields are left out.
    public func encode(into writer: inout JSONWriter) { fields.encode(into: &writer) }

    /// Reads what `encode` wrote.
    public init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        self.init(try reader.logged("message", Fields.init(logged:)))
    }
}

extension Twake.Message.Fields {
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id)
        writer.member("thread_id", thread)
        writer.member("channel_id", channel)
        writer.member("user_id", user)
        writer.member("sender_name", senderName)
        writer.member("text", text)
        writer.member("subtype", subtype?.wireName)
        writer.member("created_at", createdAt)
        writer.member("updated_at", updatedAt)
        writer.member("edited_at", editedAt)
        writer.member("pinned", isPinned)
        if !reactions.isEmpty {
            writer.key("reactions")
            writer.beginArray()
            for reaction in reactions { reaction.encode(into: &writer) }
            writer.endArray()
        }
        writer.member("replies", replies)
        writer.member("thread_activity", threadActivity)
        encodeDetails(into: &writer)
        writer.endObject()
    }

    init(logged reader: inout JSONReader) throws(Mismatch) {
        self.init(id: .none, thread: .none)
        var ids: (EntityID?, thread: EntityID?)
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "id") {
                ids.0 = try reader.loggedID()
            } else if reader.isNamed(key, "thread_id") {
                ids.thread = try reader.loggedID()
            } else if try !takeLogged(key, from: &reader), try !takeLoggedState(key, from: &reader),
                try !takeLoggedDetail(key, from: &reader)
            {
                try reader.pass()
            }
        }
        id = try ids.0.required("id", at: start)
        thread = try ids.thread.required("thread_id", at: start)
    }

    private mutating func takeLogged(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "channel_id") {
            channel = try reader.loggedID()
        } else if reader.isNamed(key, "user_id") {
            user = try reader.loggedID()
        } else if reader.isNamed(key, "sender_name") {
            senderName = try reader.text()
        } else if reader.isNamed(key, "text") {
            text = try reader.text()
        } else if reader.isNamed(key, "subtype") {
            subtype = Twake.MessageSubtype(wire: try reader.text())
        } else {
            return false
        }
        return true
    }

    private mutating func takeLoggedState(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "created_at") {
            createdAt = try reader.loggedTime()
        } else if reader.isNamed(key, "updated_at") {
            updatedAt = try reader.loggedTime()
        } else if reader.isNamed(key, "edited_at") {
            editedAt = try reader.loggedTime()
        } else if reader.isNamed(key, "pinned") {
            if try reader.loggedFlag() { isPinned = true }
        } else if reader.isNamed(key, "reactions") {
            reactions = []
            guard try reader.openListIfAny() else { return true }
            while try reader.another() { reactions.append(try Twake.Reaction(logged: &reader)) }
        } else if reader.isNamed(key, "replies") {
            replies = try reader.loggedCount()
        } else if reader.isNamed(key, "thread_activity") {
            threadActivity = try reader.loggedTime()
        } else {
            return false
        }
        return true
    }
}

extension Twake.Reaction {
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", name)
        writer.member("count", count)
        writer.member("users", users)
        writer.endObject()
    }

    fileprivate init(logged reader: inout JSONReader) throws(Mismatch) {
        var loggedName: String?
        var loggedCount: Int?
        var loggedUsers: [EntityID] = []
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "name") {
                loggedName = try reader.text()
            } else if reader.isNamed(key, "count") {
                loggedCount = try reader.loggedCount()
            } else if reader.isNamed(key, "users") {
                loggedUsers = try reader.loggedIDs()
            } else {
                try reader.pass()
            }
        }
        self.init(
            name: try loggedName.required("name", at: start), count: try loggedCount.required("count", at: start),
            users: loggedUsers)
    }
}
