import JSONText

extension Twake.File {
    /// Reads a file in any of its forms: flat, or with a `metadata` object that names and measures it.
    init(reading reader: inout JSONReader) throws(Mismatch) {
        self.init(id: .none)
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "id") {
                id = try reader.id()
            } else if reader.isNamed(key, "company_id") {
                company = try reader.idIfAny()
            } else if reader.isNamed(key, "message_id") {
                message = try reader.idIfAny()
            } else if reader.isNamed(key, "metadata") {
                guard try reader.openIfAny() else { continue }
                while let key = try reader.field() {
                    if try !takeMetadata(key, from: &reader) { try reader.pass() }
                }
            } else if try !takeMetadata(key, from: &reader) {
                try reader.pass()
            }
        }
        if id.isNone, let externalID { id = externalID }
        try id.require("id", at: start)
    }

    /// A list of files; null counts as an empty one.
    static func list(reading reader: inout JSONReader) throws(Mismatch) -> [Self] {
        var files: [Self] = []
        guard try reader.openListIfAny() else { return files }
        while try reader.another() { files.append(try Self(reading: &reader)) }
        return files
    }

    private mutating func takeMetadata(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "name") {
            name = try reader.textIfAny()?.unlessEmpty
        } else if reader.isNamed(key, "extension") {
            `extension` = try reader.textIfAny()?.unlessEmpty
        } else if reader.isNamed(key, "size") {
            size = try reader.sizeIfAny()
        } else if reader.isNamed(key, "mime") {
            mime = try reader.textIfAny()?.unlessEmpty
        } else if reader.isNamed(key, "source") {
            source = try reader.textIfAny()?.unlessEmpty
        } else if reader.isNamed(key, "external_id") {
            externalID = try reader.externalIDIfAny()
        } else if reader.isNamed(key, "preview") {
            preview = try reader.textIfAny()?.unlessEmpty
        } else if reader.isNamed(key, "download") {
            download = try reader.textIfAny()?.unlessEmpty
        } else if reader.isNamed(key, "thumbnails") {
            guard try reader.openListIfAny() else { return true }
            while try reader.another() { thumbnails.append(try Twake.Thumbnail(reading: &reader)) }
        } else {
            return false
        }
        return true
    }
}

extension Twake.Thumbnail {
    fileprivate init(reading reader: inout JSONReader) throws(Mismatch) {
        self.init()
        _ = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "index") {
                index = try reader.countIfAny()
            } else if reader.isNamed(key, "url") {
                url = try reader.textIfAny()?.unlessEmpty
            } else if reader.isNamed(key, "type") {
                type = try reader.textIfAny()?.unlessEmpty
            } else if reader.isNamed(key, "size") {
                size = try reader.sizeIfAny()
            } else if reader.isNamed(key, "width") {
                width = try reader.countIfAny()
            } else if reader.isNamed(key, "height") {
                height = try reader.countIfAny()
            } else {
                try reader.pass()
            }
        }
    }
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
