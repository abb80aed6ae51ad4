import JSONText

extension Twake.ChannelTab {
    init(reading reader: inout JSONReader) throws(Mismatch) {
        self.init(id: .none)
        let start = try reader.open()
        while let key = try reader.field() {
            if try takeIdentity(key, from: &reader) { continue }
            if reader.isNamed(key, "name") {
                name = try reader.textIfAny() ?? ""
            } else if reader.isNamed(key, "configuration") {
                configuration = try reader.contentsIfAny()
            } else if reader.isNamed(key, "order") {
                order = try reader.idIfAny()?.description
            } else if reader.isNamed(key, "updated_at") {
                updatedAt = try reader.timeIfAny()
            } else if reader.isNamed(key, "created_at") {
                createdAt = try reader.timeIfAny()
            } else {
                try reader.pass()
            }
        }
        try id.require("id", at: start)
    }

    private mutating func takeIdentity(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "id") {
            id = try reader.id()
        } else if reader.isNamed(key, "channel_id") {
            channel = try reader.idIfAny()
        } else if reader.isNamed(key, "company_id") {
            company = try reader.idIfAny()
        } else if reader.isNamed(key, "workspace_id") {
            workspace = try reader.idIfAny()
        } else if reader.isNamed(key, "application_id") {
            application = try reader.idIfAny()
        } else if reader.isNamed(key, "owner") {
            owner = try reader.idIfAny()
        } else {
            return false
        }
        return true
    }
}

extension Twake.Bookmark {
    init(reading reader: inout JSONReader) throws(Mismatch) {
        self.init(id: .none)
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "id") {
                id = try reader.id()
            } else if reader.isNamed(key, "company_id") {
                company = try reader.idIfAny()
            } else if reader.isNamed(key, "user_id") {
                user = try reader.idIfAny()
            } else if reader.isNamed(key, "name") {
                name = try reader.textIfAny() ?? ""
            } else {
                try reader.pass()
            }
        }
        try id.require("id", at: start)
    }
}

extension Twake.DocumentUpdate {
    init(reading reader: inout JSONReader) throws(Mismatch) {
        self.init(id: .none)
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "id") {
                id = try reader.id()
            } else if reader.isNamed(key, "companyId") || reader.isNamed(key, "company_id") {
                company = try reader.idIfAny()
            } else {
                try reader.pass()
            }
        }
        try id.require("id", at: start)
    }
}
