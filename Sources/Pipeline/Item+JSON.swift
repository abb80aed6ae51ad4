import Events
public import JSONText

// Rows as JSON, for the diff log. `init(decoding:)` reads what `encode` writes back to an equal row.
extension Item.ID {
    /// Writes `["message","id"]` or, with a qualifier, `["member","id","channel"]`.
    public func encode(into writer: inout JSONWriter) {
        writer.beginArray()
        writer.string(kind.rawValue)
        id.write(into: &writer)
        if !qualifierOrNone.isNone { qualifierOrNone.write(into: &writer) }
        writer.endArray()
    }

    /// Creates an id from the JSON that `encode` wrote.
    init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        let offset = reader.offset
        guard let texts = try reader.texts(), let id = texts.second else {
            throw DecodingFailure(subject: "diff line", message: "id: not a kind and an id", offset: offset)
        }
        self.init(Item.Kind(rawValue: texts.first), EntityID(id), qualifier: texts.third.map { EntityID($0) })
    }
}

extension Item.Section {
    /// Writes `["badges"]` or `["messages","channel id"]`.
    func encode(into writer: inout JSONWriter) {
        writer.beginArray()
        writer.string(name)
        if !parentOrNone.isNone { parentOrNone.write(into: &writer) }
        writer.endArray()
    }

    /// Creates a section from the JSON that `encode` wrote.
    init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        let offset = reader.offset
        guard let texts = try reader.texts(), texts.third == nil else {
            throw DecodingFailure(
                subject: "diff line", message: "section: not a name and perhaps a parent", offset: offset)
        }
        self.init(texts.first, texts.second.map { EntityID($0) })
    }
}

extension Item {
    /// Writes the row as an object with the members `id`, `section`, `sort`, `type`, `entity` and, if it is set,
    /// `delivery`.
    public func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        encodeMembers(into: &writer)
        writer.endObject()
    }

    /// Writes the row as `encode(into:)` does. For the row of a person, the member `is_user` tells whether that person
    /// is `user`.
    package func encode(into writer: inout JSONWriter, askedBy user: String?) {
        writer.beginObject()
        encodeMembers(into: &writer)
        if let user, let person = entity.value.person { writer.member("is_user", person.description == user) }
        writer.endObject()
    }

    // These functions read everything in place, because copying an id or an entity costs reference counting.

    /// Writes the members `id`, `section`, `sort`, `type`, `entity` and, if it is set, `delivery` into an open object.
    func encodeMembers(into writer: inout JSONWriter) {
        writer.key("id")
        contents.id.encode(into: &writer)
        encodeContents(into: &writer)
    }

    /// Writes all members of a row apart from its id.
    func encodeContents(into writer: inout JSONWriter) {
        writer.key("section")
        contents.section.encode(into: &writer)
        writer.member("sort", integer: contents.sortKey)
        writer.member("type", string: contents.entity.typeName)
        writer.key("entity")
        contents.entity.encode(into: &writer)
        if let delivery = contents.delivery {
            writer.member("delivery", string: delivery.rawValue)
        }
    }
}

extension JSONReader {
    /// Reads an array of one to three strings; returns `nil` if the array has another number of elements.
    fileprivate mutating func texts() throws(DecodingFailure) -> (first: String, second: String?, third: String?)? {
        do {
            try beginArray()
            guard try nextElement() else { return nil }
            let first = try string()
            let second = try nextElement() ? try string() : nil
            let third = second != nil ? try nextElement() ? try string() : nil : nil
            if third != nil, try nextElement() { return nil }
            return (first, second, third)
        } catch {
            throw DecodingFailure(subject: "diff line", message: error.description, offset: error.offset)
        }
    }
}
