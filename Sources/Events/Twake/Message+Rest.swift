import JSONText

/// What bears on a message while it is read and is none of its own fields.
struct MessageRest {
    /// What few messages have, as far as it was read.
    final class Details {
        var value = Twake.Message.Fields.Details()
        /// Of 2022's `cache`.
        var cachedChannel: EntityID?
        /// The names and the picture in the message itself.
        var sender = Person()
        /// The users sent along.
        var users: [Person] = []

        var shared: Shared<Twake.Message.Fields.Details>? { value == .absent ? nil : Shared(value) }
    }
    private(set) var details: Details?
    /// Whether the message is one that another quotes.
    let isQuoted: Bool
    /// Where the text, era B's `blocks` and era A's `content.prepared` stand. What the latter say is looked at only when all are there.
    private var text: Range<Int>?
    private var blocks: Range<Int>?
    private var prepared: Range<Int>?

    init(isQuoted: Bool) { self.isQuoted = isQuoted }

    /// Where to note something that few messages have.
    mutating func noted() -> Details {
        if let details { return details }
        let new = Details()
        details = new
        return new
    }

    /// The text, or nil for null; where it stands is kept.
    mutating func takeText(from reader: inout JSONReader) throws(Mismatch) -> String? {
        guard let contents = try reader.textRangeIfAny() else { return nil }
        text = contents.range
        return reader.string(at: contents)
    }

    /// Era B's formatted contents: an array, or nothing.
    mutating func takeBlocks(from reader: inout JSONReader) throws(Mismatch) { blocks = try reader.listRangeIfAny() }

    /// Era A's.
    mutating func takePrepared(from reader: inout JSONReader) throws(Mismatch) {
        prepared = try reader.listRangeIfAny()
    }

    /// Takes what an application or a late server adds.
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

    /// Takes what says who sent the message, and where.
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

    /// The formatted contents, unless they are the message's text again, as they nearly always are: told by their bytes, as every server
    /// writes both alike.
    func blocks(besides message: String, in reader: borrowing JSONReader) -> RawJSON? {
        if let blocks {
            if reader.says(blocks, #"[{"type":"twacode","elements":[""#, text, #""]}]"#) { return nil }
            return Self.besides(message, reader.compactText(at: blocks), isBlock: true)
        }
        guard let prepared else { return nil }
        if reader.says(prepared, #"[""#, text, #""]"#) { return nil }
        return Self.besides(message, reader.compactText(at: prepared), isBlock: false)
    }

    /// Era A has a message's files in its contents only.
    mutating func noteFiles(in blocks: RawJSON) {
        guard prepared != nil else { return }
        let files = Twake.Twacode.files(in: blocks)
        if !files.isEmpty { noted().value.files = files }
    }

    /// The contents, unless they are nothing, or the text again once the white space is gone.
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
    /// The name in the message itself, else the one of its user among those sent along.
    func senderName(of user: EntityID?) -> String? {
        if let title = value.override?.title { return title }
        if let name = sender.displayName { return name }
        guard let user else { return nil }
        return users.first { $0.id == user }?.displayName
    }

    /// The picture in the message itself, else the one of its user among those sent along.
    func senderPicture(of user: EntityID?) -> String? {
        if let picture = sender.picture { return picture }
        guard let user else { return nil }
        return users.first { $0.id == user }?.picture
    }
}

extension JSONReader {
    /// Whether the value at `range` is null, or an array or object without anything in it.
    func isEmptyValue(_ range: Range<Int>) -> Bool {
        isSame(range, "null") || isSame(range, "[]") || isSame(range, "{}")
    }

    /// Where the next value stands, when it is an array with anything in it.
    fileprivate mutating func listRangeIfAny() throws(Mismatch) -> Range<Int>? {
        let kind = try kind()
        let range = try pass()
        return kind == .array && !isEmptyValue(range) ? range : nil
    }

    /// Whether the value at `range` is written as nothing but the string whose contents stand at `text`, between two words.
    fileprivate func says(
        _ range: Range<Int>, _ opening: StaticString, _ text: Range<Int>?, _ closing: StaticString
    ) -> Bool {
        let words = opening.utf8CodeUnitCount + closing.utf8CodeUnitCount
        guard let text, range.count == words + text.count else { return false }
        let start = range.lowerBound + opening.utf8CodeUnitCount
        return isSame(range.lowerBound..<start, opening) && isSame(start..<start + text.count, text)
            && isSame(start + text.count..<range.upperBound, closing)
    }

    /// A copy of the value at `range` without white space and inert on a terminal, so that equal values mostly are equal texts.
    func compactText(at range: Range<Int>) -> RawJSON {
        var writer = JSONWriter()
        writer.inertRaw(raw(at: range))
        return RawJSON(unchecked: writer.bytes[...])
    }

    /// The next value, when it is an object or an array with anything in it, as `compactText(at:)` gives it.
    mutating func contentsIfAny() throws(Mismatch) -> RawJSON? {
        let kind = try kind()
        let range = try pass()
        guard kind == .object || kind == .array, !isEmptyValue(range) else { return nil }
        return compactText(at: range)
    }
}
