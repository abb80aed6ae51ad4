// Literals and text. `let value: JSONValue = ["name": "Ana", "age": 30, "tags": [nil, true, 1.5]]` needs no case names.

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates `null` from the literal `nil`.
    public init(nilLiteral: ()) { self = .null }
    /// Creates a Boolean from `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates an integer from a literal without a point.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a number from a literal with a point or an exponent.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// Creates a string from a literal, which may be interpolated.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an array from literals and values.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Creates an object. Its members keep their order, and a key may be repeated.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as JSON text on one line, safe to print on a terminal.
    public var description: String { raw.description }
}

// Values as Swift types. Each is `nil` for a value of another kind.
extension JSONValue {
    /// The text of a string.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// A number that an `Int` holds exactly.
    public var int: Int? {
        switch self {
        case .integer(let value): Int(exactly: value)
        case .number(let value): Int(exactly: value)
        case .null, .bool, .string, .text, .array, .object: nil
        }
    }
    /// A number, rounded to the nearest `Double`.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .null, .bool, .string, .text, .array, .object: nil
        }
    }
    /// A Boolean: `true` or `false`.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The elements of an array.
    public var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

    /// The element at `index` of an array. `nil` if there is none, or if this is not an array.
    public subscript(index: Int) -> JSONValue? {
        guard let array, array.indices.contains(index) else { return nil }
        return array[index]
    }
}
