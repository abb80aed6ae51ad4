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

/// The fields of an authentication while it is being read.
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

extension Twake.Thread: FieldedEntity {
    package static let subject = "thread"
    package static let blank = Self(id: .none)
    package static let fields: [Field<Self>] = [
        Field("id", at: \.id).required,
        Field("created_by", at: \.createdBy),
        Field("created_at", at: \.createdAt),
        Field("updated_at", at: \.updatedAt),
        Field("last_activity", at: \.lastActivity),
        Field("answers", at: \.answers),
        Field("participants", at: \.participants),
        .sent("message") { thread, reader throws(Mismatch) in
            thread.message = try reader.isNull() ? nil : Twake.Message.read(&reader)
        },
    ]
}

extension Twake.Thread.Participant: FieldedEntity, FieldScalar {
    package static let subject = "participant"
    package static let blank = Self(type: nil, id: .none)
    package static let fields: [Field<Self>] = [
        Field("type", at: \.type),
        Field("id", at: \.id).required,
        Field("company_id", at: \.company),
        Field("workspace_id", at: \.workspace),
        Field("created_at", at: \.createdAt),
        Field("created_by", at: \.createdBy),
    ]
}
