import JSONText

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
