import WeirJSON

extension GroupMe {
    /// A user: the session's own (`/users/me`, GroupMe GM-44), or the other user of a direct. Fields that are absent,
    /// null or empty on the wire are `nil`.
    public struct User: Hashable, Sendable {
        /// The user's id, called `id` on the wire.
        public var id: UserID
        /// The name of the user.
        public var name: String?
        /// The address of the user's picture.
        public var imageURL: String?
        /// The e-mail address, which the server sends only to the user themselves.
        public var email: String?
        /// The phone number, such as `+1 5555550100`, which the server sends only to the user themselves.
        public var phoneNumber: String?
        /// The language, such as `en-us`.
        public var locale: String?
        /// The address where others can write to the user.
        public var shareURL: String?
        /// The time the account was created.
        public var createdAt: Timestamp?
        /// The time of the last change.
        public var updatedAt: Timestamp?

        /// Creates a user with the given fields; all others are unknown.
        public init(id: UserID, name: String? = nil, imageURL: String? = nil) {
            self.id = id
            self.name = name
            self.imageURL = imageURL
        }

        /// The user as other users may see it: without e-mail address and phone number. Rows of
        /// a model contain this form.
        public var publicPart: User {
            var user = self
            user.email = nil
            user.phoneNumber = nil
            return user
        }
    }

    /// A user that an event names: often by a nickname, and by an id if one is sent (GroupMe GM-24).
    public struct Person: Hashable, Sendable, CustomStringConvertible {
        /// The user; `nil` if only the name is known, as in the texts of 2014 (GroupMe GM-21).
        public var id: UserID?
        /// The nickname at the time of the event.
        public var nickname: String?

        /// The nickname, else the id, else `somebody`.
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
