public import JSONText

extension Twake.Company {
    /// Writes the company as a JSON object; nil fields are left out.
    public func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id)
        writer.member("name", name)
        writer.member("logo", logo)
        writer.member("members_count", membersCount)
        writer.member("guests_count", guestsCount)
        writer.member("created_at", createdAt)
        writer.member("role", role?.wireName)
        writer.member("permissions", permissions.map(\.wireName))
        writer.member("status", status)
        if let plan {
            writer.key("plan")
            writer.beginObject()
            writer.member("name", plan.name)
            writer.member("members", plan.members)
            writer.member("guests", plan.guests)
            writer.member("storage", plan.storage)
            writer.endObject()
        }
        writer.member("notification_rooms", notificationRooms)
        writer.endObject()
    }

    /// Reads what `encode` wrote.
    public init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        self = try reader.logged("company", Self.init(logged:))
    }

    private init(logged reader: inout JSONReader) throws(Mismatch) {
        self.init(id: .text(""))
        var loggedID: EntityID?
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "id") {
                loggedID = try reader.loggedID()
            } else if reader.isNamed(key, "plan") {
                plan = try Plan(logged: &reader)
            } else if try !takeLogged(key, from: &reader) {
                try reader.pass()
            }
        }
        id = try loggedID.required("id", at: start)
    }

    private mutating func takeLogged(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "name") {
            name = try reader.text()
        } else if reader.isNamed(key, "logo") {
            logo = try reader.text()
        } else if reader.isNamed(key, "members_count") {
            membersCount = try reader.loggedCount()
        } else if reader.isNamed(key, "guests_count") {
            guestsCount = try reader.loggedCount()
        } else if reader.isNamed(key, "created_at") {
            createdAt = try reader.loggedTime()
        } else if reader.isNamed(key, "role") {
            role = Twake.Role(wire: try reader.text())
        } else if reader.isNamed(key, "permissions") {
            permissions = try reader.loggedTexts().map { Twake.Permission(wire: $0) }
        } else if reader.isNamed(key, "status") {
            status = try reader.text()
        } else if reader.isNamed(key, "notification_rooms") {
            notificationRooms = try reader.loggedTexts()
        } else {
            return false
        }
        return true
    }
}

extension Twake.Company.Plan {
    fileprivate init(logged reader: inout JSONReader) throws(Mismatch) {
        self.init()
        _ = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "name") {
                name = try reader.text()
            } else if reader.isNamed(key, "members") {
                members = try reader.loggedCount()
            } else if reader.isNamed(key, "guests") {
                guests = try reader.loggedCount()
            } else if reader.isNamed(key, "storage") {
                storage = try reader.loggedCount()
            } else {
                try reader.pass()
            }
        }
    }
}

extension Twake.Workspace {
    /// Writes the workspace as a JSON object; nil fields are left out.
    public func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id)
        writer.member("company_id", company)
        writer.member("name", name)
        writer.member("logo", logo)
        writer.member("color", color)
        writer.member("members_count", membersCount)
        writer.member("created_at", createdAt)
        writer.member("user_last_access", lastAccess)
        writer.member("role", role?.wireName)
        writer.member("permissions", permissions.map(\.wireName))
        writer.member("private", isPrivate)
        writer.member("default", isDefault)
        writer.member("archived", isArchived ? true : nil)
        writer.endObject()
    }

    /// Reads what `encode` wrote.
    public init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        self = try reader.logged("workspace", Self.init(logged:))
    }

    private init(logged reader: inout JSONReader) throws(Mismatch) {
        self.init(id: .text(""))
        var loggedID: EntityID?
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "id") {
                loggedID = try reader.loggedID()
            } else if reader.isNamed(key, "company_id") {
                company = try reader.loggedID()
            } else if try !takeLogged(key, from: &reader), try !takeLoggedRest(key, from: &reader) {
                try reader.pass()
            }
        }
        id = try loggedID.required("id", at: start)
    }

    private mutating func takeLogged(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "name") {
            name = try reader.text()
        } else if reader.isNamed(key, "logo") {
            logo = try reader.text()
        } else if reader.isNamed(key, "color") {
            color = try reader.text()
        } else if reader.isNamed(key, "members_count") {
            membersCount = try reader.loggedCount()
        } else if reader.isNamed(key, "created_at") {
            createdAt = try reader.loggedTime()
        } else if reader.isNamed(key, "user_last_access") {
            lastAccess = try reader.loggedTime()
        } else {
            return false
        }
        return true
    }

    private mutating func takeLoggedRest(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "role") {
            role = Twake.Role(wire: try reader.text())
        } else if reader.isNamed(key, "permissions") {
            permissions = try reader.loggedTexts().map { Twake.Permission(wire: $0) }
        } else if reader.isNamed(key, "private") {
            isPrivate = try reader.loggedFlag()
        } else if reader.isNamed(key, "default") {
            isDefault = try reader.loggedFlag()
        } else if reader.isNamed(key, "archived") {
            isArchived = try reader.loggedFlag()
        } else {
            return false
        }
        return true
    }
}
