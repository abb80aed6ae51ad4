import JSONText

extension Twake {
    /// A file: of a message (3.3), as an upload is answered (4.3), or as the file service gives it (4.4). Fields absent or null on the wire
    /// are nil; empty texts too.
    public struct File: Hashable, Sendable {
        /// The file's id; of a message's file the reference's.
        public var id: EntityID
        /// The company it belongs to.
        public var company: EntityID?
        /// The message it was sent with.
        public var message: EntityID?
        /// Where it is kept: `internal`, or the application that has it.
        public var source: String?
        /// Its id there: of an internal one the file's.
        public var externalID: EntityID?
        /// Its name, with the extension.
        public var name: String?
        /// What follows the last dot of the name.
        public var `extension`: String?
        /// Bytes. The first app kept it as text (section 6).
        public var size: Int?
        /// Its MIME type.
        public var mime: String?
        /// The address of a picture of it (A).
        public var preview: String?
        /// The address of its contents (A).
        public var download: String?
        /// Pictures of it, small to large as the server sends them.
        public var thumbnails: [Thumbnail] = []

        /// A file of these fields.
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

        /// What a download of it names: its id where it is kept, else its own.
        package var contentID: EntityID { externalID ?? id }
    }

    /// A picture of a file. Fields absent or null on the wire are nil.
    public struct Thumbnail: Hashable, Sendable {
        /// Its number among the file's, by which it is fetched.
        public var index: Int?
        /// Its address.
        public var url: String?
        /// Its MIME type.
        public var type: String?
        /// Bytes.
        public var size: Int?
        /// Pixels.
        public var width: Int?
        /// Pixels.
        public var height: Int?
    }
}

extension Twake.File: FieldedEntity, FieldScalar {
    package static let subject = "file"
    package static let blank = Self(id: .none)
    /// Flat, or with a `metadata` object that names and measures it.
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
    /// A number of bytes: a number or, as the first app kept it, its text (section 6); nil for null and for a text of something else.
    fileprivate mutating func sizeIfAny() throws(Mismatch) -> Int? {
        if try kind() == .string { return Int(try text()).map { max(0, $0) } }
        return try countIfAny()
    }

    /// An id, or the `id` of an object that says where the file is; nil for null.
    fileprivate mutating func externalIDIfAny() throws(Mismatch) -> EntityID? {
        if try kind() == .object { return try member("id") { (reader) throws(Mismatch) in try reader.idIfAny() } }
        return try idIfAny()
    }
}
