package import Events
import Wire

/// A filter as a tree, in which every test is valid. Printing it and parsing the result gives an equal tree.
package indirect enum FilterExpression: Hashable, Sendable {
    case test(FilterTest)
    case not(FilterExpression)
    /// A conjunction of two or more parts. No part is itself `all`.
    case all([FilterExpression])
    /// A disjunction of two or more parts. No part is itself `any`.
    case any([FilterExpression])

    /// Returns the conjunction of the parts; a single part is returned unchanged.
    package static func every(_ parts: [FilterExpression]) -> FilterExpression {
        let flat = parts.flatMap { part in if case .all(let inner) = part { inner } else { [part] } }
        return flat.count == 1 ? flat[0] : .all(flat)
    }

    /// Returns the disjunction of the parts; a single part is returned unchanged.
    package static func some(_ parts: [FilterExpression]) -> FilterExpression {
        let flat = parts.flatMap { part in if case .any(let inner) = part { inner } else { [part] } }
        return flat.count == 1 ? flat[0] : .any(flat)
    }

    /// The parts of a top-level conjunction, or the expression itself.
    package var conjuncts: [FilterExpression] { if case .all(let parts) = self { parts } else { [self] } }

    /// All tests from left to right.
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

/// A comparison of one field with constant values.
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

        /// Whether the operator is the negation of another one.
        var isNegative: Bool {
            switch self {
            case .notEqual, .matchesNot, .unlike, .noneOf: true
            case .equal, .less, .atMost, .greater, .atLeast, .matches, .like, .oneOf, .exists: false
            }
        }
    }

    package var field: FilterField
    package var operation: Operator
    /// The operands: none for `exists`, one or more for `in`, otherwise exactly one.
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

/// A constant that a field is compared with.
package enum FilterValue: Hashable, Sendable {
    case string(String)
    /// The source of a regular expression.
    case pattern(String)
    case truth(Bool)
    case null
    /// A size, in bytes; `64K` is stored as 65536.
    case size(Int64)
    /// A duration, in microseconds; `500ms` is stored as 500000.
    case span(Int64)
    /// A time, with its spelling in the filter.
    case instant(Timestamp, String)
    /// A JSON number, as spelled in the filter.
    case number(String)

    /// The value in filter syntax.
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

    /// Whether the bare text would be parsed as something other than a string, in a test of a payload field.
    private static func isWord(_ text: String) -> Bool {
        ["true", "false", "null"].contains(text) || FilterNumber(text) != nil
    }
}

/// A JSON number. Integers of any length are compared exactly, by their digits. All other numbers are compared as
/// `Double`.
package struct FilterNumber: Comparable, Sendable {
    /// The value when it is an integer that fits into 64 bits.
    package var integer: Int64?
    /// The digits, without the sign, of an integer that does not fit into 64 bits.
    private var large: String?
    /// The value as a `Double`; infinite for an integer beyond its range.
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
