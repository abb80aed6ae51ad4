import JSONText

extension Twake.File {
    /// Writes the file as a JSON object; nil fields are left out.
    func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id)
        writer.member("company_id", company)
        writer.member("message_id", message)
        writer.member("source", source)
        writer.member("external_id", externalID)
        writer.member("name", name)
        writer.member("extension", `extension`)
        writer.member("size", size)
        writer.member("mime", mime)
        writer.member("preview", preview)
        writer.member("download", download)
        if !thumbnails.isEmpty {
            writer.key("thumbnails")
            writer.beginArray()
            for thumbnail in thumbnails { thumbnail.encode(into: &writer) }
            writer.endArray()
        }
        writer.endObject()
    }

    /// Reads what `encode` wrote.
    init(logged reader: inout JSONReader) throws(Mismatch) {
        self.init(id: .none)
        var loggedID: EntityID?
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "id") {
                loggedID = try reader.loggedID()
            } else if try !takeLoggedID(key, from: &reader), try !takeLogged(key, from: &reader) {
                try reader.pass()
            }
        }
        id = try loggedID.required("id", at: start)
    }

    private mutating func takeLoggedID(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "company_id") {
            company = try reader.loggedID()
        } else if reader.isNamed(key, "message_id") {
            message = try reader.loggedID()
        } else if reader.isNamed(key, "external_id") {
            externalID = try reader.loggedID()
        } else if reader.isNamed(key, "size") {
            size = try reader.loggedCount()
        } else if reader.isNamed(key, "thumbnails") {
            guard try reader.openListIfAny() else { return true }
            while try reader.another() { thumbnails.append(try Twake.Thumbnail(logged: &reader)) }
        } else {
            return false
        }
        return true
    }

    private mutating func takeLogged(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "source") {
            source = try reader.text()
        } else if reader.isNamed(key, "name") {
            name = try reader.text()
        } else if reader.isNamed(key, "extension") {
            `extension` = try reader.text()
        } else if reader.isNamed(key, "mime") {
            mime = try reader.text()
        } else if reader.isNamed(key, "preview") {
            preview = try reader.text()
        } else if reader.isNamed(key, "download") {
            download = try reader.text()
        } else {
            return false
        }
        return true
    }
}

extension Twake.Thumbnail {
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("index", index)
        writer.member("url", url)
        writer.member("type", type)
        writer.member("size", size)
        writer.member("width", width)
        writer.member("height", height)
        writer.endObject()
    }

    fileprivate init(logged reader: inout JSONReader) throws(Mismatch) {
        self.init()
        _ = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "index") {
                index = try reader.loggedCount()
            } else if reader.isNamed(key, "url") {
                url = try reader.text()
            } else if reader.isNamed(key, "type") {
                type = try reader.text()
            } else if reader.isNamed(key, "size") {
                size = try reader.loggedCount()
            } else if reader.isNamed(key, "width") {
                width = try reader.loggedCount()
            } else if reader.isNamed(key, "height") {
                height = try reader.loggedCount()
            } else {
                try reader.pass()
            }
        }
    }
}
