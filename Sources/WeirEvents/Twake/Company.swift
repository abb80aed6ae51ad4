import WeirJSON

extension Twake {
    /// A company (Twake TW-72, TW-80). Fields that are absent, null or empty on the wire are `nil`.
    public struct Company: Hashable, Sendable {
        /// The company's id, called `id` on the wire.
        public var id: EntityID
        /// The name; empty when not sent.
        public var name = ""
        /// The address of the company's logo.
        public var logo: String?
        /// The number of users in the company (A `total_members`, B `stats.total_members`).
        public var membersCount: Int?
        /// The number of guests in the company (B).
        public var guestsCount: Int?
        /// The time the company was created (B); `nil` for the wire's 0.
        public var createdAt: Timestamp?
        /// The role of the user in the company (B).
        public var role: Role?
        /// The permissions of the user in the company (A).
        public var permissions: [Permission] = []
        /// `active`, or the server's word for a user who is no longer in the company (B).
        public var status: String?
        /// The plan that the company pays for (B).
        public var plan: Plan?
        /// Rooms of an earlier protocol version (A). The server sends nothing to them.
        public var notificationRooms: [String] = []

        /// The plan that a company pays for (B). A limit of 0 means no limit, as far as servers show.
        public struct Plan: Hashable, Sendable {
            /// The name of the plan.
            public var name: String?
            /// The maximum number of members.
            public var members: Int?
            /// The maximum number of guests.
            public var guests: Int?
            /// The maximum number of bytes of storage.
            public var storage: Int?
        }
    }

    /// A workspace of a company (Twake TW-72, TW-80). Fields that are absent, null or empty on the wire are `nil`.
    public struct Workspace: Hashable, Sendable {
        /// The workspace's id, called `id` on the wire.
        public var id: EntityID
        /// The company that the workspace belongs to.
        public var company: EntityID?
        /// The name; empty when not sent.
        public var name = ""
        /// The address of the workspace's logo.
        public var logo: String?
        /// The colour of the workspace, written as in style sheets (A).
        public var color: String?
        /// The number of users in the workspace (A `total_members`, B `stats.total_members`).
        public var membersCount: Int?
        /// The time the workspace was created (B); `nil` for the wire's 0.
        public var createdAt: Timestamp?
        /// The time the user was last in the workspace (A).
        public var lastAccess: Timestamp?
        /// The role of the user in the workspace (B).
        public var role: Role?
        /// The permissions of the user in the workspace (A).
        public var permissions: [Permission] = []
        /// Whether only its users see the workspace (A).
        public var isPrivate: Bool?
        /// Whether every user of the company is in the workspace (B).
        public var isDefault: Bool?
        /// Whether the workspace is archived; false when not sent.
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
    /// Reads a time; returns `nil` for null and for 0, which means none.
    mutating func timeUnlessZero() throws(Mismatch) -> Timestamp? {
        guard let time = try timeIfAny(), time.milliseconds != 0 else { return nil }
        return time
    }
}
