package import JSONText

extension GroupMe.Message {
    /// Writes the message as a JSON object without the `nil` fields.
    package func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id)
        writer.member("conversation_id", conversation)
        writer.member("sender_id", sender)
        writer.member("sender_type", senderType?.wireName)
        writer.member("name", senderName)
        writer.member("avatar_url", avatarURL)
        writer.member("recipient_id", recipient)
        writer.member("text", text)
        writer.member("created_at", createdAt)
        writer.member("updated_at", updatedAt)
        writer.member("source_guid", sourceGUID)
        writer.member("system", saysSystem)
        if !attachments.isEmpty {
            writer.key("attachments")
            writer.beginArray()
            for attachment in attachments { writer.inertRaw(attachment.json) }
            writer.endArray()
        }
        encodeState(into: &writer)
        writer.endObject()
    }

    private func encodeState(into writer: inout JSONWriter) {
        writer.member("favorited_by", favoritedBy)
        if let reactions {
            writer.key("reactions")
            writer.beginArray()
            for reaction in reactions { reaction.encode(into: &writer) }
            writer.endArray()
        }
        writer.member("event", event?.json)
        writer.member("pinned", pin == nil ? nil : true)
        writer.member("pinned_at", pin?.at)
        writer.member("pinned_by", pin?.by)
        writer.member("deleted", deletion == nil ? nil : true)
        writer.member("deleted_at", deletion?.at)
        writer.member("deletion_actor", deletion?.actor?.wireName)
        writer.member("parent_id", parent)
        writer.member("platform", platform)
    }

    /// Reads a message that `encode` wrote.
    package init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        self = try reader.logged("message") { (reader) throws(Mismatch) in
            try Self(reading: &reader, .log, in: nil)
        }
    }

    /// Reads a message of a frame, an answer, or a file of Weir's. `place` is its conversation if the
    /// message does not contain one.
    init(
        reading reader: inout JSONReader, _ form: FieldForm, in place: GroupMe.ConversationID?
    ) throws(Mismatch) {
        self.init(id: "", conversation: place ?? .group(""))
        var rest = MessageFrame()
        let start = try reader.open()
        while let key = try reader.field() {
            if try reader.isNull() { continue }
            if try takeContent(key, from: &reader) { continue }
            if try takeState(key, from: &reader, form) { continue }
            if try !rest.take(key, from: &reader, form) { try reader.pass() }
        }
        try id.entity.require("id", at: start)
        sender = rest.sender ?? rest.user
        conversation = try rest.conversation(place, sender, recipient).required("group_id", at: start)
        if rest.isPinned { pin = Pin(at: rest.pinnedAt, by: rest.pinnedBy) }
        if rest.isDeleted { deletion = Deletion(at: rest.deletedAt, actor: rest.deletionActor) }
    }

    private mutating func takeContent(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "id") {
            id = try reader.groupMeID() ?? id
        } else if reader.isNamed(key, "text") {
            text = try reader.text()
        } else if reader.isNamed(key, "name") {
            senderName = try reader.text().unlessEmpty
        } else if reader.isNamed(key, "avatar_url") {
            avatarURL = try reader.text().unlessEmpty
        } else if reader.isNamed(key, "sender_type") {
            senderType = GroupMe.SenderType(wire: try reader.text())
        } else if reader.isNamed(key, "recipient_id") {
            recipient = try reader.groupMeID()
        } else if reader.isNamed(key, "source_guid") {
            sourceGUID = try reader.text().unlessEmpty
        } else if reader.isNamed(key, "attachments") {
            attachments = try GroupMe.Attachment.list(reading: &reader)
        } else if reader.isNamed(key, "platform") {
            platform = try reader.text().unlessEmpty
        } else {
            return false
        }
        return true
    }

    private mutating func takeState(
        _ key: JSONKey, from reader: inout JSONReader, _ form: FieldForm
    ) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "created_at") {
            createdAt = try reader.instantIfAny(form)
        } else if reader.isNamed(key, "updated_at") {
            updatedAt = try reader.instantIfAny(form)
        } else if reader.isNamed(key, "system") {
            saysSystem = try reader.flagIfAny()
        } else if reader.isNamed(key, "favorited_by") {
            favoritedBy = try reader.favorers()
        } else if reader.isNamed(key, "reactions") {
            reactions = try GroupMe.Reaction.list(reading: &reader)
        } else if reader.isNamed(key, "event") {
            event = GroupMe.SystemEvent(try reader.keptText())
        } else if reader.isNamed(key, "parent_id") {
            parent = try reader.groupMeID()
        } else {
            return false
        }
        return true
    }
}

