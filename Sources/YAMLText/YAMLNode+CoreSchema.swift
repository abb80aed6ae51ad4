package import JSONText

// The meaning of scalars in the core schema (YAML 1.2.2, 10.3.2). A quoted scalar is always a string.
extension YAMLNode {
    /// The text of a scalar, quoted or plain, or `nil` for a sequence or a mapping.
    package var text: String? {
        guard case .scalar(let text, _) = value else { return nil }
        return text
    }

    private var plain: String? {
        guard case .scalar(let text, .plain) = value else { return nil }
        return text
    }

    /// Whether this is null, either spelled out or empty.
    package var isNull: Bool { plain.map { ["", "~", "null", "Null", "NULL"].contains($0) } ?? false }

    /// The Boolean value, or `nil`. Only `true` and `false` count (in lower, upper or title case); `yes` and `no` do
    /// not.
    package var truth: Bool? {
        switch plain {
        case "true", "True", "TRUE": true
        case "false", "False", "FALSE": false
        default: nil
        }
    }

    /// The value of an integer that fits `Int64`: decimal, `0x…` or `0o…`.
    package var integer: Int64? {
        guard let plain else { return nil }
        // The initializer would also accept a sign after the prefix.
        let digits = plain.dropFirst(2)
        let isSigned = digits.hasPrefix("+") || digits.hasPrefix("-")
        if plain.hasPrefix("0x") { return isSigned ? nil : Int64(digits, radix: 16) }
        if plain.hasPrefix("0o") { return isSigned ? nil : Int64(digits, radix: 8) }
        return Int64(plain)
    }

    /// The value of a number, which may be an integer. Infinite for `.inf` and for numbers that are too large.
    package var number: Double? {
        guard let plain else { return nil }
        switch plain {
        case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF": return .infinity
        case "-.inf", "-.Inf", "-.INF": return -.infinity
        case ".nan", ".NaN", ".NAN": return .nan
        default: return Self.isDecimal(plain) ? Double(plain) : integer.map(Double.init)
        }
    }

    /// Returns whether a text matches `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`.
    private static func isDecimal(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        func take(_ either: UInt8, _ or: UInt8) -> Bool {
            guard let first = rest.first, first == either || first == or else { return false }
            rest.removeFirst()
            return true
        }
        func takeDigits() -> Bool {
            let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            rest.removeFirst(digits.count)
            return !digits.isEmpty
        }
        let (plus, minus, point) = (UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."))
        _ = take(plus, minus)
        let hasWhole = takeDigits()
        let hasFraction = take(point, point) && takeDigits()
        guard hasWhole || hasFraction else { return false }
        guard take(UInt8(ascii: "e"), UInt8(ascii: "E")) else { return rest.isEmpty }
        _ = take(plus, minus)
        return takeDigits() && rest.isEmpty
    }

    /// The value as JSON text; see `JSONWriter.value(_:)`.
    package var json: RawJSON {
        var writer = JSONWriter()
        writer.value(self)
        return RawJSON(unchecked: writer.bytes[...])
    }
}

extension JSONWriter {
    /// Writes a YAML value as JSON.
    ///
    /// A plain scalar is written with its meaning in the core schema. A number keeps its spelling if that is valid
    /// JSON. Any other scalar becomes a string, and so do numbers that JSON cannot represent (`.inf`, `.nan`).
    package mutating func value(_ node: YAMLNode) {
        switch node.value {
        case .scalar(let text, .quoted): string(text)
        case .scalar(let text, .plain): plain(text, of: node)
        case .sequence(let elements):
            beginArray()
            for element in elements { value(element) }
            endArray()
        case .mapping(let members):
            beginObject()
            for member in members {
                key(member.key.text ?? "")
                value(member.value)
            }
            endObject()
        }
    }

    private mutating func plain(_ text: String, of node: YAMLNode) {
        if node.isNull { return null() }
        if let truth = node.truth { return bool(truth) }
        guard let number = node.number else { return string(text) }
        if let spelled = try? RawJSON(checking: Array(text.utf8)[...]) { return raw(spelled) }
        if let integer = node.integer { return self.integer(integer) }
        number.isFinite ? self.number(number) : string(text)
    }
}
