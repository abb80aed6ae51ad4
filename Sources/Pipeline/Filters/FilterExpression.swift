package import Events
import Wire

/// A filter as a tree, every test of it known to make sense. Printed, and read again, it is the same.
package indirect enum FilterExpression: Hashable, Sendable {
    case test(FilterTest)
    case not(FilterExpression)
    /// Two or more; none of them is `all` itself.
    case all([FilterExpression])
    /// Two or more; none of them is `any` itself.
    case any([FilterExpression])

    /// All of them; of one, that one.
    package static func every(_ parts: [FilterExpression]) -> FilterExpression {
        let flat = parts.flatMap { part in if case .all(let inner) = part { inner } else { [part] } }
        return flat.count == 1 ? flat[0] : .all(flat)
    }

    /// One of them; of one, that one.
    package static func some(_ parts: [FilterExpression]) -> FilterExpression {
        let flat = parts.flatMap { part in if case .any(let inner) = part { inner } else { [part] } }
        return flat.count == 1 ? flat[0] : .any(flat)
    }

    /// What must all hold.
    package var conjuncts: [FilterExpression] { if case .all(let parts) = self { parts } else { [self] } }

    /// The tests, from left to right.
    package var tests: [FilterTest] {
        switch self {
        case .test(let test): [test]
        case .not(let inner): inner.tests
        case .all(let parts), .any(let parts): parts.flatMap(\.tests)
        }
    }
}

extension FilterExpression: CustomStringConvertible {
    package var description: String {
        switch self {
        case .test(let test): test.description
        case .not(let inner): "not " + inner.parenthesized
        case .all(let parts):
            parts.map { if case .any = $0 { $0.parenthesized } else { $0.description } }
                .joined(separator: " and ")
        case .any(let parts): parts.map(\.description).joined(separator: " or ")
        }
    }

    private var parenthesized: String {
        switch self {
        case .test, .not: description
        case .all, .any: "(" + description + ")"
        }
    }
}

/// One question about one field.
package struct FilterTest: Hashable, Sendable {
    package enum Operator: String, Hashable, Sendable, CaseIterable {
        case equal = "="
        case notEqual = "!="
        case less = "<"
        case atMost = "<="
        case greater = ">"
        case atLeast = ">="
        case matches = "~"
        case matchesNot = "!~"
        case like
        case unlike = "not like"
        case oneOf = "in"
        case noneOf = "not in"
        case exists

        /// Whether it says the opposite of another one.
        var isNegative: Bool {
            switch self {
            case .notEqual, .matchesNot, .unlike, .noneOf: true
            case .equal, .less, .atMost, .greater, .atLeast, .matches, .like, .oneOf, .exists: false
            }
        }
    }

    package var field: FilterField
    package var operation: Operator
    /// One; none for `exists`, one or more for `in`.
    package var values: [FilterValue]
}

extension FilterTest: CustomStringConvertible {
    package var description: String {
        switch operation {
        case .exists: "\(field) exists"
        case .oneOf, .noneOf: "\(field) \(operation.rawValue) (" + values.map(\.text).joined(separator: ", ") + ")"
        case .equal, .notEqual, .less, .atMost, .greater, .atLeast, .matches, .matchesNot, .like, .unlike:
            "\(field) \(operation.rawValue) " + (values.first?.text ?? "")
        }
    }
}

/// A value that a field is compared with.
package enum FilterValue: Hashable, Sendable {
    case string(String)
    /// A regular expression.
    case pattern(String)
    case truth(Bool)
    case null
    /// Bytes.
    case size(Int64)
    /// Microseconds.
    case span(Int64)
    /// A point in time, and as it was written.
    case instant(Timestamp, String)
    /// A number of a payload, as it was written.
    case number(String)

    /// As it is written.
    package var text: String {
        switch self {
        case .string(let text): FilterValue.isWord(text) ? FilterSyntax.quoted(text) : FilterSyntax.value(text)
        case .pattern(let text): FilterSyntax.pattern(text)
        case .truth(let value): value ? "true" : "false"
        case .null: "null"
        case .size(let bytes): TypedAmount.text(of: bytes, in: TypedAmount.sizeUnits)
        case .span(let microseconds): TypedAmount.text(of: microseconds, in: TypedAmount.spanUnits)
        case .instant(_, let text): FilterSyntax.value(text)
        case .number(let text): text
        }
    }

    /// Whether the text, bare, would not be read as a text in a payload's place.
    private static func isWord(_ text: String) -> Bool {
        ["true", "false", "null"].contains(text) || FilterNumber(text) != nil
    }
}

/// A number as JSON writes one. Whole ones are compared by their digits, however many they are, others as `Double`.
package struct FilterNumber: Comparable, Sendable {
    /// When it is whole and fits.
    package var integer: Int64?
    /// The digits of one that is whole and does not fit, without a sign.
    private var large: String?
    /// Infinite for a whole one beyond `Double`.
    package var real: Double

    package init(_ integer: Int64) {
        self.integer = integer
        real = Double(integer)
    }

    package init?(_ text: String) {
        var bytes = Substring(text).utf8
        if bytes.first == UInt8(ascii: "-") { bytes.removeFirst() }
        guard let first = bytes.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first),
            text.utf8.allSatisfy(Self.isNumeric), let real = Double(text)
        else { return nil }
        self.real = real
        integer = Int64(text)
        if integer == nil, bytes.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            large = String(Substring(bytes.drop { $0 == UInt8(ascii: "0") }))
        }
        guard real.isFinite || large != nil else { return nil }
    }

    private var isWhole: Bool { integer != nil || large != nil }

    package static func == (a: FilterNumber, b: FilterNumber) -> Bool {
        guard a.isWhole, b.isWhole else { return a.real == b.real }
        return a.integer == b.integer && a.large == b.large && a.real == b.real
    }

    package static func < (a: FilterNumber, b: FilterNumber) -> Bool {
        guard a.isWhole, b.isWhole else { return a.real < b.real }
        if let a = a.integer, let b = b.integer { return a < b }
        guard let digits = a.large else { return b.real > 0 }
        guard let others = b.large else { return a.real < 0 }
        guard a.real.sign == b.real.sign else { return a.real < b.real }
        let (digit, other) = ((digits.utf8.count, digits), (others.utf8.count, others))
        return a.real < 0 ? other < digit : digit < other
    }

    private static func isNumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}
