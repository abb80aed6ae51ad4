import JSONText

extension JSONReader {
    /// Reads a time; returns `nil` for null. The wire's may be a number, that number in quotes, or a
    /// date. Any other text is refused.
    mutating func instantIfAny(_ form: FieldForm) throws(Mismatch) -> Timestamp? {
        if try isNull() { return nil }
        guard form == .wire else { return try loggedTime() }
        guard try kind() == .string else { return try timeIfAny() }
        let start = offset
        let text = try text()
        if text.isEmpty { return nil }
        if let number = Int64(text) { return Timestamp(wire: number) }
        guard let time = Timestamp(iso8601: text) else { throw Mismatch(.unusable("not a time"), at: start) }
        return time
    }

    /// Reads a number, in quotes or not (GroupMe GM-13: `pack_id`, GM-24: `minutes`); returns `nil` for null and for
    /// a text that is not an integer.
    mutating func looseIntegerIfAny() throws(Mismatch) -> Int? {
        guard try kind() == .string else { return try integerIfAny().map { Int(clamping: $0) } }
        return Int(try text())
    }

    /// Reads the next value as its text, without white space and inert on a terminal.
    mutating func keptText() throws(Mismatch) -> RawJSON {
        let range = try pass()
        return compactText(at: range)
    }
}
