public import JSONText

extension Twake {
    /// `channel_tabs`: a tab shown next to a channel's messages (Twake TW-45).
    public struct ChannelTab: Hashable, Sendable {
        /// The tab's id, called `id` on the wire.
        public var id: EntityID
        /// The channel that contains the tab.
        public var channel: EntityID?
        /// The company of the channel.
        public var company: EntityID?
        /// The workspace of the channel.
        public var workspace: EntityID?
        /// The title of the tab; empty when not sent.
        public var name = ""
        /// The settings that the application stores with the tab, any JSON; `nil` if they are empty.
        public var configuration: RawJSON?
        /// The application that the tab shows.
        public var application: EntityID?
        /// The user who created the tab, called `owner` on the wire.
        public var owner: EntityID?
        /// The position among the tabs, as the server writes it.
        public var order: String?
        /// The time of the last change.
        public var updatedAt: Timestamp?
        /// The time the tab was created.
        public var createdAt: Timestamp?
    }

    /// `user_message_bookmark`: a list in which a user keeps messages (Twake TW-45).
    public struct Bookmark: Hashable, Sendable {
        /// The list's id, called `id` on the wire.
        public var id: EntityID
        /// The company that the list belongs to.
        public var company: EntityID?
        /// The user who owns the list.
        public var user: EntityID?
        /// The user's name for the list; empty when not sent.
        public var name = ""
    }

    /// `documents:updated`: a change in a company's drive (Twake TW-16). The only resource in camel case.
    public struct DocumentUpdate: Hashable, Sendable {
        /// The folder or file that changed.
        public var id: EntityID
        /// The company that owns the drive.
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
