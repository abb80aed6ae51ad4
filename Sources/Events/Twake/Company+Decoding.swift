import JSONText

extension Twake.Company {
    init(reading reader: inout JSONReader) throws(Mismatch) {
        self.init(id: .none)
        let start = try reader.open()
        while let key = try reader.field() {
            if try takeIdentity(key, from: &reader) { continue }
            if reader.isNamed(key, "total_members") {
                membersCount = try reader.countIfAny()
            } else if reader.isNamed(key, "stats") {
                try takeStatistics(from: &reader)
            } else if reader.isNamed(key, "plan") {
                plan = try Plan.ifAny(reading: &reader)
            } else if reader.isNamed(key, "notification_rooms") {
                guard try reader.openListIfAny() else { continue }
                while try reader.another() { notificationRooms.append(try reader.text()) }
            } else {
                try reader.pass()
            }
        }
        try id.require("id", at: start)
    }

    private mutating func takeIdentity(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "id") {
            id = try reader.id()
        } else if reader.isNamed(key, "name") {
            name = try reader.textIfAny() ?? ""
        } else if reader.isNamed(key, "logo") {
            logo = try reader.textIfAny()?.unlessEmpty
        } else if reader.isNamed(key, "role") {
            role = try Twake.Role.ifAny(reading: &reader)
        } else if reader.isNamed(key, "permissions") {
            permissions = try Twake.Permission.list(reading: &reader)
        } else if reader.isNamed(key, "status") {
            status = try reader.textIfAny()?.unlessEmpty
        } else {
            return false
        }
        return true
    }

    private mutating func takeStatistics(from reader: inout JSONReader) throws(Mismatch) {
        guard try reader.openIfAny() else { return }
        while let key = try reader.field() {
            if reader.isNamed(key, "total_members") {
                membersCount = try reader.countIfAny()
            } else if reader.isNamed(key, "total_guests") {
                guestsCount = try reader.countIfAny()
            } else if reader.isNamed(key, "created_at") {
                createdAt = try reader.timeUnlessZero()
            } else {
                try reader.pass()
            }
        }
    }
}

extension Twake.Company.Plan {
    /// Nil for null.
    fileprivate static func ifAny(reading reader: inout JSONReader) throws(Mismatch) -> Self? {
        guard try reader.openIfAny() else { return nil }
        var plan = Self()
        while let key = try reader.field() {
            if reader.isNamed(key, "name") {
                plan.name = try reader.textIfAny()?.unlessEmpty
            } else if reader.isNamed(key, "limits") {
                try plan.takeLimits(from: &reader)
            } else {
                try reader.pass()
            }
        }
        return plan
    }

    private mutating func takeLimits(from reader: inout JSONReader) throws(Mismatch) {
        guard try reader.openIfAny() else { return }
        while let key = try reader.field() {
            if reader.isNamed(key, "members") {
                members = try reader.countIfAny()
            } else if reader.isNamed(key, "guests") {
                guests = try reader.countIfAny()
            } else if reader.isNamed(key, "storage") {
                storage = try reader.countIfAny()
            } else {
                try reader.pass()
            }
        }
    }
}

extension Twake.Workspace {
    init(reading reader: inout JSONReader) throws(Mismatch) {
        self.init(id: .none)
        let start = try reader.open()
        while let key = try reader.field() {
            if try takeIdentity(key, from: &reader) { continue }
            if try takeState(key, from: &reader) { continue }
            try reader.pass()
        }
        try id.require("id", at: start)
    }

    private mutating func takeIdentity(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "id") {
            id = try reader.id()
        } else if reader.isNamed(key, "company_id") {
            company = try reader.idIfAny()
        } else if reader.isNamed(key, "name") {
            name = try reader.textIfAny() ?? ""
        } else if reader.isNamed(key, "logo") {
            logo = try reader.textIfAny()?.unlessEmpty
        } else if reader.isNamed(key, "color") {
            color = try reader.textIfAny()?.unlessEmpty
        } else if reader.isNamed(key, "role") {
            role = try Twake.Role.ifAny(reading: &reader)
        } else if reader.isNamed(key, "permissions") {
            permissions = try Twake.Permission.list(reading: &reader)
        } else {
            return false
        }
        return true
    }

    private mutating func takeState(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "total_members") {
            membersCount = try reader.countIfAny()
        } else if reader.isNamed(key, "user_last_access") {
            lastAccess = try reader.timeIfAny()
        } else if reader.isNamed(key, "private") {
            isPrivate = try reader.flagIfAny()
        } else if reader.isNamed(key, "default") {
            isDefault = try reader.flagIfAny()
        } else if reader.isNamed(key, "archived") || reader.isNamed(key, "is_archived") {
            isArchived = try reader.flagIfAny() ?? false
        } else if reader.isNamed(key, "stats") {
            guard try reader.openIfAny() else { return true }
            while let key = try reader.field() {
                if reader.isNamed(key, "total_members") {
                    membersCount = try reader.countIfAny()
                } else if reader.isNamed(key, "created_at") {
                    createdAt = try reader.timeUnlessZero()
                } else {
                    try reader.pass()
                }
            }
        } else {
            return false
        }
        return true
    }
}

extension JSONReader {
    /// A point in time, or nil for null and for the 0 that stands for none.
    mutating func timeUnlessZero() throws(Mismatch) -> Timestamp? {
        guard let time = try timeIfAny(), time.milliseconds != 0 else { return nil }
        return time
    }
}
