import WeirJSON

extension Twake {
    /// A user: the session's own (A `/user`, B `users/me`) or another one (Twake TW-72, TW-80). Fields that are absent,
    /// null or empty on the wire are `nil`.
    public struct Account: Hashable, Sendable {
        /// The user's id, called `id` on the wire.
        public var id: EntityID
        /// The e-mail address, called `email` on the wire.
        public var email: String?
        /// The user name for mentions and logins, without `@`.
        public var username: String?
        /// The first name (A `firstname`, B `first_name`).
        public var firstName: String?
        /// The last name (A `lastname`, B `last_name`).
        public var lastName: String?
        /// The full name as the server composes it (B).
        public var fullName: String?
        /// The address of the user's picture (A `thumbnail`, B `picture`).
        public var picture: String?
        /// The identity provider of the account: `console` or `internal` (B).
        public var provider: String?
        /// The user's id at the identity provider (A `console_id`, B `provider_id`).
        public var providerID: EntityID?
        /// The status text that the user entered.
        public var status: String?
        /// An emoji shown next to the status (A).
        public var statusIcon: String?
        /// The language that the user chose (A `language`, B `preference.locale`).
        public var language: String?
        /// The time the user was last seen. The wire has seconds on era A and milliseconds on era B.
        public var lastActivity: Timestamp?
        /// The time the account was created (B).
        public var createdAt: Timestamp?
        /// Whether the e-mail address is confirmed (B).
        public var isVerified: Bool?
        /// Whether the account is deleted; false when not sent.
        public var isDeleted = false
        /// The settings, which the server sends only to the user themselves (B).
        public var preference: Preference?
        /// The user's companies, as far as the server discloses them to the requesting user (B).
        public var companies: [Employment] = []

        /// The display name: the full name, else first and last name, else the user name, else
        /// the e-mail address, else the id.
        public var name: String {
            if let fullName { return fullName }
            return switch (firstName, lastName) {
            case (let first?, let last?): "\(first) \(last)"
            case (let first?, nil): first
            case (nil, let last?): last
            case (nil, nil): username ?? email ?? id.description
            }
        }

        /// The settings that a user chose (B).
        public struct Preference: Hashable, Sendable {
            /// The language, such as `en`, called `locale` on the wire.
            public var locale: String?
            /// The offset from UTC in minutes, with the server's sign.
            public var timezone: Int?
            /// Whether the user allows tracking for statistics.
            public var allowTracking: Bool?
        }

        /// A user's membership of a company (B).
        public struct Employment: Hashable, Sendable {
            /// The role of the user in the company.
            public var role: Role?
            /// `active`, or the server's word for a membership that ended.
            public var status: String?
            /// The company, as far as the server sent it.
            public var company: Company
        }
    }

    /// A user in the list of a workspace's users (B, Twake TW-80).
    package struct WorkspaceUser: Hashable, Sendable {
        /// The user, as far as the server sent it.
        package var user: Account
        package var company: EntityID?
        package var workspace: EntityID?
        /// The role of the user in the workspace.
        package var role: Role?
        /// The time the user joined the workspace.
        package var createdAt: Timestamp?
    }

    /// `company_user`: the role of a user in a company (Twake TW-45).
    public struct CompanyUser: Hashable, Sendable {
        /// The user, called `user_id` on the wire.
        public var user: EntityID
        /// The company, called `group_id` on the wire.
        public var company: EntityID?
        /// The role of the user in the company.
        public var role: Role?
        /// The applications that the user may use in the company.
        public var applications: [EntityID] = []
        /// The time the user joined, called `date_added` on the wire.
        public var addedAt: Timestamp?
    }
}

extension Twake.Account: FieldedEntity, FieldScalar {
    package static let subject = "account"
    package static let blank = Self(id: .none)
    package static let fields: [Field<Self>] = [
        Field("id", at: \.id).required,
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

    /// The account as other users may see it: without settings and companies. Rows of a model contain this form.
    public var publicPart: Twake.Account {
        var account = self
        account.preference = nil
        account.companies = []
        return account
    }
}

extension JSONReader {
    /// Reads a string. Null, the empty string and values of other kinds give `nil`: the text is only shown to
    /// people, and nothing depends on it.
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
    /// The wire form is `{"user_id","user":{…},…}`.
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

/// A user while it is being read, of era A (`firstname`, `username`) or era B (`first_name`, `full_name`). It has only
/// the fields needed to show a sender.
struct Person {
    var id: EntityID?
    var fullName: String?
    var firstName: String?
    var lastName: String?
    var userName: String?
    var email: String?
    /// The address of a picture; never empty.
    var picture: String?

    init() {}

    init(reading reader: inout JSONReader) throws(Mismatch) {
        _ = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "id") {
                id = try reader.idIfAny()
            } else if try !takeName(key, from: &reader) {
                try reader.pass()
            }
        }
    }

    /// Reads a list of users; null counts as an empty list. Elements that are not objects are skipped.
    static func list(reading reader: inout JSONReader) throws(Mismatch) -> [Person] {
        var people: [Person] = []
        guard try reader.openListIfAny() else { return people }
        while try reader.another() {
            if try reader.kind() == .object {
                people.append(try Person(reading: &reader))
            } else {
                try reader.pass()
            }
        }
        return people
    }

    /// Reads the value if `key` is one of the names or the picture. Returns whether it is.
    mutating func takeName(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "firstname") || reader.isNamed(key, "first_name") {
            firstName = try reader.textIfAny()
        } else if reader.isNamed(key, "lastname") || reader.isNamed(key, "last_name") {
            lastName = try reader.textIfAny()
        } else if reader.isNamed(key, "username") {
            userName = try reader.textIfAny()
        } else if reader.isNamed(key, "full_name") {
            fullName = try reader.textIfAny()
        } else if reader.isNamed(key, "email") {
            email = try reader.textIfAny()
        } else if reader.isNamed(key, "thumbnail") || reader.isNamed(key, "picture") {
            picture = try reader.textIfAny()?.unlessEmpty
        } else {
            return false
        }
        return true
    }

    /// The full name, else first and last name, else the user name, else the e-mail address; `nil` if there is none.
    var displayName: String? {
        if let fullName = fullName?.unlessEmpty { return fullName }
        return switch (firstName?.unlessEmpty, lastName?.unlessEmpty) {
        case (let first?, let last?): "\(first) \(last)"
        case (let first?, nil): first
        case (nil, let last?): last
        case (nil, nil): userName?.unlessEmpty ?? email?.unlessEmpty
        }
    }
}

extension String {
    /// The string, or `nil` if it is empty.
    package var unlessEmpty: String? { isEmpty ? nil : self }
}
