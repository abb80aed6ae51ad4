public import WeirJSON

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

/// The parts of a message that are not among its own fields, while it is being read.
struct MessageRest {
    /// The fields that few messages have, as far as they were read.
    final class Details {
        var value = Twake.Message.Fields.Details()
        /// The channel in `cache`, which servers of 2022 send.
        var cachedChannel: EntityID?
        /// The sender's names and picture in the message itself.
        var sender = Person()
        /// The users that the server included with the message.
        var users: [Person] = []

        var shared: Shared<Twake.Message.Fields.Details>? { value == .absent ? nil : Shared(value) }
    }
    private(set) var details: Details?
    /// Whether the message is quoted by another message.
    let isQuoted: Bool
    /// The ranges of the text, of era B's `blocks` and of era A's `content.prepared`. The latter two are
    /// inspected once all are known.
    private var text: Range<Int>?
    private var blocks: Range<Int>?
    private var prepared: Range<Int>?

    init(isQuoted: Bool) { self.isQuoted = isQuoted }

    /// Returns the object for fields that few messages have, and creates it on first use.
    mutating func noted() -> Details {
        if let details { return details }
        let new = Details()
        details = new
        return new
    }

    /// Reads the text and keeps its range; returns `nil` for null.
    mutating func takeText(from reader: inout JSONReader) throws(Mismatch) -> String? {
        guard let contents = try reader.textRangeIfAny() else { return nil }
        text = contents.range
        return reader.string(at: contents)
    }

    /// Keeps the range of era B's formatted contents if they are an array with elements.
    mutating func takeBlocks(from reader: inout JSONReader) throws(Mismatch) { blocks = try reader.listRangeIfAny() }

    /// Keeps the range of era A's formatted contents if they are an array with elements.
    mutating func takePrepared(from reader: inout JSONReader) throws(Mismatch) {
        prepared = try reader.listRangeIfAny()
    }

