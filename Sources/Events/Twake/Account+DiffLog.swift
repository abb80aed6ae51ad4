public import JSONText

extension Twake.Account {
    /// The account as others may see it, without what the user chose and where else they belong: what a row of a model shows.
    public var publicPart: Twake.Account {
        var account = self
        account.preference = nil
        account.companies = []
        return account
    }

    /// Writes the public part of the account as a JSON object; nil fields are left out.
    public func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id)
        // What people call the user; not read back, since it follows from the others.
        writer.member("name", name)
        writer.member("full_name", fullName)
        writer.member("first_name", firstName)
        writer.member("last_name", lastName)
        writer.member("username", username)
        writer.member("email", email)
        writer.member("picture", picture)
        writer.member("provider", provider)
        writer.member("provider_id", providerID)
        writer.member("status", status)
        writer.member("status_icon", statusIcon)
        writer.member("language", language)
        writer.member("last_activity", lastActivity)
        writer.member("created_at", createdAt)
        writer.member("is_verified", isVerified)
        writer.member("deleted", isDeleted ? true : nil)
        writer.endObject()
    }

    /// Reads what `encode` wrote.
    public init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        self = try reader.logged("account", Self.init(logged:))
    }

    private init(logged reader: inout JSONReader) throws(Mismatch) {
        self.init(id: .text(""))
        var loggedID: EntityID?
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "id") {
                loggedID = try reader.loggedID()
            } else if try !takeLoggedName(key, from: &reader), try !takeLogged(key, from: &reader) {
                try reader.pass()
            }
        }
        id = try loggedID.required("id", at: start)
    }

    private mutating func takeLoggedName(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "full_name") {
            fullName = try reader.text()
        } else if reader.isNamed(key, "first_name") {
            firstName = try reader.text()
        } else if reader.isNamed(key, "last_name") {
            lastName = try reader.text()
        } else if reader.isNamed(key, "username") {
            username = try reader.text()
        } else if reader.isNamed(key, "email") {
            email = try reader.text()
        } else if reader.isNamed(key, "picture") {
            picture = try reader.text()
        } else {
            return false
        }
        return true
    }

    private mutating func takeLogged(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "provider") {
            provider = try reader.text()
        } else if reader.isNamed(key, "provider_id") {
            providerID = try reader.loggedID()
        } else if reader.isNamed(key, "status") {
            status = try reader.text()
        } else if reader.isNamed(key, "status_icon") {
            statusIcon = try reader.text()
        } else if reader.isNamed(key, "language") {
            language = try reader.text()
        } else if reader.isNamed(key, "last_activity") {
            lastActivity = try reader.loggedTime()
        } else if reader.isNamed(key, "created_at") {
            createdAt = try reader.loggedTime()
        } else if reader.isNamed(key, "is_verified") {
            isVerified = try reader.loggedFlag()
        } else if reader.isNamed(key, "deleted") {
            isDeleted = try reader.loggedFlag()
        } else {
            return false
        }
        return true
    }
}
