public import JSONText

extension Twake {
    /// `channel_tabs`: something shown beside a channel's messages (3.3).
    public struct ChannelTab: Hashable, Sendable {
        /// The tab's id.
        public var id: EntityID
        /// The channel.
        public var channel: EntityID?
        /// The company of the channel.
        public var company: EntityID?
        /// Its workspace.
        public var workspace: EntityID?
        /// What the tab is called; empty when not sent.
        public var name = ""
        /// What the application keeps with it, any JSON; nil when it is empty.
        public var configuration: RawJSON?
        /// The application it shows.
        public var application: EntityID?
        /// Who made it.
        public var owner: EntityID?
        /// Its place among the tabs, as the server writes it.
        public var order: String?
        /// When it last changed.
        public var updatedAt: Timestamp?
        /// When it was made.
        public var createdAt: Timestamp?
    }

    /// `user_message_bookmark`: a list in which a user keeps messages (3.3).
    public struct Bookmark: Hashable, Sendable {
        /// The list's id.
        public var id: EntityID
        /// The company.
        public var company: EntityID?
        /// The user.
        public var user: EntityID?
        /// What the user calls it; empty when not sent.
        public var name = ""
    }

    /// `documents:updated`: something changed in a company's drive (2.1). The only resource in camel case.
    public struct DocumentUpdate: Hashable, Sendable {
        /// The folder or file.
        public var id: EntityID
        /// The company.
        public var company: EntityID?
    }
}

extension Twake.ChannelTab: FieldedEntity {
    package static let subject = "channel tab"
    package static let blank = Self(id: .none)
    package static let fields: [Field<Self>] = [
        Field("id", at: \.id).required,
        Field("channel_id", at: \.channel),
        Field("company_id", at: \.company),
        Field("workspace_id", at: \.workspace),
        Field("name", at: \.name),
        .sent("configuration") { tab, reader throws(Mismatch) in tab.configuration = try reader.contentsIfAny() },
        Field("application_id", at: \.application),
        Field("owner", at: \.owner),
        .sent("order") { tab, reader throws(Mismatch) in tab.order = try reader.idIfAny()?.description },
        Field("updated_at", at: \.updatedAt),
        Field("created_at", at: \.createdAt),
    ]
}

extension Twake.Bookmark: FieldedEntity {
    package static let subject = "bookmark"
    package static let blank = Self(id: .none)
    package static let fields: [Field<Self>] = [
        Field("id", at: \.id).required,
        Field("company_id", at: \.company),
        Field("user_id", at: \.user),
        Field("name", at: \.name),
    ]
}

extension Twake.DocumentUpdate: FieldedEntity {
    package static let subject = "document"
    package static let blank = Self(id: .none)
    package static let fields: [Field<Self>] = [
        Field("id", at: \.id).required,
        Field("company_id", wire: "companyId", "company_id", at: \.company),
    ]
}
