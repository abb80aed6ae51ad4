import JSONText

/// The checksum at the end of a line that no chunk counts: `sync`, `idx` and `end`.
///
/// It is the line's last member, `"sum"`: the CRC-32C of everything before the member's comma, as 8 lower-case
/// hexadecimal digits. A line of any kind with such an ending is verified.
enum LineChecksum {
    /// The result of comparing a line with its own checksum.
    enum Finding {
        case none
        case right
        case wrong
    }

    private static let start: StaticString = #","sum":""#
    private static let digits = 8
    /// The length of the member in bytes, from its comma to the brace after it.
    static let bytes = 8 + digits + 2

    /// Appends the member and the closing brace to `line`, which must lack its closing brace.
    static func close(_ line: inout [UInt8]) {
        line.append(contentsOf: member(for: line.span))
    }

    /// Compares `line`, without its line feed, with its checksum.
    static func finding(in line: Span<UInt8>) -> Finding {
        let place = line.count - bytes
        guard place > 0, line.starts(with: start, at: place) else { return .none }
        let member = member(for: line.extracting(0..<place))
        return member.indices.allSatisfy { member[$0] == line[place + $0] } ? .right : .wrong
    }

    private static func member(for text: Span<UInt8>) -> [UInt8] {
        var crc = CRC32C()
        crc.update(text)
        let value = Hexadecimal.text(of: UInt64(crc.value)).suffix(digits)
        return start.withUTF8Buffer { Array($0) } + value.utf8 + #""}"#.utf8
    }
}
