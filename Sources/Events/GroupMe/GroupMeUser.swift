public import JSONText

extension GroupMe {
    /// A user: oneself (`/users/me`, 3.6), or whom one talks to in a direct. Fields absent or null on the wire are nil, and so are empty
    /// texts.
    public struct User: Hashable, Sendable {
        /// The user's id.
        public var id: UserID
        /// The name.
        public var name: String?
        /// The address of the picture.
        public var imageURL: String?
        /// The address; told to the user alone.
        public var email: String?
        /// The number, `+1 5555550100`; told to the user alone.
        public var phoneNumber: String?
        /// The language, as `en-us`.
        public var locale: String?
        /// Where others can write to the user.
        public var shareURL: String?
        /// When the account was made.
        public var createdAt: Timestamp?
        /// When it last changed.
        public var updatedAt: Timestamp?

        /// A user of whom no more is known.
        public init(id: UserID, name: String? = nil, imageURL: String? = nil) {
            self.id = id
            self.name = name
            self.imageURL = imageURL
        }

        /// The user as others may see them: what a row of a model shows.
        public var publicPart: User {
            var user = self
            user.email = nil
            user.phoneNumber = nil
            return user
        }
    }

    /// Somebody an event names: often by a nickname, and by an id where one is sent (2.2).
    public struct Person: Hashable, Sendable, CustomStringConvertible {
        /// The user; nil where only the name is known, as in the texts of 2014 (2.1).
        public var id: UserID?
        /// The nickname at that time.
        public var nickname: String?

        /// A person.
        public init(id: UserID? = nil, nickname: String? = nil) {
            self.id = id
            self.nickname = nickname
        }

        /// The nickname, else the id.
        public var description: String { nickname ?? id?.description ?? "somebody" }
    }
}

extension GroupMe.User {
    /// Writes the user as a JSON object; nil fields are left out.
    public func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id)
        writer.member("name", name)
        writer.member("image_url", imageURL)
        writer.member("email", email)
        writer.member("phone_number", phoneNumber)
        writer.member("locale", locale)
        writer.member("share_url", shareURL)
        writer.member("created_at", createdAt)
        writer.member("updated_at", updatedAt)
        writer.endObject()
    }

    /// Reads what `encode` wrote.
    public init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        self = try reader.logged("user") { (reader) throws(Mismatch) in try Self(reading: &reader, .milliseconds) }
    }

    /// Reads `/users/me`, the `other_user` of a chat, and what Weir wrote.
    init(reading reader: inout JSONReader, _ form: InstantForm) throws(Mismatch) {
        self.init(id: "")
        var userID: GroupMe.UserID?
        let start = try reader.open()
        while let key = try reader.field() {
            if try reader.isNull() { continue }
            if reader.isNamed(key, "id") {
                userID = try reader.groupMeID() ?? userID
            } else if reader.isNamed(key, "user_id") {
                if userID == nil { userID = try reader.groupMeID() } else { try reader.pass() }
            } else if try !takeName(key, from: &reader), try !takeRest(key, from: &reader, form) {
                try reader.pass()
            }
        }
        id = try userID.required("id", at: start)
    }

    private mutating func takeName(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "name") {
            name = try reader.text().unlessEmpty
        } else if reader.isNamed(key, "image_url") || reader.isNamed(key, "avatar_url") {
            imageURL = try reader.text().unlessEmpty
        } else if reader.isNamed(key, "email") {
            email = try reader.text().unlessEmpty
        } else if reader.isNamed(key, "phone_number") {
            phoneNumber = try reader.text().unlessEmpty
        } else {
            return false
        }
        return true
    }

    private mutating func takeRest(
        _ key: JSONKey, from reader: inout JSONReader, _ form: InstantForm
    ) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "locale") {
            locale = try reader.text().unlessEmpty
        } else if reader.isNamed(key, "share_url") {
            shareURL = try reader.text().unlessEmpty
        } else if reader.isNamed(key, "created_at") {
            createdAt = try reader.instantIfAny(form)
        } else if reader.isNamed(key, "updated_at") {
            updatedAt = try reader.instantIfAny(form)
        } else {
            return false
        }
        return true
    }
}

extension GroupMe.Person {
    /// `{"id":…,"nickname":…}`; nil for null.
    static func ifAny(reading reader: inout JSONReader) throws(Mismatch) -> Self? {
        guard try reader.openIfAny() else { return nil }
        var person = Self()
        while let key = try reader.field() {
            if reader.isNamed(key, "id") {
                person.id = try reader.groupMeID()
            } else if reader.isNamed(key, "nickname") {
                person.nickname = try reader.textIfAny()?.unlessEmpty
            } else {
                try reader.pass()
            }
        }
        return person
    }
}
