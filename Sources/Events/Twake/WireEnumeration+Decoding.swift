import JSONText

extension WireEnumeration {
    /// Reads a value; returns `nil` for null and the empty string.
    static func ifAny(reading reader: inout JSONReader) throws(Mismatch) -> Self? {
        try reader.textIfAny()?.unlessEmpty.map { Self(wire: $0) }
    }

    /// Reads a list of values; null counts as an empty list.
    static func list(reading reader: inout JSONReader) throws(Mismatch) -> [Self] {
        var values: [Self] = []
        guard try reader.openListIfAny() else { return values }
        while try reader.another() {
            if let value = try ifAny(reading: &reader) { values.append(value) }
        }
        return values
    }
}
