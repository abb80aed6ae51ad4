package import JSONText

// What a scalar means by the core schema (YAML 1.2.2, 10.3.2). Quoted ones are texts only.
extension YAMLNode {
    /// What a scalar says, quoted or plain; nil for a sequence and a mapping.
    package var text: String? {
        guard case .scalar(let text, _) = value else { return nil }
        return text
    }

    private var plain: String? {
        guard case .scalar(let text, .plain) = value else { return nil }
        return text
    }

    /// Whether it is null, spelled out or as nothing at all.
    package var isNull: Bool { plain.map { ["", "~", "null", "Null", "NULL"].contains($0) } ?? false }

    /// `true` or `false`. No other word is one of them, `yes` and `no` neither.
    package var truth: Bool? {
        switch plain {
        case "true", "True", "TRUE": true
        case "false", "False", "FALSE": false
        default: nil
        }
    }

    /// An integer that fits: decimal, `0x…` or `0o…`.
    package var integer: Int64? {
        guard let plain else { return nil }
        // The initializer takes a sign also behind the prefix.
        let digits = plain.dropFirst(2)
        let isSigned = digits.hasPrefix("+") || digits.hasPrefix("-")
        if plain.hasPrefix("0x") { return isSigned ? nil : Int64(digits, radix: 16) }
        if plain.hasPrefix("0o") { return isSigned ? nil : Int64(digits, radix: 8) }
        return Int64(plain)
    }

    /// A number, an integer too; infinite for `.inf` and for what is too large.
    package var number: Double? {
        guard let plain else { return nil }
        switch plain {
        case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF": return .infinity
        case "-.inf", "-.Inf", "-.INF": return -.infinity
        case ".nan", ".NaN", ".NAN": return .nan
        default: return Self.isDecimal(plain) ? Double(plain) : integer.map(Double.init)
        }
    }

    /// Whether a text is `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`.
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

    /// The same as JSON text: see `JSONWriter.value(_:)`.
    package var json: RawJSON {
        var writer = JSONWriter()
        writer.value(self)
        return RawJSON(unchecked: writer.bytes[...])
    }
}

extension JSONWriter {
    /// Writes a YAML value. A plain scalar is what the core schema says, a number in its own spelling where JSON has it; every other scalar
    /// is a string, and so are the numbers that JSON does not know (`.inf`, `.nan`).
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
