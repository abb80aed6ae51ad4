public import JSONText

extension Twake.Message {
    /// Writes the message as a JSON object without the `nil` fields.
    public func encode(into writer: inout JSONWriter) { fields.encode(into: &writer) }

    /// Reads a message that `encode` wrote.
    public init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        self.init(try reader.logged("message", Fields.init(logged:)))
    }
}

// The fields that every message has are read and written by hand: a table takes 3.6 times as long to write them.
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
        reactions.write(as: "reactions", into: &writer)
        writer.member("replies", replies)
        writer.member("thread_activity", threadActivity)
        if let details { Details.fields.writeMembers(of: details.value, into: &writer) }
        writer.endObject()
    }

    init(logged reader: inout JSONReader) throws(Mismatch) {
        self.init(id: .none, thread: .none)
        var details = Details()
        var required: UInt64 = 0
        var ids: (EntityID?, thread: EntityID?)
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "id") {
                ids.0 = try reader.loggedID()
            } else if reader.isNamed(key, "thread_id") {
                ids.thread = try reader.loggedID()
            } else if reader.isNamed(key, "pinned") {
                if try reader.loggedFlag(), details.pin == nil { details.pin = Twake.Pin() }
            } else if try !takeLogged(key, from: &reader), try !takeLoggedState(key, from: &reader),
                try !Details.fields.take(key, into: &details, from: &reader, .log, &required)
            {
                try reader.pass()
            }
        }
        id = try ids.0.required("id", at: start)
        thread = try ids.thread.required("thread_id", at: start)
        if details != .absent { self.details = Shared(details) }
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
        } else if reader.isNamed(key, "reactions") {
            reactions = try [Twake.Reaction].read(from: &reader, .log) ?? []
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

extension Twake.Message.Fields.Details {
    static let fields: [Field<Self>] =
        [
            Field("type", at: \.type).written { $0.type != .message },
            Field("application_id", at: \.application),
            Field("sender_picture", at: \.senderPicture),
            Field("blocks", at: \.blocks),
            Field("files", at: \.files),
        ] + Twake.Pin.fields.map { $0.part(of: \.pinned) } + [
            Field("override", at: \.override),
            Field("ephemeral", at: \.ephemeral),
            Field("status", at: \.status),
            Field("quote_message", at: \.quoted),
            Field("links", at: \.links),
            Field("context", at: \.context),
            Field("bookmarks", at: \.bookmarks),
        ]

    private var pinned: Twake.Pin {
        get { pin ?? Twake.Pin() }
        set { pin = newValue }
    }
}

/// A message that another message quotes.
extension Twake.Message: FieldScalar {
    static func read(from reader: inout JSONReader, _ form: FieldForm) throws(Mismatch) -> Self? {
        form == .log ? Self(try Fields(logged: &reader)) : try quoted(&reader)
    }
    func write(into writer: inout JSONWriter) { encode(into: &writer) }
}

extension Twake.Reaction: FieldedEntity, FieldScalar {
    package static let subject = "reaction"
    package static let blank = Self(name: "", count: 0, users: [])
    package static let fields: [Field<Self>] = [
        Field("name", at: \.name).required,
        Field("count", at: \.count).required,
        Field("users", at: \.users),
    ]
}
