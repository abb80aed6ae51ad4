import WeirEvents

@testable import WeirPipeline

@testable import WeirLive
@testable import WeirViews

/// Generates filters and texts that resemble filters, determined by a seed.
struct FilterGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    private mutating func number(below limit: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(limit))
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(below: elements.count)] }

    mutating func expression(depth: Int = 0) -> FilterExpression {
        switch number(below: depth > 3 ? 2 : 6) {
        case 0, 1: return .test(test())
        case 2: return .not(expression(depth: depth + 1))
        case 3: return .every((0...number(below: 3)).map { _ in expression(depth: depth + 1) })
        case 4: return .some((0...number(below: 3)).map { _ in expression(depth: depth + 1) })
        default: return .test(test())
        }
    }

    private mutating func field() -> FilterField {
        guard number(below: 4) == 0 else { return pick(FilterField.named.map(\.field)) }
        return .payload(
            (0...number(below: 3)).map { _ in
                number(below: 3) == 0
                    ? .element(number(below: 9)) : .key(pick(["a", "b-c", "ä", "", "a b", "\"", "x.y"]))
            })
    }

    private mutating func test() -> FilterTest {
        let field = field()
        let operation = pick(FilterTest.Operator.allCases.filter { field.allows($0) })
        let values: [FilterValue] =
            switch operation {
            case .exists: []
            case .matches, .matchesNot:
                [.pattern(pick(["a", "/", "^x/y$", "[/\\\\]", "a|b", "\\\\", "\\.", "( )", "\""]))]
            case .like, .unlike: [.string(pick(["*", "?*"]))]
            case .oneOf, .noneOf: (0...number(below: 3)).map { _ in value(of: field) }
            case .equal, .notEqual, .less, .atMost, .greater, .atLeast: [value(of: field)]
            }
        return FilterTest(field: field, operation: operation, values: values)
    }

    private mutating func value(of field: FilterField) -> FilterValue {
        switch field.domain {
        case .words(let words): .string(pick(words))
        case .text: .string(pick(Self.texts))
        case .size: .size(pick([0, 1, 1023, 1024, 65536, 3 << 30, Int64.max]))
        case .span: .span(pick([0, 1, -1, 1500, 90_000_000, -3_600_000_000, Int64.min]))
        case .instant: .instant(Timestamp(milliseconds: 1_785_283_200_000), "2026-07-29")
        case .truth: .truth(number(below: 2) == 0)
        case .json:
            pick([
                .string(pick(Self.texts)), .number(pick(["0", "-1.5", "1e9", "123456789012345678"])), .truth(true),
                .null,
            ])
        }
    }

    private static let texts = [
        "", "a", "a b", "true", "null", "5", "-1", "/x/y", "'", "\"", "\\", "é李", "\u{1B}[31m", "and", "(x)", "a,b",
        "\n",
        "x=y", "1.5K", "#general",
    ]

    /// Returns words of the language and other text, in random order.
    mutating func garbage() -> String {
        let pieces = [
            "kind", "room", "known", "size", "lag", "payload", "payload.a", "diff.op", "=", "!=", "<", ">=", "~", "!~",
            "in",
            "not", "and", "or", "like", "exists", "(", ")", ",", "/a/", "/", "'", "\"", "\\", "[", "]", ".", "{9}", "{",
            "message",
            "5", "64K", "2s", "true", "é", "\u{0}", "\u{202E}", "\n", "*", "insert", "a", "|",
        ]
        return (0...number(below: 9)).map { _ in pick(pieces) + (number(below: 3) > 0 ? " " : "") }.joined()
    }
}