/// The parts of a message that several fields describe, while it is being read: the sender, the
/// conversation, the pin and the deletion.
private struct MessageFrame {
    var sender: GroupMe.UserID?
    var user: GroupMe.UserID?
    var group: GroupMe.ConversationID?
    var direct: GroupMe.ConversationID?
    var isPinned = false
    var pinnedAt: Timestamp?
    var pinnedBy: GroupMe.UserID?
    var isDeleted = false
    var deletedAt: Timestamp?
    var deletionActor: GroupMe.DeletionActor?

    mutating func take(
        _ key: JSONKey, from reader: inout JSONReader, _ form: FieldForm
    ) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "sender_id") {
            sender = try reader.groupMeID()
        } else if reader.isNamed(key, "user_id") {
            user = try reader.groupMeID()
        } else if reader.isNamed(key, "group_id") {
            group = try reader.conversationIfAny()
        } else if reader.isNamed(key, "chat_id") || reader.isNamed(key, "conversation_id") {
            direct = try reader.conversationIfAny()
        } else if reader.isNamed(key, "pinned") {
            isPinned = try reader.flagIfAny() ?? false || isPinned
        } else if reader.isNamed(key, "pinned_at") {
            pinnedAt = try reader.instantIfAny(form)
            isPinned = isPinned || pinnedAt != nil
        } else if reader.isNamed(key, "pinned_by") {
            pinnedBy = try reader.groupMeID()
            isPinned = isPinned || pinnedBy != nil
        } else {
            return try takeDeletion(key, from: &reader, form)
        }
        return true
    }

    private mutating func takeDeletion(
        _ key: JSONKey, from reader: inout JSONReader, _ form: FieldForm
    ) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "deleted") {
            isDeleted = try reader.flagIfAny() ?? false || isDeleted
        } else if reader.isNamed(key, "deleted_at") {
            deletedAt = try reader.deletionTime(form)
            isDeleted = true
        } else if reader.isNamed(key, "deletion_actor") {
            deletionActor = try GroupMe.DeletionActor.ifAny(reading: &reader)
            isDeleted = isDeleted || deletionActor != nil
        } else {
            return false
        }
        return true
    }

    /// Returns the conversation: a group; else a direct by its id; else that of the request; else the
    /// direct of sender and recipient.
    func conversation(
        _ place: GroupMe.ConversationID?, _ sender: GroupMe.UserID?, _ recipient: GroupMe.UserID?
    ) -> GroupMe.ConversationID? {
        if let known = group ?? direct ?? place { return known }
        guard let sender, let recipient, sender != .system else { return nil }
        return .direct(between: sender, and: recipient)
    }
}

extension JSONReader {
    /// Reads the time of a deletion. A date that cannot be read gives `nil`: the message is deleted all the same
    /// and must not be shown as alive.
    mutating func deletionTime(_ form: FieldForm) throws(Mismatch) -> Timestamp? {
        let start = offset
        do { return try instantIfAny(form) } catch {
            seek(to: start)
            guard try kind() == .string else { throw error }
            try pass()
            return nil
        }
    }

    /// Reads the users who reacted. The wire names a user once for each reaction (GroupMe GM-39), the result only once.
    mutating func favorers() throws(Mismatch) -> [GroupMe.UserID] {
        var users: [GroupMe.UserID] = []
        var seen: Set<GroupMe.UserID> = []
        for user in try groupMeIDs() as [GroupMe.UserID] where seen.insert(user).inserted { users.append(user) }
        return users
    }
}
