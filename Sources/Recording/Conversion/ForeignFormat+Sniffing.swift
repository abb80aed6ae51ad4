extension ForeignFormat {
    /// Returns the format of a file by its first bytes, or `nil` for an event file. An unknown beginning means a log of
    /// lines.
    package static func sniff(_ path: String) throws(RecordingError) -> ForeignFormat? {
        var text = try ByteSource.beginning(of: path, bytes: 65_536)[...]
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        text = text.drop { $0 <= UInt8(ascii: " ") }
        if text.starts(with: #"{"k":"head","fmt":""#.utf8) { return nil }
        guard text.first == UInt8(ascii: "{") else { return .lines }
        let line = String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        if line.contains("\"specversion\"") { return .cloudevents }
        return line.contains("\"k\":\"head\"") || line.contains("\"k\": \"head\"") ? nil : .har
    }
}
