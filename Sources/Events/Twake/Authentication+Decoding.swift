import JSONText

extension Twake.Authentication {
    /// Reads `{"token",…}` (A) or `{"access_token":{"value",…}}` (B).
    init(reading reader: inout JSONReader) throws(Mismatch) {
        var fields = AuthenticationFields()
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "access_token") {
                guard try reader.openIfAny() else { continue }
                while let key = try reader.field() { try fields.take(key, from: &reader) }
            } else {
                try fields.take(key, from: &reader)
            }
        }
        self.init(
            token: try fields.token.required("token", at: start),
            expiration: try fields.expiration.required("expiration", at: start), refreshToken: fields.refreshToken,
            refreshExpiration: fields.refreshExpiration, issuedAt: fields.issuedAt)
    }
}

/// An authentication while it is read.
private struct AuthenticationFields {
    var token: String?
    var expiration: Timestamp?
    var refreshToken: String?
    var refreshExpiration: Timestamp?
    var issuedAt: Timestamp?

    mutating func take(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) {
        if reader.isNamed(key, "token") || reader.isNamed(key, "value") {
            token = try reader.textIfAny()?.unlessEmpty
        } else if reader.isNamed(key, "expiration") {
            expiration = try reader.timeIfAny()
        } else if reader.isNamed(key, "refresh_token") || reader.isNamed(key, "refresh") {
            refreshToken = try reader.textIfAny()?.unlessEmpty
        } else if reader.isNamed(key, "refresh_expiration") {
            refreshExpiration = try reader.timeIfAny()
        } else if reader.isNamed(key, "time") {
            issuedAt = try reader.timeIfAny()
        } else {
            try reader.pass()
        }
    }
}

extension Twake.Thread {
    init(reading reader: inout JSONReader) throws(Mismatch) {
        self.init(id: .none)
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "id") {
                id = try reader.id()
            } else if reader.isNamed(key, "created_by") {
                createdBy = try reader.idIfAny()
            } else if reader.isNamed(key, "created_at") {
                createdAt = try reader.timeIfAny()
            } else if reader.isNamed(key, "updated_at") {
                updatedAt = try reader.timeIfAny()
            } else if reader.isNamed(key, "last_activity") {
                lastActivity = try reader.timeIfAny()
            } else if reader.isNamed(key, "answers") {
                answers = try reader.countIfAny()
            } else if reader.isNamed(key, "participants") {
                guard try reader.openListIfAny() else { continue }
                while try reader.another() { participants.append(try Participant(reading: &reader)) }
            } else if reader.isNamed(key, "message") {
                if try reader.kind() == .null { try reader.pass() } else { message = try Twake.Message.read(&reader) }
            } else {
                try reader.pass()
            }
        }
        try id.require("id", at: start)
    }
}

extension Twake.Thread.Participant {
    fileprivate init(reading reader: inout JSONReader) throws(Mismatch) {
        self.init(type: nil, id: .none)
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "type") {
                type = try reader.textIfAny()
            } else if reader.isNamed(key, "id") {
                id = try reader.id()
            } else if reader.isNamed(key, "company_id") {
                company = try reader.idIfAny()
            } else if reader.isNamed(key, "workspace_id") {
                workspace = try reader.idIfAny()
            } else if reader.isNamed(key, "created_at") {
                createdAt = try reader.timeIfAny()
            } else if reader.isNamed(key, "created_by") {
                createdBy = try reader.idIfAny()
            } else {
                try reader.pass()
            }
        }
        try id.require("id", at: start)
    }
}
