public import JSONText

extension Twake.OnlineStatus {
    /// Writes the presence as a JSON object; nil fields are left out.
    public func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("user_id", user)
        writer.member("company_id", company)
        writer.member("online", isOnline)
        writer.member("last_seen", lastSeen)
        writer.endObject()
    }

    /// Reads what `encode` wrote.
    public init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        self = try reader.logged("presence", Self.init(logged:))
    }

    private init(logged reader: inout JSONReader) throws(Mismatch) {
        var loggedUser: EntityID?
        var loggedFlag: Bool?
        var (loggedCompany, loggedTime): (EntityID?, Timestamp?)
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "user_id") {
                loggedUser = try reader.loggedID()
            } else if reader.isNamed(key, "company_id") {
                loggedCompany = try reader.loggedID()
            } else if reader.isNamed(key, "online") {
                loggedFlag = try reader.loggedFlag()
            } else if reader.isNamed(key, "last_seen") {
                loggedTime = try reader.loggedTime()
            } else {
                try reader.pass()
            }
        }
        self.init(
            user: try loggedUser.required("user_id", at: start), isOnline: try loggedFlag.required("online", at: start),
            company: loggedCompany)
        lastSeen = loggedTime
    }
}