    /// Reads the value if `key` is a member that an application or a later server adds. Returns whether it is.
    mutating func take(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "files") {
            let files = try Twake.File.list(reading: &reader)
            if !files.isEmpty { noted().value.files = files }
        } else if reader.isNamed(key, "application_id") {
            if let id = try reader.idIfAny() { noted().value.application = id }
        } else if reader.isNamed(key, "override") {
            if let override = try Twake.Override.ifAny(reading: &reader), override != .blank {
                noted().value.override = override
            }
        } else if reader.isNamed(key, "ephemeral") {
            if let ephemeral = try Twake.Ephemeral.ifAny(reading: &reader) { noted().value.ephemeral = ephemeral }
        } else if reader.isNamed(key, "context") {
            if let context = try reader.contentsIfAny() { noted().value.context = context }
        } else if reader.isNamed(key, "bookmarks") {
            if let bookmarks = try reader.contentsIfAny() { noted().value.bookmarks = bookmarks }
        } else if reader.isNamed(key, "links") {
            if let links = try reader.contentsIfAny() { noted().value.links = links }
        } else if reader.isNamed(key, "status") {
            if let status = try Twake.DeliveryStatus.ifAny(reading: &reader) { noted().value.status = status }
        } else if !isQuoted, reader.isNamed(key, "quote_message") {
            if let quoted = try Twake.Message.quoted(&reader) { noted().value.quoted = quoted }
        } else {
            return false
        }
        return true
    }

    /// Reads the value if `key` describes the sender or the place of the message. Returns whether it does.
    mutating func takeSender(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "cache") {
            let channel = try reader.member("channel_id") { (reader) throws(Mismatch) in try reader.idIfAny() }
            if let channel { noted().cachedChannel = channel }
        } else if reader.isNamed(key, "users") {
            let users = try Person.list(reading: &reader)
            if !users.isEmpty { noted().users = users }
        } else {
            var sender = details?.sender ?? Person()
            guard try sender.takeName(key, from: &reader) else { return false }
            noted().sender = sender
        }
        return true
    }

    /// Returns the formatted contents, or `nil` if they only repeat the message's text, as they almost always do. Their
    /// bytes are compared, because every server writes text and contents in the same way.
    func blocks(besides message: String, in reader: borrowing JSONReader) -> RawJSON? {
        if let blocks {
            if reader.says(blocks, #"[{"type":"twacode","elements":[""#, text, #""]}]"#) { return nil }
            return Self.besides(message, reader.compactText(at: blocks), isBlock: true)
        }
        guard let prepared else { return nil }
        if reader.says(prepared, #"[""#, text, #""]"#) { return nil }
        return Self.besides(message, reader.compactText(at: prepared), isBlock: false)
    }

    /// Notes the files in era A's contents, the only place where that era lists them.
    mutating func noteFiles(in blocks: RawJSON) {
        guard prepared != nil else { return }
        let files = Twake.Twacode.files(in: blocks)
        if !files.isEmpty { noted().value.files = files }
    }

    /// Returns the contents, or `nil` if they are empty or only repeat the text once white space is removed.
    private static func besides(_ message: String, _ contents: RawJSON, isBlock: Bool) -> RawJSON? {
        var plain = JSONWriter()
        plain.beginArray()
        if isBlock {
            plain.beginObject()
            plain.member("type", "twacode")
            plain.key("elements")
            plain.beginArray()
        }
        plain.string(message)
        if isBlock {
            plain.endArray()
            plain.endObject()
        }
        plain.endArray()
        return contents.bytes.count == 2 || contents.bytes == plain.bytes[...] ? nil : contents
    }
}

extension MessageRest.Details {
    /// Returns the sender's name: the override's title, else the name in the message itself, else the name of
    /// `user` among the included users.
    func senderName(of user: EntityID?) -> String? {
        if let title = value.override?.title { return title }
        if let name = sender.displayName { return name }
        guard let user else { return nil }
        return users.first { $0.id == user }?.displayName
    }

    /// Returns the sender's picture: the one in the message itself, else that of `user` among the included users.
    func senderPicture(of user: EntityID?) -> String? {
        if let picture = sender.picture { return picture }
        guard let user else { return nil }
        return users.first { $0.id == user }?.picture
    }
}

extension JSONReader {
    /// Returns whether the value at `range` is null, or an empty array or object.
    func isEmptyValue(_ range: Range<Int>) -> Bool {
        isSame(range, "null") || isSame(range, "[]") || isSame(range, "{}")
    }

    /// Skips the next value and returns its range if it is an array with elements; otherwise returns `nil`.
    fileprivate mutating func listRangeIfAny() throws(Mismatch) -> Range<Int>? {
        let kind = try kind()
        let range = try pass()
        return kind == .array && !isEmptyValue(range) ? range : nil
    }

    /// Returns whether the value at `range` consists of `opening`, the bytes of the string's
    /// contents at `text`, and `closing`.
    fileprivate func says(
        _ range: Range<Int>, _ opening: StaticString, _ text: Range<Int>?, _ closing: StaticString
    ) -> Bool {
        let words = opening.utf8CodeUnitCount + closing.utf8CodeUnitCount
        guard let text, range.count == words + text.count else { return false }
        let start = range.lowerBound + opening.utf8CodeUnitCount
        return isSame(range.lowerBound..<start, opening) && isSame(start..<start + text.count, text)
            && isSame(start + text.count..<range.upperBound, closing)
    }

    /// Returns a copy of the value at `range` without white space and inert on a terminal, so that equal
    /// values mostly have equal texts.
    func compactText(at range: Range<Int>) -> RawJSON {
        var writer = JSONWriter()
        writer.inertRaw(raw(at: range))
        return RawJSON(unchecked: writer.bytes[...])
    }

    /// Reads the next value as `compactText(at:)` does if it is an object or array with
    /// contents; otherwise returns `nil`.
    mutating func contentsIfAny() throws(Mismatch) -> RawJSON? {
        let kind = try kind()
        let range = try pass()
        guard kind == .object || kind == .array, !isEmptyValue(range) else { return nil }
        return compactText(at: range)
    }
}

extension Twake.MessageType {
    /// Reads a type. The type of nearly every message is recognised without creating a string.
    static func ifAny(reading reader: inout JSONReader) throws(Mismatch) -> Self? {
        guard let contents = try reader.textRangeIfAny() else { return nil }
        return reader.matches(contents, "message") ? .message : Self(wire: reader.string(at: contents))
    }
}

extension Twake.Pin: FieldedEntity {
    package static let subject = "pin"
    package static let blank = Self()
    package static let fields: [Field<Self>] = [
        Field("pinned_at", at: \.at),
        Field("pinned_by", at: \.by),
    ]
}

extension Twake.Override: FieldedEntity, FieldScalar {
    package static let subject = "override"
    package static let blank = Self()
    package static let fields: [Field<Self>] = [
        Field("title", at: \.title),
        Field("picture", at: \.picture),
    ]
}

extension Twake.Ephemeral: FieldedEntity, FieldScalar {
    package static let subject = "ephemeral"
    package static let blank = Self()
    package static let fields: [Field<Self>] = [
        Field("id", at: \.id),
        Field("version", at: \.version) { (reader) throws(Mismatch) in try reader.idIfAny()?.description },
        Field("recipient", at: \.recipient),
        Field("recipient_context_id", at: \.context),
    ]
}

extension Twake.Message {
    /// Reads the message that another one quotes. Returns `nil` for null and for a value that is not a message: a bad
    /// quote must not cost the message that contains it. A quote within the quote is not read.
    static func quoted(_ reader: inout JSONReader) throws(Mismatch) -> Self? {
        let kind = try reader.kind()
        let start = reader.offset
        if kind == .object {
            var replies: [Self]?
            do { return try read(&reader, repliesInto: &replies, isQuoted: true) } catch { reader.seek(to: start) }
        }
        try reader.pass()
        return nil
    }
}

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
