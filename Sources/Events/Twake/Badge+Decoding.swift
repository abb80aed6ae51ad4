import JSONText

extension Twake.Badge {
    init(reading reader: inout JSONReader) throws(Mismatch) {
        var company: EntityID?
        var workspace: EntityID?
        var channel: EntityID?
        var thread: EntityID?
        var user: EntityID?
        var message: EntityID?
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "company_id") {
                company = try reader.idIfAny()
            } else if reader.isNamed(key, "workspace_id") {
                workspace = try reader.idIfAny()
            } else if reader.isNamed(key, "channel_id") {
                channel = try reader.idIfAny()
            } else if reader.isNamed(key, "thread_id") {
                thread = try reader.idIfAny()
            } else if reader.isNamed(key, "user_id") {
                user = try reader.idIfAny()
            } else if reader.isNamed(key, "message_id") {
                message = try reader.idIfAny()
            } else {
                try reader.pass()
            }
        }
        self.init(
            company: try company.required("company_id", at: start),
            workspace: try workspace.required("workspace_id", at: start),
            channel: try channel.required("channel_id", at: start),
            thread: try (thread ?? message).required("thread_id", at: start), user: user, message: message)
    }
}

extension Twake.BadgeCount {
    init(reading reader: inout JSONReader) throws(Mismatch) {
        var level: Level?
        var id: EntityID?
        var count: Int?
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "type") {
                level = try reader.textIfAny().map { Level(wire: $0) }
            } else if reader.isNamed(key, "id") {
                id = try reader.idIfAny()
            } else if reader.isNamed(key, "count") {
                count = try reader.countIfAny()
            } else {
                try reader.pass()
            }
        }
        self.init(
            level: try level.required("type", at: start), id: try id.required("id", at: start),
            count: try count.required("count", at: start))
    }
}
