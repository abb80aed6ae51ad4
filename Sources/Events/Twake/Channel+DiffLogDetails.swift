import JSONText

extension Twake.Channel.Profile {
    /// Writes what few frames say of a channel.
    func encodeDetails(into writer: inout JSONWriter) {
        writer.member("created_at", createdAt)
        if isDefault { writer.member("is_default", true) }
        guard let details = details?.value else { return }
        writer.member("member_type", details.memberType?.wireName)
        writer.member("favorite", details.isFavorite)
        writer.member("notification_level", details.notificationLevel?.wireName)
        writer.member("is_member", details.isMember)
        writer.member("role", details.role?.wireName)
        if !details.permissions.isEmpty {
            writer.key("permissions")
            writer.beginArray()
            for permission in details.permissions { writer.string(permission.wireName) }
            writer.endArray()
        }
        writer.member("members_count", details.statedMembersCount)
        writer.member("messages_count", details.messagesCount)
        writer.member("is_readonly", details.isReadOnly)
        writer.member("archived_at", details.archivedAt)
        writer.member("channel_group", details.group)
        writer.member("connectors", details.connectors)
    }

    mutating func takeLoggedDetail(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "created_at") {
            createdAt = try reader.loggedTime()
        } else if reader.isNamed(key, "is_default") {
            isDefault = try reader.loggedFlag()
        } else if reader.isNamed(key, "member_type") {
            memberType = Twake.MemberType(wire: try reader.text())
        } else if reader.isNamed(key, "favorite") {
            isFavorite = try reader.loggedFlag()
        } else if reader.isNamed(key, "notification_level") {
            notificationLevel = Twake.NotificationLevel(wire: try reader.text())
        } else if reader.isNamed(key, "is_member") {
            isMember = try reader.loggedFlag()
        } else {
            return try takeLoggedRest(key, from: &reader)
        }
        return true
    }

    private mutating func takeLoggedRest(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "role") {
            role = Twake.Role(wire: try reader.text())
        } else if reader.isNamed(key, "permissions") {
            var permissions: [Twake.Permission] = []
            guard try reader.openListIfAny() else { return true }
            while try reader.another() { permissions.append(Twake.Permission(wire: try reader.text())) }
            self.permissions = permissions
        } else if reader.isNamed(key, "members_count") {
            statedMembersCount = try reader.loggedCount()
        } else if reader.isNamed(key, "messages_count") {
            messagesCount = try reader.loggedCount()
        } else if reader.isNamed(key, "is_readonly") {
            isReadOnly = try reader.loggedFlag()
        } else if reader.isNamed(key, "archived_at") {
            archivedAt = try reader.loggedTime()
        } else if reader.isNamed(key, "channel_group") {
            group = try reader.text()
        } else if reader.isNamed(key, "connectors") {
            connectors = try reader.loggedText()
        } else {
            return false
        }
        return true
    }
}
