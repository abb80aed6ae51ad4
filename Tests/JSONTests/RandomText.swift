import WeirJSON
import WeirWire

/// Generates JSON texts in every notation the grammar allows, nearly all of them valid, without the writer under test.
struct RandomText {
    var random: RandomSource
    var text: [UInt8] = []

    static func document(seed: UInt64) -> [UInt8] {
        var generator = RandomText(random: RandomSource(seed: seed))
        generator.value(depth: 0)
        generator.space()
        return generator.text
    }

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    private mutating func add(_ string: String) { text += string.utf8 }

    private mutating func space() {
        guard below(4) == 0 else { return }
        for _ in 0..<below(3) { text.append([0x20, 0x0A, 0x0D, 0x09][below(4)]) }
    }

    private mutating func value(depth: Int) {
        space()
        switch below(depth < 12 ? 9 : 6) {
        case 0: add(["null", "true", "false"][below(3)])
        case 1, 2: number()
        case 3, 4, 5: string()
        case 6, 7: members(depth: depth)
        default: elements(depth: depth)
        }
    }

    private mutating func elements(depth: Int) {
        add("[")
        for i in 0..<below(6) {
            if i > 0 { add(",") }
            value(depth: depth + 1)
            space()
        }
        space()
        add("]")
    }

    private mutating func members(depth: Int) {
        add("{")
        for i in 0..<below(6) {
            if i > 0 { add(",") }
            space()
            string()
            space()
            add(":")
            value(depth: depth + 1)
            space()
        }
        space()
        add("}")
    }

    mutating func number() {
        if below(3) == 0 { add("-") }
        digits(upTo: below(8) == 0 ? 25 : 8, leadingZero: false)
        if below(3) == 0 {
            add(".")
            digits(upTo: below(4) == 0 ? 40 : 6, leadingZero: true)
        }
        if below(4) == 0 {
            add(["e", "E"][below(2)] + ["", "+", "-"][below(3)])
            add(String(below(below(4) == 0 ? 400 : 30)))
        }
    }

    private mutating func digits(upTo most: Int, leadingZero: Bool) {
        let count = 1 + below(most)
        for i in 0..<count {
            text.append(UInt8(ascii: "0") + UInt8(i == 0 && count > 1 && !leadingZero ? 1 + below(9) : below(10)))
        }
    }

    mutating func string() {
        add("\"")
        for _ in 0..<below(below(4) == 0 ? 60 : 12) { character() }
        add("\"")
    }

    private mutating func character() {
        switch below(12) {
        case 0: add(["\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t"][below(8)])
        case 1: for unit in String(scalar()).utf16 { escape(unit) }
        case 2, 3:
            add(
                String(scalar()).unicodeScalars.map { $0 < " " || $0 == "\"" || $0 == "\\" ? "?" : String($0) }.joined()
            )
        default: text.append(UInt8(ascii: "a") + UInt8(below(26)))
        }
    }

    private mutating func escape(_ unit: UInt16) {
        let digits = String(unit, radix: 16, uppercase: below(2) == 0)
        add("\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits)
    }

    private mutating func scalar() -> UnicodeScalar {
        let bound = [0x80, 0x800, 0x10000, 0x110000][below(4)]
        return UnicodeScalar(UInt32(below(bound))) ?? "\u{FFFD}"
    }
}

/// Generates values for the round trip through the writer.
struct RandomValue {
    var random: RandomSource

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    mutating func value(depth: Int = 0) -> JSONValue {
        switch below(depth < 8 ? 8 : 5) {
        case 0: return [.null, .bool(true), .bool(false)][below(3)]
        case 1: return .integer(Int64(truncatingIfNeeded: random.next()) >> Int64(below(64)))
        case 2: return .number(number())
        case 3, 4: return .string(string())
        case 5, 6: return .object((0..<below(5)).map { _ in .init(string(), value(depth: depth + 1)) })
        default: return .array((0..<below(5)).map { _ in value(depth: depth + 1) })
        }
    }

    private mutating func number() -> Double {
        let value = below(2) == 0 ? Double(bitPattern: random.next()) : Double(below(2_000_000) - 1_000_000) / 1000
        return value.isFinite ? value : 0
    }

    private mutating func string() -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<below(20) {
            let bound = [0x80, 0x80, 0x3000, 0x110000][below(4)]
            scalars.append(UnicodeScalar(UInt32(below(bound))) ?? "\u{FFFD}")
        }
        return String(scalars)
    }
}

/// Damages a text in one to three positions.
struct Mutation {
    var random: RandomSource

    /// Bytes that are significant to a JSON reader or a UTF-8 decoder.
    private static let tokens: [[UInt8]] =
        [
            "\"", "\\", "{", "}", "[", "]", ",", ":", "-", "+", ".", "e", "0", "1", "9", "u", "\\u", "\\ud800",
            "\\udc00", "\\u12", "null", "true", " ",
            "\n", "\t", "\0", "\u{1F}", "\u{7F}", "é", "\u{2028}", "😀", "1e999", "00", "/", "\\/", "[]", "{}", "\"\":",
        ].map { Array($0.utf8) } + [
            [0x80], [0xBF], [0xC0, 0x80], [0xC2], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF4, 0x90, 0x80, 0x80], [0xFE],
            [0xFF],
        ]

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    mutating func of(_ original: [UInt8]) -> [UInt8] {
        var text = original
        for _ in 0...(below(4) == 0 ? 2 : 0) where !text.isEmpty { damage(&text) }
        return text
    }

    private mutating func damage(_ text: inout [UInt8]) {
        let place = below(text.count)
        let few = min(text.count - place, 1 + below(4))
        switch below(7) {
        case 0: text[place] ^= 1 << UInt8(below(8))
        case 1: text[place] = UInt8(below(256))
        case 2: text.removeSubrange(place..<place + few)
        case 3: text.insert(contentsOf: Self.tokens[below(Self.tokens.count)], at: place)
        case 4: text.replaceSubrange(place..<place + few, with: Self.tokens[below(Self.tokens.count)])
        case 5: text.insert(contentsOf: text[place..<place + few], at: below(text.count))
        default: text.removeSubrange(place...)
        }
    }
}
