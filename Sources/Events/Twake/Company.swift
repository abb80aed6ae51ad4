import JSONText

extension Twake {
    /// A company (4.3, 4.4). Fields absent or null on the wire are nil, and so are empty texts.
    public struct Company: Hashable, Sendable {
        /// The company's id.
        public var id: EntityID
        /// Its name; empty when not sent.
        public var name = ""
        /// The address of its logo.
        public var logo: String?
        /// How many users belong to it (A `total_members`, B `stats.total_members`).
        public var membersCount: Int?
        /// How many guests it has (B).
        public var guestsCount: Int?
        /// When it was made (B); the wire's 0 is nil.
        public var createdAt: Timestamp?
        /// What the user may do in it (B).
        public var role: Role?
        /// What the user may do in it (A).
        public var permissions: [Permission] = []
        /// `active`, or what the server writes for a user who is there no more (B).
        public var status: String?
        /// What it pays for (B).
        public var plan: Plan?
        /// Rooms of a version before the ones described (A); nothing is sent there.
        public var notificationRooms: [String] = []

        /// What a company pays for (B). A limit of 0 is none, as far as servers show.
        public struct Plan: Hashable, Sendable {
            /// Its name.
            public var name: String?
            /// How many members it allows.
            public var members: Int?
            /// How many guests it allows.
            public var guests: Int?
            /// How many bytes it allows.
            public var storage: Int?
        }
    }

    /// A workspace of a company (4.3, 4.4). Fields absent or null on the wire are nil, and so are empty texts.
    public struct Workspace: Hashable, Sendable {
        /// The workspace's id.
        public var id: EntityID
        /// The company it belongs to.
        public var company: EntityID?
        /// Its name; empty when not sent.
        public var name = ""
        /// The address of its logo.
        public var logo: String?
        /// A colour that stands for it, as in style sheets (A).
        public var color: String?
        /// How many users belong to it (A `total_members`, B `stats.total_members`).
        public var membersCount: Int?
        /// When it was made (B); the wire's 0 is nil.
        public var createdAt: Timestamp?
        /// When the user last was in it (A).
        public var lastAccess: Timestamp?
        /// What the user may do in it (B).
        public var role: Role?
        /// What the user may do in it (A).
        public var permissions: [Permission] = []
        /// Whether it is shown to its users only (A).
        public var isPrivate: Bool?
        /// Whether every user of the company is in it (B).
        public var isDefault: Bool?
        /// Whether it was archived; false when not sent.
        public var isArchived = false
    }
}

extension Twake.Company: FieldedEntity, FieldScalar {
    package static let subject = "company"
    package static let blank = Self(id: .none)
    package static let fields: [Field<Self>] = [
        Field("id", at: \.id).required,
        Field("name", at: \.name),
        Field("logo", at: \.logo),
        Field("members_count", wire: "total_members", at: \.membersCount),
        Field("guests_count", at: \.guestsCount).kept,
        Field("created_at", at: \.createdAt).kept,
        Field("role", at: \.role),
        Field("permissions", at: \.permissions),
        Field("status", at: \.status),
        Field("plan", at: \.plan),
        Field("notification_rooms", at: \.notificationRooms),
        .nested(
            "stats",
            [
                Field("total_members", at: \.membersCount),
                Field("total_guests", at: \.guestsCount),
                Field("created_at", at: \.createdAt) { (reader) throws(Mismatch) in try reader.timeUnlessZero() },
            ]),
    ]
}

extension Twake.Company.Plan: FieldedEntity {
    package static let subject = "plan"
    package static let blank = Self()
    package static let fields: [Field<Self>] = [
        Field("name", at: \.name),
        Field("members", at: \.members).kept,
        Field("guests", at: \.guests).kept,
        Field("storage", at: \.storage).kept,
        .nested(
            "limits",
            [
                Field("members", at: \.members), Field("guests", at: \.guests), Field("storage", at: \.storage),
            ]),
    ]
}

extension Twake.Company.Plan: FieldScalar {}

extension Twake.Workspace: FieldedEntity {
    package static let subject = "workspace"
    package static let blank = Self(id: .none)
    package static let fields: [Field<Self>] = [
        Field("id", at: \.id).required,
        Field("company_id", at: \.company),
        Field("name", at: \.name),
        Field("logo", at: \.logo),
        Field("color", at: \.color),
        Field("members_count", wire: "total_members", at: \.membersCount),
        Field("created_at", at: \.createdAt).kept,
        Field("user_last_access", at: \.lastAccess),
        Field("role", at: \.role),
        Field("permissions", at: \.permissions),
        Field("private", at: \.isPrivate),
        Field("default", at: \.isDefault),
        Field("archived", wire: "archived", "is_archived", at: \.isArchived).written(if: \.isArchived),
        .nested(
            "stats",
            [
                Field("total_members", at: \.membersCount),
                Field("created_at", at: \.createdAt) { (reader) throws(Mismatch) in try reader.timeUnlessZero() },
            ]),
    ]
}

extension JSONReader {
    /// A point in time, or nil for null and for the 0 that stands for none.
    mutating func timeUnlessZero() throws(Mismatch) -> Timestamp? {
        guard let time = try timeIfAny(), time.milliseconds != 0 else { return nil }
        return time
    }
}
