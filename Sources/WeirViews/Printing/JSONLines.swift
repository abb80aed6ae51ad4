import WeirJSON
import WeirTerminal

/// A JSON value laid out for people: one line per member, indented and coloured, with dates next to numbers that are
/// times.
struct JSONLines {
    /// A line as runs of text, each in one style.
    typealias Line = [(text: String, style: TerminalStyle)]

    /// The maximum number of bytes of an object or an array on one line.
    private static let mostOnOneLine = 60
    /// The maximum number of bytes shown of a single value.
    private static let mostOfString = 2_000

    private(set) var lines: [Line] = []
    private let most: Int

    /// Returns the lines of a value. After `most` lines, one line with an ellipsis follows.
    static func lines(of value: JSONValue, most: Int = 400) -> [Line] {
        var result = JSONLines(most: most)
        result.append(value, "", [], "", key: nil)
        return result.lines
    }

    private init(most: Int) { self.most = most }

    private mutating func append(_ value: JSONValue, _ indent: String, _ start: Line, _ end: String, key: String?) {
        guard lines.count < most else {
            if lines.count == most { lines.append([("…", .faint)]) }
            return
        }
        let start = start.isEmpty ? [(text: indent, style: TerminalStyle.plain)] : start
        switch value {
        case .object(let members) where !members.isEmpty && !isShort(value):
            lines.append(start + [("{", .plain)])
            for (index, member) in members.enumerated() {
                let name: Line = [(indent + "  ", .plain), (Self.text(of: .string(member.key)), .key), (": ", .plain)]
                append(member.value, indent + "  ", name, index == members.count - 1 ? "" : ",", key: member.key)
            }
            lines.append([(indent + "}" + end, .plain)])
        case .array(let elements) where !elements.isEmpty && !isShort(value):
            lines.append(start + [("[", .plain)])
            for (index, element) in elements.enumerated() {
                append(element, indent + "  ", [], index == elements.count - 1 ? "" : ",", key: nil)
            }
            lines.append([(indent + "]" + end, .plain)])
        case .integer(let number):
            var line = start + [(String(number), TerminalStyle.number), (end, .plain)]
            if let key, let date = Self.date(number, of: key) { line.append(("  " + date, .time)) }
            lines.append(line)
        case .string: lines.append(start + [(Self.text(of: value), .string), (end, .plain)])
        case .null, .bool, .number: lines.append(start + [(Self.text(of: value), .number), (end, .plain)])
        case .text, .object, .array:
            lines.append(start + [(Self.text(of: value), .plain), (end, .plain)])
        }
    }

    private func isShort(_ value: JSONValue) -> Bool {
        switch value {
        case .object(let members): members.count <= 1 && Self.text(of: value).utf8.count <= Self.mostOnOneLine
        case .array(let elements):
            !elements.contains { if case .object = $0 { true } else { false } }
                && Self.text(of: value).utf8.count <= Self.mostOnOneLine
        default: true
        }
    }

    private static func text(of value: JSONValue) -> String {
        var writer = JSONWriter()
        writer.value(value)
        let bytes = RawJSON.readable(writer.bytes[...])
        guard bytes.count > mostOfString else { return String(decoding: bytes, as: UTF8.self) }
        return String(decoding: bytes.prefix(mostOfString), as: UTF8.self) + "… (\(bytes.count) bytes)"
    }

    /// The substrings that identify a member as a time.
    private static let timeWords = ["time", "date", "_at", "activity", "access", "timestamp", "created", "updated"]

    /// Returns the date for a number in seconds or milliseconds since 1970; `nil` unless the member's name suggests a
    /// time.
    private static func date(_ number: Int64, of key: String) -> String? {
        let key = key.lowercased()
        guard timeWords.contains(where: { key.contains($0) }) || key == "ts" || key == "at" else { return nil }
        switch number {
        case 100_000_000..<10_000_000_000: return TimeText.rfc3339(milliseconds: number * 1000)
        case 100_000_000_000..<10_000_000_000_000: return TimeText.rfc3339(milliseconds: number)
        default: return nil
        }
    }
}
