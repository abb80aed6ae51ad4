package import WeirEvents
import WeirTerminal
import WeirWire

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

/// A field that a filter can test.
public enum FilterField: Hashable, Sendable {
    case type, kind, room, actor, event, namespace, direction, size, lag, known, isUser, mentions, text
    case title, actorName, isRead, time
    case diffOperation, diffSection, diffKind, diffID, diffField
    /// A value in the event's payload. The path has at least one step.
    case payload([Step])

    /// One step of a path into a JSON value.
    public enum Step: Hashable, Sendable {
        case key(String)
        case element(Int)
    }

    /// The type of a field's values.
    package enum Domain {
        /// A closed list of words.
        case words([String])
        case text
        /// A size in bytes, such as `64K`.
        case size
        /// A duration, such as `500ms`.
        case span
        /// A point in time, such as `2026-07-29`.
        case instant
        case truth
        /// Any JSON value that the peer sends.
        case json
    }

    /// The fields that have a fixed name, in the order of the documentation. A field may have more than one name.
    package static let named: [(name: String, field: FilterField)] = [
        ("type", .type), ("kind", .kind), ("room", .room), ("actor", .actor), ("event", .event),
        ("namespace", .namespace), ("dir", .direction), ("size", .size), ("lag", .lag), ("known", .known),
        ("is_user", .isUser), ("mentions", .mentions), ("title", .title),
        ("room_title", .title), ("actor_name", .actorName), ("is_read", .isRead), ("text", .text),
        ("time", .time),
        ("diff.op", .diffOperation),
        ("diff.section", .diffSection), ("diff.kind", .diffKind), ("diff.id", .diffID), ("diff.field", .diffField),
    ]

    package var domain: Domain {
        switch self {
        case .type: .words(Report.typeNames)
        case .kind: .words(Self.kinds)
        case .direction: .words(["in", "out"])
        case .diffOperation: .words(DiffOperation.allCases.map(\.rawValue))
        case .diffKind: .words(Item.Kind.all.map(\.rawValue))
        case .room, .title, .actor, .actorName, .event, .namespace, .mentions, .text, .diffSection, .diffID, .diffField:
            .text
        case .size: .size
        case .lag: .span
        case .time: .instant
        case .known, .isUser, .isRead: .truth
        case .payload: .json
        }
    }

    /// The kinds of events and of rows. A change without an event has the kinds of its rows.
    private static let kinds =
        BackendModule.allEventKinds + Item.Kind.all.map(\.rawValue).filter { !BackendModule.allEventKinds.contains($0) }

    /// Returns the words that the field accepts, or `nil` when its values are not a closed list.
    ///
    /// - Parameter kinds: The kinds that a profile declares, appended for `kind` and `diff.kind`.
    func words(with kinds: [String]) -> [String]? {
        guard case .words(let words) = domain else { return nil }
        return self == .kind || self == .diffKind ? words + kinds.filter { !words.contains($0) } : words
    }

    /// Whether a test of the field applies to each row of a change separately.
    package var isOfRows: Bool {
        switch self {
        case .diffOperation, .diffSection, .diffKind, .diffID, .diffField, .isRead, .time: true
        case .type, .kind, .room, .actor, .event, .namespace, .direction, .size, .lag, .known, .isUser, .mentions,
            .text, .title, .actorName, .payload:
            false
        }
    }
}

/// The effect of a change on a row.
package enum DiffOperation: String, CaseIterable, Sendable {
    case delete, insert, move, update
}

extension FilterField: CustomStringConvertible {
    /// The name of the field in filter syntax.
    public var description: String {
        guard case .payload(let steps) = self else {
            return Self.named.first { $0.field == self }?.name ?? ""
        }
        return steps.reduce(into: "payload") { text, step in
            switch step {
            case .key(let key) where FilterSyntax.isPlainKey(key): text += "." + key
            case .key(let key): text += "." + FilterSyntax.quoted(key)
            case .element(let index): text += "[\(index)]"
            }
        }
    }
}

extension Report {
    /// The names of the report types, as in the objects of `--format json`.
    package static let typeNames = [
        "event", "diff", "gap", "conn", "room", "action", "emit", "refetch", "typing", "undecodable", "notice", "mark",
    ]

    /// The name of this report's type, one of `typeNames`.
    package var typeName: String {
        switch self {
        case .event: "event"
        case .diff: "diff"
        case .gap: "gap"
        case .connection: "conn"
        case .room: "room"
        case .action: "action"
        case .emit: "emit"
        case .refetch: "refetch"
        case .typing: "typing"
        case .undecodable: "undecodable"
        case .notice(let notice): notice.mark == nil ? "notice" : "mark"
        }
    }
}
