import Glibc

/// A body of type `multipart/form-data` (RFC 7578): a few named parts.
struct MultipartForm {
    /// A field or file of a form.
    struct Part: Hashable, Sendable {
        /// The name of the part's field.
        var name: String
        /// The file name; `nil` for a text field.
        var filename: String?
        /// The media type of the part, if it states one.
        var type: String?
        /// The content of the part.
        var bytes: ArraySlice<UInt8>
    }

    /// The maximum number of parts in a form.
    static let mostParts = 16
    /// The maximum size of the headers before a part's content, in bytes.
    static let largestHead = 4096

    /// The parts in the order of the body.
    private(set) var parts: [Part] = []

    /// The first part that is a file.
    var file: Part? { parts.first { $0.filename != nil } }

    /// Returns the text of a field.
    func text(_ name: String) -> String? {
        parts.first { $0.name == name && $0.filename == nil }.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    /// Parses a body. Returns `nil` when its type is not that of a form, or when it is malformed.
    init?(_ body: [UInt8], type: String?) {
        guard let type, type.lowercased().hasPrefix(Self.type),
            let boundary = Self.parameters(type)["boundary"], (1...70).contains(boundary.utf8.count)
        else { return nil }
        let delimiter = Array("\r\n--\(boundary)".utf8)
        // The first delimiter is not preceded by a line break.
        guard body.starts(with: delimiter.dropFirst(2)) else { return nil }
        var place = delimiter.count - 2
        while parts.count <= Self.mostParts {
            let rest = body[place...]
            if rest.starts(with: Array("--".utf8)) { return }
            guard rest.starts(with: [0x0d, 0x0a]),
                let head = Self.find([0x0d, 0x0a, 0x0d, 0x0a], in: rest.prefix(Self.largestHead)),
                let end = Self.find(delimiter, in: body[(head + 4)...]),
                let part = Self.part(String(decoding: rest[(place + 2)..<max(head, place + 2)], as: UTF8.self))
            else { return nil }
            parts.append(
                Part(name: part.name, filename: part.filename, type: part.type, bytes: body[(head + 4)..<end]))
            place = end + delimiter.count
        }
        return nil
    }

    /// The media type of a form.
    static let type = "multipart/form-data"

    private static func part(_ head: String) -> (name: String, filename: String?, type: String?)? {
        var (name, filename, type): (String?, String?, String?) = (nil, nil, nil)
        for line in head.split(separator: "\r\n") {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = String(line[line.index(after: colon)...].drop { $0 == " " })
            switch line[..<colon].lowercased() {
            case "content-disposition":
                let parameters = Self.parameters(value)
                (name, filename) = (parameters["name"], parameters["filename"])
            case "content-type": type = value
            default: break
            }
        }
        return name.map { ($0, filename, type) }
    }

    /// Parses the parameters of a header value, such as `; name="value"`. Browsers and libcurl write a quotation mark
    /// in a name as `%22`.
    private static func parameters(_ value: String) -> [String: String] {
        var parameters: [String: String] = [:]
        var rest = Substring(value)
        while let semicolon = rest.firstIndex(of: ";") {
            rest = rest[rest.index(after: semicolon)...].drop { $0 == " " }
            guard let equals = rest.firstIndex(of: "=") else { break }
            let name = rest[..<equals].lowercased()
            rest = rest[rest.index(after: equals)...]
            if rest.first == "\"" {
                rest = rest.dropFirst()
                let end = rest.firstIndex(of: "\"") ?? rest.endIndex
                parameters[name] = String(rest[..<end].replacing("%22", with: "\""))
                rest = rest[end...]
            } else {
                parameters[name] = String(rest.prefix { $0 != ";" })
            }
        }
        return parameters
    }

    /// Returns the index at which `needle` begins, or `nil`.
    private static func find(_ needle: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        bytes.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress else { return nil }
            var place = 0
            while place + needle.count <= buffer.count {
                let most = buffer.count - needle.count - place + 1
                guard let found = memchr(start + place, Int32(needle[0]), most) else { return nil }
                place = UnsafeRawPointer(found) - start
                if memcmp(found, needle, needle.count) == 0 { return bytes.startIndex + place }
                place += 1
            }
            return nil
        }
    }
}
