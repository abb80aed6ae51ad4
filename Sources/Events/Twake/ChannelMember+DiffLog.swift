public import JSONText

extension Twake.ChannelMember {
    /// Writes the membership as a JSON object; nil fields are left out.
    public func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("channel_id", channel)
        writer.member("company_id", company)
        writer.member("workspace_id", workspace)
        writer.member("user_id", user)
        writer.member("type", type?.wireName)
        writer.member("last_access", lastAccess)
        writer.member("favorite", isFavorite)
        writer.member("notification_level", notificationLevel?.wireName)
        writer.member("updated_at", updatedAt)
        writer.member("created_at", createdAt)
        writer.member("expiration", expiration)
        writer.member("last_increment", lastIncrement)
        writer.member("email", email)
        writer.endObject()
    }

    /// Reads what `encode` wrote.
    public init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        self = try reader.logged("member", Self.init(logged:))
    }

    private init(logged reader: inout JSONReader) throws(Mismatch) {
        self.init(channel: .text(""))
        var loggedChannel: EntityID?
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "channel_id") {
                loggedChannel = try reader.loggedID()
            } else if reader.isNamed(key, "company_id") {
                company = try reader.loggedID()
            } else if reader.isNamed(key, "workspace_id") {
                workspace = try reader.loggedID()
            } else if reader.isNamed(key, "user_id") {
                user = try reader.loggedID()
            } else if try !takeLogged(key, from: &reader) {
                try reader.pass()
            }
        }
        channel = try loggedChannel.required("channel_id", at: start)
    }

    private mutating func takeLogged(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "type") {
            type = Twake.MemberType(wire: try reader.text())
        } else if reader.isNamed(key, "last_access") {
            lastAccess = try reader.loggedTime()
        } else if reader.isNamed(key, "favorite") {
            isFavorite = try reader.loggedFlag()
        } else if reader.isNamed(key, "notification_level") {
            notificationLevel = Twake.NotificationLevel(wire: try reader.text())
        } else if reader.isNamed(key, "updated_at") {
            updatedAt = try reader.loggedTime()
        } else if reader.isNamed(key, "created_at") {
            createdAt = try reader.loggedTime()
        } else if reader.isNamed(key, "expiration") {
            expiration = try reader.loggedTime()
        } else if reader.isNamed(key, "last_increment") {
            lastIncrement = try reader.loggedCount()
        } else if reader.isNamed(key, "email") {
            email = try reader.text()
        } else {
            return false
        }
        return true
    }
}
