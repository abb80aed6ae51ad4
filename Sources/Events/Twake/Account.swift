import JSONText

extension Twake {
    /// A user: oneself (A `/user`, B `users/me`) or another (4.3, 4.4). Fields absent or null on the wire are nil, and so are empty texts.
    public struct Account: Hashable, Sendable {
        /// The user's id.
        public var id: EntityID
        /// The address.
        public var email: String?
        /// The name in mentions and logins, without `@`.
        public var username: String?
        /// The first name.
        public var firstName: String?
        /// The last name.
        public var lastName: String?
        /// The whole name as the server composes it (B).
        public var fullName: String?
        /// The address of the user's picture (A `thumbnail`, B `picture`).
        public var picture: String?
        /// Who vouches for the user: `console`, `internal` (B).
        public var provider: String?
        /// The user's id there (A `console_id`, B `provider_id`).
        public var providerID: EntityID?
        /// What the user says about themselves.
        public var status: String?
        /// An emoji beside it (A).
        public var statusIcon: String?
        /// The language chosen (A `language`, B `preference.locale`).
        public var language: String?
        /// When the user was last seen; the wire has seconds on era A and milliseconds on era B.
        public var lastActivity: Timestamp?
        /// When the account was made (B).
        public var createdAt: Timestamp?
        /// Whether the address was confirmed (B).
        public var isVerified: Bool?
        /// Whether the account was deleted; false when not sent.
        public var isDeleted = false
        /// What only the user themselves is told (B).
        public var preference: Preference?
        /// The companies the user belongs to, as far as who asks is told (B).
        public var companies: [Employment] = []

        /// The display name: full, else first and last name, else the user name, else the address, else the id.
        public var name: String {
            if let fullName { return fullName }
            return switch (firstName, lastName) {
            case (let first?, let last?): "\(first) \(last)"
            case (let first?, nil): first
            case (nil, let last?): last
            case (nil, nil): username ?? email ?? id.description
            }
        }

        /// What a user chose (B).
        public struct Preference: Hashable, Sendable {
            /// The language.
            public var locale: String?
            /// Minutes from UTC, in the direction the server counts.
            public var timezone: Int?
            /// Whether the user may be watched for statistics.
            public var allowTracking: Bool?
        }

        /// That a user belongs to a company (B).
        public struct Employment: Hashable, Sendable {
            /// What the user may do there.
            public var role: Role?
            /// `active`, or what the server writes for one that is no more.
            public var status: String?
            /// The company, as far as it was sent.
            public var company: Company
        }
    }

    /// A user in a list of a workspace's (B, 4.4).
    package struct WorkspaceUser: Hashable, Sendable {
        /// The user, as far as they were sent.
        package var user: Account
        /// The company.
        package var company: EntityID?
        /// The workspace.
        package var workspace: EntityID?
        /// What the user may do there.
        package var role: Role?
        /// When the user came.
        package var createdAt: Timestamp?
    }

    /// `company_user`: what a user is in a company (3.3).
    public struct CompanyUser: Hashable, Sendable {
        /// The user.
        public var user: EntityID
        /// The company, the wire's `group_id`.
        public var company: EntityID?
        /// What the user may do there.
        public var role: Role?
        /// The applications the user may use there.
        public var applications: [EntityID] = []
        /// When the user came.
        public var addedAt: Timestamp?
    }
}

extension Twake.Account: FieldedEntity, FieldScalar {
    package static let subject = "account"
    package static let blank = Self(id: .none)
    package static let fields: [Field<Self>] = [
        Field("id", at: \.id).required,
        // What people call the user.
        .derived("name") { $0.name },
        Field("full_name", at: \.fullName),
        Field("first_name", wire: "firstname", "first_name", at: \.firstName),
        Field("last_name", wire: "lastname", "last_name", at: \.lastName),
        Field("username", at: \.username),
        Field("email", at: \.email),
        Field("picture", wire: "thumbnail", "picture", at: \.picture),
        Field("provider", at: \.provider),
        Field("provider_id", wire: "provider_id", "console_id", at: \.providerID),
        Field("status", at: \.status) { (reader) throws(Mismatch) in try reader.wordsIfAny() },
        Field("status_icon", at: \.statusIcon) { (reader) throws(Mismatch) in try reader.wordsIfAny() },
        Field("language", at: \.language),
        Field("last_activity", at: \.lastActivity),
        Field("created_at", at: \.createdAt),
        Field("is_verified", at: \.isVerified),
        Field("deleted", at: \.isDeleted).written(if: \.isDeleted),
        .sent("preference") { account, reader throws(Mismatch) in
            account.preference = try Preference.ifAny(reading: &reader)
            account.language = account.preference?.locale ?? account.language
        },
        .sent("companies") { account, reader throws(Mismatch) in
            account.companies = try Employment.list(reading: &reader)
        },
    ]

    /// The account as others may see it, without what the user chose and where else they belong: what a row of a model shows.
    public var publicPart: Twake.Account {
        var account = self
        account.preference = nil
        account.companies = []
        return account
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

extension Twake.Account.Preference: FieldedEntity {
    package static let subject = "preference"
    package static let blank = Self(locale: nil, timezone: nil, allowTracking: nil)
    package static let fields: [Field<Self>] = [
        Field("locale", at: \.locale),
        Field("timezone", at: \.timezone) { (reader) throws(Mismatch) in
            try reader.integerIfAny().map { Int(clamping: $0) }
        },
        Field("allow_tracking", at: \.allowTracking),
    ]
}

extension Twake.Account.Employment: FieldedEntity {
    package static let subject = "employment"
    package static let blank = Self(role: nil, status: nil, company: .blank)
    package static let fields: [Field<Self>] = [
        Field("company", at: \.company).required,
        Field("role", at: \.role),
        Field("status", at: \.status),
    ]
}

extension Twake.WorkspaceUser: FieldedEntity {
    package static let subject = "workspace user"
    package static let blank = Self(user: .blank)
    /// `{"user_id","user":{…},…}`
    package static let fields: [Field<Self>] = [
        Field("user", at: \.user),
        Field("user_id", at: \.user.id).required,
        Field("company_id", at: \.company),
        Field("workspace_id", at: \.workspace),
        Field("role", at: \.role),
        Field("created_at", at: \.createdAt),
    ]
}

extension Twake.CompanyUser: FieldedEntity {
    package static let subject = "company user"
    package static let blank = Self(user: .none)
    package static let fields: [Field<Self>] = [
        Field("user_id", at: \.user).required,
        Field("company_id", wire: "group_id", "company_id", at: \.company),
        Field("role", at: \.role),
        Field("applications", at: \.applications),
        Field("date_added", at: \.addedAt),
    ]
}
