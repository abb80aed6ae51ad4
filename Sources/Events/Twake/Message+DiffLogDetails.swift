import JSONText

extension Twake.Message.Fields {
    /// Writes what few messages have.
    func encodeDetails(into writer: inout JSONWriter) {
        guard let details = details?.value else { return }
        if details.type != .message { writer.member("type", details.type.wireName) }
        writer.member("application_id", details.application)
        writer.member("sender_picture", details.senderPicture)
        writer.member("blocks", details.blocks)
        if !details.files.isEmpty {
            writer.key("files")
            writer.beginArray()
            for file in details.files { file.encode(into: &writer) }
            writer.endArray()
        }
        writer.member("pinned_at", details.pin?.at)
        writer.member("pinned_by", details.pin?.by)
        if let override = details.override {
            writer.key("override")
            override.encode(into: &writer)
        }
        if let ephemeral = details.ephemeral {
            writer.key("ephemeral")
            ephemeral.encode(into: &writer)
        }
        writer.member("status", details.status?.wireName)
        if let quoted = details.quoted {
            writer.key("quote_message")
            quoted.encode(into: &writer)
        }
        writer.member("links", details.links)
        writer.member("context", details.context)
        writer.member("bookmarks", details.bookmarks)
    }

    mutating func takeLoggedDetail(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "blocks") {
            blocks = try reader.loggedText()
        } else if reader.isNamed(key, "files") {
            var files: [Twake.File] = []
            guard try reader.openListIfAny() else { return true }
            while try reader.another() { files.append(try Twake.File(reading: &reader, .log)) }
            self.files = files
        } else if reader.isNamed(key, "pinned_at") {
            let time = try reader.loggedTime()
            pin = Twake.Pin(at: time, by: pin?.by)
        } else if reader.isNamed(key, "pinned_by") {
            let user = try reader.loggedID()
            pin = Twake.Pin(at: pin?.at, by: user)
        } else if reader.isNamed(key, "type") {
            type = Twake.MessageType(wire: try reader.text())
        } else if reader.isNamed(key, "application_id") {
            application = try reader.loggedID()
        } else if reader.isNamed(key, "sender_picture") {
            senderPicture = try reader.text()
        } else {
            return try takeLoggedRest(key, from: &reader)
        }
        return true
    }

    private mutating func takeLoggedRest(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "override") {
            override = try Twake.Override(logged: &reader)
        } else if reader.isNamed(key, "ephemeral") {
            ephemeral = try Twake.Ephemeral(logged: &reader)
        } else if reader.isNamed(key, "status") {
            status = Twake.DeliveryStatus(wire: try reader.text())
        } else if reader.isNamed(key, "quote_message") {
            quoted = Twake.Message(try Self(logged: &reader))
        } else if reader.isNamed(key, "links") {
            links = try reader.loggedText()
        } else if reader.isNamed(key, "context") {
            context = try reader.loggedText()
        } else if reader.isNamed(key, "bookmarks") {
            bookmarks = try reader.loggedText()
        } else {
            return false
        }
        return true
    }
}

extension Twake.Override {
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("title", title)
        writer.member("picture", picture)
        writer.endObject()
    }

    fileprivate init(logged reader: inout JSONReader) throws(Mismatch) {
        self.init(title: nil, picture: nil)
        _ = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "title") {
                title = try reader.text()
            } else if reader.isNamed(key, "picture") {
                picture = try reader.text()
            } else {
                try reader.pass()
            }
        }
    }
}

extension Twake.Ephemeral {
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id)
        writer.member("version", version)
        writer.member("recipient", recipient)
        writer.member("recipient_context_id", context)
        writer.endObject()
    }

    fileprivate init(logged reader: inout JSONReader) throws(Mismatch) {
        self.init(id: nil, version: nil, recipient: nil, context: nil)
        _ = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "id") {
                id = try reader.loggedID()
            } else if reader.isNamed(key, "version") {
                version = try reader.text()
            } else if reader.isNamed(key, "recipient") {
                recipient = try reader.loggedID()
            } else if reader.isNamed(key, "recipient_context_id") {
                context = try reader.loggedID()
            } else {
                try reader.pass()
            }
        }
    }
}
