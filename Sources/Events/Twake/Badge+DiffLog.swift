public import JSONText

extension Twake.Badge {
    /// Writes the badge as a JSON object; nil fields are left out.
    public func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("company_id", company)
        writer.member("workspace_id", workspace)
        writer.member("channel_id", channel)
        writer.member("thread_id", thread)
        writer.member("user_id", user)
        writer.member("message_id", message)
        writer.endObject()
    }

    /// Reads what `encode` wrote.
    public init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        self = try reader.logged("badge", Self.init(logged:))
    }

    private init(logged reader: inout JSONReader) throws(Mismatch) {
        var ids: (company: EntityID?, workspace: EntityID?, channel: EntityID?, thread: EntityID?)
        var loggedUser: EntityID?
        var loggedMessage: EntityID?
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "company_id") {
                ids.company = try reader.loggedID()
            } else if reader.isNamed(key, "workspace_id") {
                ids.workspace = try reader.loggedID()
            } else if reader.isNamed(key, "channel_id") {
                ids.channel = try reader.loggedID()
            } else if reader.isNamed(key, "thread_id") {
                ids.thread = try reader.loggedID()
            } else if reader.isNamed(key, "user_id") {
                loggedUser = try reader.loggedID()
            } else if reader.isNamed(key, "message_id") {
                loggedMessage = try reader.loggedID()
            } else {
                try reader.pass()
            }
        }
        self.init(
            company: try ids.company.required("company_id", at: start),
            workspace: try ids.workspace.required("workspace_id", at: start),
            channel: try ids.channel.required("channel_id", at: start),
            thread: try ids.thread.required("thread_id", at: start), user: loggedUser, message: loggedMessage)
    }
}

extension Twake.BadgeCount {
    /// Writes the counter as a JSON object.
    public func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("type", level.wireName)
        writer.member("id", id)
        writer.member("count", count)
        writer.endObject()
    }

    /// Reads what `encode` wrote.
    public init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        self = try reader.logged("badge count", Self.init(logged:))
    }

    private init(logged reader: inout JSONReader) throws(Mismatch) {
        var loggedLevel: Level?
        var loggedID: EntityID?
        var loggedCount: Int?
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "type") {
                loggedLevel = Level(wire: try reader.text())
            } else if reader.isNamed(key, "id") {
                loggedID = try reader.loggedID()
            } else if reader.isNamed(key, "count") {
                loggedCount = try reader.loggedCount()
            } else {
                try reader.pass()
            }
        }
        self.init(
            level: try loggedLevel.required("type", at: start), id: try loggedID.required("id", at: start),
            count: try loggedCount.required("count", at: start))
    }
}
