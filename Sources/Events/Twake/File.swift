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
        public init(
            id: EntityID, company: EntityID? = nil, message: EntityID? = nil, source: String? = nil,
            externalID: EntityID? = nil, name: String? = nil, extension: String? = nil, size: Int? = nil,
            mime: String? = nil, preview: String? = nil, download: String? = nil, thumbnails: [Thumbnail] = []
        ) {
            self.id = id
            self.company = company
            self.message = message
            self.source = source
            self.externalID = externalID
            self.name = name
            self.extension = `extension`
            self.size = size
            self.mime = mime
            self.preview = preview
            self.download = download
            self.thumbnails = thumbnails
        }
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

        /// A picture of these fields.
        public init(
            index: Int? = nil, url: String? = nil, type: String? = nil, size: Int? = nil, width: Int? = nil,
            height: Int? = nil
        ) {
            self.index = index
            self.url = url
            self.type = type
            self.size = size
            self.width = width
            self.height = height
        }
    }
}
