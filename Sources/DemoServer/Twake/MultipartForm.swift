import Glibc

/// A body of `multipart/form-data` (RFC 7578): a few parts, each with its name.
struct MultipartForm {
    /// One part.
    struct Part: Hashable, Sendable {
        /// What its field is called.
        var name: String
        /// What the file is called; nil for a field of text.
        var filename: String?
        /// Its media type, where it says one.
        var type: String?
        /// What is in it.
        var bytes: ArraySlice<UInt8>
    }

    /// Most parts of a form.
    static let mostParts = 16
    /// Most bytes of the lines before a part's content.
    static let largestHead = 4096

    /// In the order of the body.
    private(set) var parts: [Part] = []

    /// The first file.
    var file: Part? { parts.first { $0.filename != nil } }

    /// The text of a field.
    func text(_ name: String) -> String? {
        parts.first { $0.name == name && $0.filename == nil }.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    /// Reads a body; nil when its type is another one, or it is not built like a form.
    init?(_ body: [UInt8], type: String?) {
        guard let type, type.lowercased().hasPrefix(Self.type),
            let boundary = Self.parameters(type)["boundary"], (1...70).contains(boundary.utf8.count)
        else { return nil }
        let delimiter = Array("\r\n--\(boundary)".utf8)
        // The first delimiter has no line before it.
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

    /// The parameters of a header's value, as `; name="value"`; browsers and libcurl write a quote in a name as `%22`.
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

    /// Where `needle` begins.
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
