public import JSONText

extension GroupMe.Group {
    /// Writes the group as a JSON object; nil fields are left out.
    public func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id)
        writer.member("name", name)
        writer.member("type", type?.wireName)
        writer.member("description", description)
        writer.member("image_url", imageURL)
        writer.member("creator_user_id", creator)
        writer.member("created_at", createdAt)
        writer.member("updated_at", updatedAt)
        encodeMessages(into: &writer)
        writer.member("members_count", membersCount)
        writer.member("max_members", mostMembers)
        writer.member("share_url", shareURL)
        if let likeIcon {
            writer.key("like_icon")
            likeIcon.encode(into: &writer)
        }
        writer.member("theme_name", theme)
        writer.member("muted_until", mutedUntil)
        writer.member("requires_approval", requiresApproval)
        writer.member("unread_count", unreadCount)
        writer.member("last_read_message_id", lastRead)
        writer.member("last_read_at", lastReadAt)
        writer.member("parent_id", parent)
        writer.member("children_count", topicsCount)
        writer.member("message_edit_period", editPeriod)
        writer.member("message_deletion_mode", names: deletionModes)
        writer.endObject()
    }

    private func encodeMessages(into writer: inout JSONWriter) {
        writer.key("messages")
        writer.beginObject()
        writer.member("count", messagesCount)
        writer.member("last_message_id", lastMessage)
        writer.member("last_message_created_at", lastMessageAt)
        writer.member("last_message_updated_at", lastMessageUpdatedAt)
        if let preview {
            writer.key("preview")
            writer.beginObject()
            writer.member("nickname", preview.nickname)
            writer.member("text", preview.text)
            writer.member("image_url", preview.imageURL)
            writer.endObject()
        }
        writer.endObject()
    }

    /// Reads what `encode` wrote.
    public init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        self = try reader.logged("group") { (reader) throws(Mismatch) in
            try GroupMe.GroupRecord(reading: &reader, .milliseconds).group
        }
    }
}

extension GroupMe.GroupRecord {
    /// Reads a group of an answer, the cut-down one of `membership.create`, and what Weir wrote.
    init(reading reader: inout JSONReader, _ form: InstantForm, _ sieve: RowSieve? = nil)
        throws(Mismatch)
    {
        var group = GroupMe.Group(id: "")
        var ids: (own: GroupMe.GroupID?, group: GroupMe.GroupID?)
        var members: [GroupMe.Member]?
        let start = try reader.open()
        while let key = try reader.field() {
            if try reader.isNull() { continue }
            if reader.isNamed(key, "id") {
                ids.own = try reader.groupMeID()
            } else if reader.isNamed(key, "group_id") {
                ids.group = try reader.groupMeID()
            } else if reader.isNamed(key, "members") {
                members = try GroupMe.Member.list(reading: &reader, of: "", sieve)
            } else if try !group.take(key, from: &reader, form),
                try !group.takeState(key, from: &reader, form)
            {
                try reader.pass()
            }
        }
        let id = try (ids.own ?? ids.group).required("id", at: start)
        group.id = id
        if form == .wire {
            // Without its members a group says that it has none (3.3).
            group.membersCount = members?.count ?? group.membersCount.flatMap { $0 == 0 ? nil : $0 }
            if group.lastMessage == nil { group.preview = nil }
        }
        self.init(group, members: members?.map { $0.moved(to: id) })
    }
}

extension GroupMe.Group {
    fileprivate mutating func take(
        _ key: JSONKey, from reader: inout JSONReader, _ form: InstantForm
    ) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "name") {
            name = try reader.text()
        } else if reader.isNamed(key, "type") {
            type = GroupMe.GroupType(wire: try reader.text())
        } else if reader.isNamed(key, "description") {
            description = try reader.text().unlessEmpty
        } else if reader.isNamed(key, "image_url") || reader.isNamed(key, "avatar_url") {
            imageURL = try reader.text().unlessEmpty
        } else if reader.isNamed(key, "creator_user_id") || reader.isNamed(key, "creator_id") {
            creator = try reader.groupMeID()
        } else if reader.isNamed(key, "created_at") {
            createdAt = try reader.instantIfAny(form)
        } else if reader.isNamed(key, "updated_at") {
            updatedAt = try reader.instantIfAny(form)
        } else if reader.isNamed(key, "messages") {
            try takeMessages(from: &reader, form)
        } else if reader.isNamed(key, "members_count") {
            membersCount = try reader.countIfAny()
        } else if reader.isNamed(key, "max_members") || reader.isNamed(key, "max_memberships") {
            mostMembers = try reader.countIfAny()
        } else if reader.isNamed(key, "share_url") {
            shareURL = try reader.text().unlessEmpty
        } else if reader.isNamed(key, "like_icon") {
            likeIcon = try GroupMe.ReactionSymbol.ifAny(reading: &reader)
        } else if reader.isNamed(key, "theme_name") {
            theme = try reader.text().unlessEmpty
        } else {
            return false
        }
        return true
    }

    fileprivate mutating func takeState(
        _ key: JSONKey, from reader: inout JSONReader, _ form: InstantForm
    ) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "muted_until") {
            mutedUntil = try reader.instantIfAny(form)
        } else if reader.isNamed(key, "requires_approval") {
            requiresApproval = try reader.flagIfAny()
        } else if reader.isNamed(key, "unread_count") {
            unreadCount = try reader.countIfAny()
        } else if reader.isNamed(key, "last_read_message_id") {
            lastRead = try reader.groupMeID()
        } else if reader.isNamed(key, "last_read_at") {
            lastReadAt = try reader.instantIfAny(form)
        } else if reader.isNamed(key, "parent_id") {
            parent = try reader.groupMeID()
        } else if reader.isNamed(key, "children_count") {
            topicsCount = try reader.countIfAny()
        } else if reader.isNamed(key, "message_edit_period") {
            editPeriod = try reader.countIfAny()
        } else if reader.isNamed(key, "message_deletion_mode") {
            deletionModes = try reader.loggedTexts()
        } else {
            return false
        }
        return true
    }

    private mutating func takeMessages(from reader: inout JSONReader, _ form: InstantForm) throws(Mismatch) {
        guard try reader.openIfAny() else { return }
        while let key = try reader.field() {
            if try reader.isNull() { continue }
            if reader.isNamed(key, "count") {
                messagesCount = try reader.countIfAny()
            } else if reader.isNamed(key, "last_message_id") {
                lastMessage = try reader.groupMeID()
            } else if reader.isNamed(key, "last_message_created_at") {
                lastMessageAt = try reader.instantIfAny(form)
            } else if reader.isNamed(key, "last_message_updated_at") {
                lastMessageUpdatedAt = try reader.instantIfAny(form)
            } else if reader.isNamed(key, "preview") {
                preview = try Preview.ifAny(reading: &reader)
            } else {
                try reader.pass()
            }
        }
    }
}

extension GroupMe.Group.Preview {
    fileprivate static func ifAny(reading reader: inout JSONReader) throws(Mismatch) -> Self? {
        guard try reader.openIfAny() else { return nil }
        var preview = Self()
        while let key = try reader.field() {
            if reader.isNamed(key, "nickname") {
                preview.nickname = try reader.textIfAny()
            } else if reader.isNamed(key, "text") {
                preview.text = try reader.textIfAny()
            } else if reader.isNamed(key, "image_url") {
                preview.imageURL = try reader.textIfAny()?.unlessEmpty
            } else {
                try reader.pass()
            }
        }
        return preview
    }
}
