public import WeirJSON

extension Twake {
    /// A file of a message (Twake TW-42), of the answer to an upload (Twake TW-78), or of the file service
    /// (Twake TW-80). Fields that are absent, null or empty on the wire are `nil`.
    public struct File: Hashable, Sendable {
        /// The file's id; for a file of a message, the id of the reference.
        public var id: EntityID
        /// The company that the file belongs to.
        public var company: EntityID?
        /// The message that the file was sent with.
        public var message: EntityID?
        /// The storage of the file: `internal`, or the application that stores it.
        public var source: String?
        /// The file's id in that storage. For an internal file it is the id of the file itself.
        public var externalID: EntityID?
        /// The name, including the extension.
        public var name: String?
        /// The text after the last dot of the name.
        public var `extension`: String?
        /// The size in bytes. The first app stored it as text (Twake TW-46).
        public var size: Int?
        /// The MIME type of the file.
        public var mime: String?
        /// The address of a preview picture (A).
        public var preview: String?
        /// The address of the file's contents (A).
        public var download: String?
        /// The preview pictures, small to large as the server sends them.
        public var thumbnails: [Thumbnail] = []

        package init(
            id: EntityID, company: EntityID? = nil, message: EntityID? = nil, source: String? = nil,
            externalID: EntityID? = nil, name: String? = nil, extension: String? = nil, size: Int? = nil,
            mime: String? = nil, preview: String? = nil, download: String? = nil, thumbnails: [Thumbnail] = []
        ) {
            (self.id, self.company, self.message) = (id, company, message)
            (self.source, self.externalID) = (source, externalID)
            (self.name, self.extension, self.size, self.mime) = (name, `extension`, size, mime)
            (self.preview, self.download, self.thumbnails) = (preview, download, thumbnails)
        }

        /// The id with which the file is downloaded: the id in its storage, else its own.
        package var contentID: EntityID { externalID ?? id }
    }

    /// A preview picture of a file. Fields that are absent or null on the wire are `nil`.
    public struct Thumbnail: Hashable, Sendable {
        /// The index among the file's pictures, with which the picture is fetched.
        public var index: Int?
        /// The address of the picture.
        public var url: String?
        /// The MIME type of the picture.
        public var type: String?
        /// The size of the picture in bytes.
        public var size: Int?
        /// The width of the picture in pixels.
        public var width: Int?
        /// The height of the picture in pixels.
        public var height: Int?
    }
}

extension Twake.File: FieldedEntity, FieldScalar {
    package static let subject = "file"
    package static let blank = Self(id: .none)
    /// The fields, flat or in a `metadata` object that names and measures the file.
    package static let fields: [Field<Self>] =
        [
            Field("id", at: \.id).required,
            Field("company_id", at: \.company),
            Field("message_id", at: \.message),
        ] + metadata + [.nested("metadata", metadata)]

    private static let metadata: [Field<Self>] = [
        Field("source", at: \.source),
        Field("external_id", at: \.externalID) { (reader) throws(Mismatch) in try reader.externalIDIfAny() },
        Field("name", at: \.name),
        Field("extension", at: \.extension),
        Field("size", at: \.size) { (reader) throws(Mismatch) in try reader.sizeIfAny() },
        Field("mime", at: \.mime),
        Field("preview", at: \.preview),
        Field("download", at: \.download),
        Field("thumbnails", at: \.thumbnails),
    ]

    package mutating func complete() {
        if id.isNone, let externalID { id = externalID }
    }
}

extension Twake.Thumbnail: FieldedEntity, FieldScalar {
    package static let subject = "thumbnail"
    package static let blank = Self()
    package static let fields: [Field<Self>] = [
        Field("index", at: \.index),
        Field("url", at: \.url),
        Field("type", at: \.type),
        Field("size", at: \.size) { (reader) throws(Mismatch) in try reader.sizeIfAny() },
        Field("width", at: \.width),
        Field("height", at: \.height),
    ]
}

extension JSONReader {
    /// Reads a number of bytes: a number or, as the first app stored it, its text (Twake TW-46). Returns `nil`
    /// for null and for any other text.
    fileprivate mutating func sizeIfAny() throws(Mismatch) -> Int? {
        if try kind() == .string { return Int(try text()).map { max(0, $0) } }
        return try countIfAny()
    }

    /// Reads an id, or the `id` of an object that locates the file; returns `nil` for null.
    fileprivate mutating func externalIDIfAny() throws(Mismatch) -> EntityID? {
        if try kind() == .object { return try member("id") { (reader) throws(Mismatch) in try reader.idIfAny() } }
        return try idIfAny()
    }
}

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
