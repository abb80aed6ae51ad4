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
