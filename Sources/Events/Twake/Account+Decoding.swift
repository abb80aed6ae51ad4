import JSONText

extension Twake.Account {
    init(reading reader: inout JSONReader) throws(Mismatch) {
        self.init(id: .none)
        let start = try reader.open()
        while let key = try reader.field() {
            if try takeName(key, from: &reader) { continue }
            if try takeState(key, from: &reader) { continue }
            if try takeOwn(key, from: &reader) { continue }
            try reader.pass()
        }
        try id.require("id", at: start)
    }

    private mutating func takeName(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "id") {
            id = try reader.id()
        } else if reader.isNamed(key, "email") {
            email = try reader.textIfAny()?.unlessEmpty
        } else if reader.isNamed(key, "username") {
            username = try reader.textIfAny()?.unlessEmpty
        } else if reader.isNamed(key, "firstname") || reader.isNamed(key, "first_name") {
            firstName = try reader.textIfAny()?.unlessEmpty
        } else if reader.isNamed(key, "lastname") || reader.isNamed(key, "last_name") {
            lastName = try reader.textIfAny()?.unlessEmpty
        } else if reader.isNamed(key, "full_name") {
            fullName = try reader.textIfAny()?.unlessEmpty
        } else if reader.isNamed(key, "thumbnail") || reader.isNamed(key, "picture") {
            picture = try reader.textIfAny()?.unlessEmpty
        } else {
            return false
        }
        return true
    }

    private mutating func takeState(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "provider") {
            provider = try reader.textIfAny()?.unlessEmpty
        } else if reader.isNamed(key, "provider_id") || reader.isNamed(key, "console_id") {
            providerID = try reader.idIfAny()
        } else if reader.isNamed(key, "status") {
            status = try reader.wordsIfAny()
        } else if reader.isNamed(key, "status_icon") {
            statusIcon = try reader.wordsIfAny()
        } else if reader.isNamed(key, "last_activity") {
            lastActivity = try reader.timeIfAny()
        } else if reader.isNamed(key, "created_at") {
            createdAt = try reader.timeIfAny()
        } else if reader.isNamed(key, "is_verified") {
            isVerified = try reader.flagIfAny()
        } else if reader.isNamed(key, "deleted") {
            isDeleted = try reader.flagIfAny() ?? false
        } else {
            return false
        }
        return true
    }

    private mutating func takeOwn(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "language") {
            language = try reader.textIfAny()?.unlessEmpty ?? language
        } else if reader.isNamed(key, "preference") {
            preference = try Preference.ifAny(reading: &reader)
            language = preference?.locale ?? language
        } else if reader.isNamed(key, "companies") {
            guard try reader.openListIfAny() else { return true }
            while try reader.another() { companies.append(try Employment(reading: &reader)) }
        } else {
            return false
        }
        return true
    }
}

extension JSONReader {
    /// A text, or nil for null, the empty string and whatever is no text: people read it, and nothing follows from it.
    fileprivate mutating func wordsIfAny() throws(Mismatch) -> String? {
        if try kind() == .string { return try text().unlessEmpty }
        try pass()
        return nil
    }
}

extension Twake.Account.Preference {
    /// Nil for null.
    fileprivate static func ifAny(reading reader: inout JSONReader) throws(Mismatch) -> Self? {
        guard try reader.openIfAny() else { return nil }
        var preference = Self(locale: nil, timezone: nil, allowTracking: nil)
        while let key = try reader.field() {
            if reader.isNamed(key, "locale") {
                preference.locale = try reader.textIfAny()?.unlessEmpty
            } else if reader.isNamed(key, "timezone") {
                preference.timezone = try reader.integerIfAny().map { Int(clamping: $0) }
            } else if reader.isNamed(key, "allow_tracking") {
                preference.allowTracking = try reader.flagIfAny()
            } else {
                try reader.pass()
            }
        }
        return preference
    }
}

extension Twake.Account.Employment {
    fileprivate init(reading reader: inout JSONReader) throws(Mismatch) {
        var company: Twake.Company?
        var role: Twake.Role?
        var status: String?
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "company") {
                company = try Twake.Company(reading: &reader)
            } else if reader.isNamed(key, "role") {
                role = try Twake.Role.ifAny(reading: &reader)
            } else if reader.isNamed(key, "status") {
                status = try reader.textIfAny()?.unlessEmpty
            } else {
                try reader.pass()
            }
        }
        self.init(role: role, status: status, company: try company.required("company", at: start))
    }
}

extension Twake.WorkspaceUser {
    /// Reads `{"user_id","user":{…},…}`.
    init(reading reader: inout JSONReader) throws(Mismatch) {
        var user: Twake.Account?
        var id: EntityID?
        self.init(user: Twake.Account(id: .none))
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "user") {
                if try reader.kind() == .null { try reader.pass() } else { user = try Twake.Account(reading: &reader) }
            } else if reader.isNamed(key, "user_id") {
                id = try reader.idIfAny()
            } else if reader.isNamed(key, "company_id") {
                company = try reader.idIfAny()
            } else if reader.isNamed(key, "workspace_id") {
                workspace = try reader.idIfAny()
            } else if reader.isNamed(key, "role") {
                role = try Twake.Role.ifAny(reading: &reader)
            } else if reader.isNamed(key, "created_at") {
                createdAt = try reader.timeIfAny()
            } else {
                try reader.pass()
            }
        }
        self.user = try (user ?? id.map { Twake.Account(id: $0) }).required("user_id", at: start)
    }
}

extension Twake.CompanyUser {
    init(reading reader: inout JSONReader) throws(Mismatch) {
        self.init(user: .none)
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "user_id") {
                user = try reader.id()
            } else if reader.isNamed(key, "group_id") || reader.isNamed(key, "company_id") {
                company = try reader.idIfAny()
            } else if reader.isNamed(key, "role") {
                role = try Twake.Role.ifAny(reading: &reader)
            } else if reader.isNamed(key, "applications") {
                applications = try reader.ids()
            } else if reader.isNamed(key, "date_added") {
                addedAt = try reader.timeIfAny()
            } else {
                try reader.pass()
            }
        }
        try user.require("user_id", at: start)
    }
}
