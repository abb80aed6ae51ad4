public import JSONText

extension Twake.Channel {
    /// Writes the channel as a JSON object; nil fields are left out.
    public func encode(into writer: inout JSONWriter) { fields.encode(into: &writer) }

    /// Reads what `encode` wrote.
    public init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        self.init(try reader.logged("channel", Fields.init(logged:)))
    }
}

extension Twake.Channel.Fields {
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id)
        writer.member("company_id", company)
        writer.member("workspace_id", workspace)
        writer.member("visibility", visibility?.wireName)
        writer.member("name", name)
        writer.member("icon", icon)
        writer.member("description", description)
        writer.member("owner", owner)
        writer.member("archived", isArchived)
        writer.member("members", members)
        writer.member("last_activity", lastActivity)
        if let lastMessage {
            writer.key("last_message")
            lastMessage.encode(into: &writer)
        }
        writer.member("last_access", lastAccess)
        writer.member("updated_at", updatedAt)
        encodeDetails(into: &writer)
        writer.endObject()
    }

    fileprivate init(logged reader: inout JSONReader) throws(Mismatch) {
        self.init(id: .none, company: .none, workspace: .none)
        var ids: (EntityID?, company: EntityID?, workspace: EntityID?)
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "id") {
                ids.0 = try reader.loggedID()
            } else if reader.isNamed(key, "company_id") {
                ids.company = try reader.loggedID()
            } else if reader.isNamed(key, "workspace_id") {
                ids.workspace = try reader.loggedID()
            } else if try !takeLogged(key, from: &reader), try !takeLoggedDetail(key, from: &reader) {
                try reader.pass()
            }
        }
        id = try ids.0.required("id", at: start)
        company = try ids.company.required("company_id", at: start)
        workspace = try ids.workspace.required("workspace_id", at: start)
    }

    private mutating func takeLogged(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "visibility") {
            visibility = Twake.ChannelVisibility(wire: try reader.text())
        } else if reader.isNamed(key, "name") {
            name = try reader.text()
        } else if reader.isNamed(key, "icon") {
            icon = try reader.text()
        } else if reader.isNamed(key, "description") {
            description = try reader.text()
        } else if reader.isNamed(key, "owner") {
            owner = try reader.loggedID()
        } else if reader.isNamed(key, "archived") {
            isArchived = try reader.loggedFlag()
        } else if reader.isNamed(key, "members") {
            members = try reader.loggedIDs()
        } else if reader.isNamed(key, "last_activity") {
            lastActivity = try reader.loggedTime()
        } else if reader.isNamed(key, "last_message") {
            lastMessage = try Twake.MessageSummary(logged: &reader)
        } else if reader.isNamed(key, "last_access") {
            lastAccess = try reader.loggedTime()
        } else if reader.isNamed(key, "updated_at") {
            updatedAt = try reader.loggedTime()
        } else {
            return false
        }
        return true
    }
}

extension Twake.MessageSummary {
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("date", date)
        writer.member("sender", sender)
        withUTF8(of: .senderName) { writer.member("sender_name", utf8: $0) }
        withUTF8(of: .title) { writer.member("title", utf8: $0) }
        withUTF8(of: .text) { writer.member("text", utf8: $0) }
        writer.endObject()
    }

    fileprivate init(logged reader: inout JSONReader) throws(Mismatch) {
        var (date, sender) = (Timestamp?.none, EntityID?.none)
        var texts = ReadTexts()
        _ = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "date") {
                date = try reader.loggedTime()
            } else if reader.isNamed(key, "sender") {
                sender = try reader.loggedID()
            } else if reader.isNamed(key, "sender_name") {
                texts[.senderName] = try reader.textRange()
            } else if reader.isNamed(key, "title") {
                texts[.title] = try reader.textRange()
            } else if reader.isNamed(key, "text") {
                texts[.text] = try reader.textRange()
            } else {
                try reader.pass()
            }
        }
        self.init(date: date, sender: sender, texts: texts, in: reader)
    }
}
