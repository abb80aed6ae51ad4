import JSONText

extension Twake.MessageType {
    /// The type of nearly every message is told without making a string of it.
    static func ifAny(reading reader: inout JSONReader) throws(Mismatch) -> Self? {
        guard let contents = try reader.textRangeIfAny() else { return nil }
        return reader.matches(contents, "message") ? .message : Self(wire: reader.string(at: contents))
    }
}

extension Twake.Pin {
    /// Nil for null.
    static func ifAny(reading reader: inout JSONReader) throws(Mismatch) -> Self? {
        guard try reader.openIfAny() else { return nil }
        var pin = Self()
        while let key = try reader.field() {
            if reader.isNamed(key, "pinned_at") {
                pin.at = try reader.timeIfAny()
            } else if reader.isNamed(key, "pinned_by") {
                pin.by = try reader.idIfAny()
            } else {
                try reader.pass()
            }
        }
        return pin
    }
}

extension Twake.Override {
    /// Nil for null and an object that overrides nothing.
    static func ifAny(reading reader: inout JSONReader) throws(Mismatch) -> Self? {
        guard try reader.openIfAny() else { return nil }
        var override = Self(title: nil, picture: nil)
        while let key = try reader.field() {
            if reader.isNamed(key, "title") {
                override.title = try reader.textIfAny()?.unlessEmpty
            } else if reader.isNamed(key, "picture") {
                override.picture = try reader.textIfAny()?.unlessEmpty
            } else {
                try reader.pass()
            }
        }
        return override.title == nil && override.picture == nil ? nil : override
    }
}

extension Twake.Ephemeral {
    /// Nil for null.
    static func ifAny(reading reader: inout JSONReader) throws(Mismatch) -> Self? {
        guard try reader.openIfAny() else { return nil }
        var ephemeral = Self(id: nil, version: nil, recipient: nil, context: nil)
        while let key = try reader.field() {
            if reader.isNamed(key, "id") {
                ephemeral.id = try reader.idIfAny()
            } else if reader.isNamed(key, "version") {
                ephemeral.version = try reader.idIfAny()?.description
            } else if reader.isNamed(key, "recipient") {
                ephemeral.recipient = try reader.idIfAny()
            } else if reader.isNamed(key, "recipient_context_id") {
                ephemeral.context = try reader.idIfAny()
            } else {
                try reader.pass()
            }
        }
        return ephemeral
    }
}

extension Twake.Message {
    /// The message another quotes; nil for null, and for one that is no message: a quote must not cost the message it stands in. What it
    /// quotes itself is not read.
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
