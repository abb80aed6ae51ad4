import JSONText

/// The checksum that a line has of itself, when it counts to no chunk: `sync`, `idx` and `end`.
///
/// Its last member, `"sum"`: the CRC-32C of all that stands before the member's comma, as 8 lower-case hexadecimal digits. A line of any
/// kind that ends like this is compared with it.
enum LineChecksum {
    /// What a line says of itself.
    enum Finding {
        case none
        case right
        case wrong
    }

    private static let start: StaticString = #","sum":""#
    private static let digits = 8
    /// Bytes of the member, from its comma to the brace behind it.
    static let bytes = 8 + digits + 2

    /// Adds the member to `line`, which is without the brace that closes it, and the brace.
    static func close(_ line: inout [UInt8]) {
        line.append(contentsOf: member(for: line.span))
    }

    /// Compares `line`, given without its line feed, with what it says.
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
