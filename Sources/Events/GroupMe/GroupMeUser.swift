import JSONText

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

        /// The nickname, else the id.
        public var description: String { nickname ?? id?.description ?? "somebody" }
    }
}

extension GroupMe.User: FieldedEntity {
    package static let subject = "user"
    package static let blank = Self(id: "")
    package static let fields: [Field<Self>] = [
        Field("id", at: \.id).required,
        Field("name", at: \.name),
        Field("image_url", wire: "image_url", "avatar_url", at: \.imageURL),
        Field("email", at: \.email),
        Field("phone_number", at: \.phoneNumber),
        Field("locale", at: \.locale),
        Field("share_url", at: \.shareURL),
        .instant("created_at", at: \.createdAt),
        .instant("updated_at", at: \.updatedAt),
        .fallback("user_id", at: \.id),
    ]
}

extension GroupMe.Person: FieldedEntity {
    package static let subject = "person"
    package static let blank = Self()
    package static let fields: [Field<Self>] = [
        Field("id", at: \.id),
        Field("nickname", at: \.nickname),
    ]
}
