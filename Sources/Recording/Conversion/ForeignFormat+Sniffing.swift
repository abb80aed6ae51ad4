extension ForeignFormat {
    /// Returns the format of a file by its first bytes, or `nil` for an event file. An unknown beginning means a log of
    /// lines.
    package static func sniff(_ path: String) throws(RecordingError) -> ForeignFormat? {
        let source = try ByteSource(opening: path)
        var start = [UInt8](repeating: 0, count: 65_536)
        var count = 0
        while count < start.count {
            let filled = count
            let got = try start.withUnsafeMutableBytes { bytes in
                source.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[filled...]))
            }.get()
            if got == 0 { break }
            count += got
        }
        var text = start[..<count]
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        text = text.drop { $0 <= UInt8(ascii: " ") }
        if text.starts(with: #"{"k":"head","fmt":""#.utf8) { return nil }
        guard text.first == UInt8(ascii: "{") else { return .lines }
        let line = String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        if line.contains("\"specversion\"") { return .cloudevents }
        return line.contains("\"k\":\"head\"") || line.contains("\"k\": \"head\"") ? nil : .har
    }
}
