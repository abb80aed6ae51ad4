import JSONText

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
