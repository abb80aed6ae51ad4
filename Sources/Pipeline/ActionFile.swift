package import Events
import JSONText

extension Action {
    /// A file to attach to a message: the user's file, and after the upload the server's.
    public struct File: Hashable, Sendable {
        /// The absolute path. Another process, with another working directory, may upload the file.
        public var path: String
        /// The size in bytes at the time of the request.
        public var size: Int
        /// The server's id of the file; `nil` until it is uploaded.
        package internal(set) var uploaded: EntityID?

        /// Creates a file with an absolute path.
        public init(path: String, size: Int) { (self.path, self.size) = (path, size) }

        /// The last component of the path.
        package var name: String { path.split(separator: "/").last.map(String.init) ?? path }

        /// The media type, derived from the extension of the name.
        package var type: String {
            guard let dot = name.lastIndex(of: ".") else { return Self.unknownType }
            return Self.types[name[name.index(after: dot)...].lowercased()] ?? Self.unknownType
        }

        private static let unknownType = "application/octet-stream"
        private static let types = [
            "avif": "image/avif", "bmp": "image/bmp", "csv": "text/csv", "doc": "application/msword",
            "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "gif": "image/gif",
            "gz": "application/gzip", "heic": "image/heic", "htm": "text/html", "html": "text/html",
            "jpeg": "image/jpeg", "jpg": "image/jpeg", "json": "application/json", "log": "text/plain",
            "m4a": "audio/mp4", "md": "text/markdown", "mov": "video/quicktime", "mp3": "audio/mpeg",
            "mp4": "video/mp4", "odt": "application/vnd.oasis.opendocument.text", "ogg": "audio/ogg",
            "pdf": "application/pdf", "png": "image/png", "svg": "image/svg+xml", "tar": "application/x-tar",
            "txt": "text/plain", "wav": "audio/wav", "webm": "video/webm", "webp": "image/webp",
            "xls": "application/vnd.ms-excel",
            "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "zip": "application/zip",
        ]
    }

    /// The first file that is not uploaded yet. The next request of the action uploads it.
    package var nextUpload: File? { files.first { $0.uploaded == nil } }

    /// Records that the next file was uploaded.
    mutating func noteUpload(_ file: EntityID) {
        guard let next = files.firstIndex(where: { $0.uploaded == nil }) else { return }
        files[next].uploaded = file
    }
}

extension Action.File {
    /// Writes the file as a JSON object.
    func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("path", path)
        writer.member("size", size)
        writer.member("uploaded", uploaded?.description)
        writer.endObject()
    }

    /// Creates a file from the JSON that `encode` wrote, or returns `nil` for anything else.
    init?(_ value: JSONValue) {
        guard let path = value["path"]?.text, let size = value["size"]?.int64 else { return nil }
        self.init(path: path, size: Int(clamping: max(0, size)))
        uploaded = value["uploaded"]?.id
    }
}
