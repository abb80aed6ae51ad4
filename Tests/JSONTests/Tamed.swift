/// A text in which simdjson has a type for every value, provided the original was JSON: an unpaired surrogate becomes
/// `\\ufffd`, and a number becomes `0`. Text that is not JSON stays unchanged.
struct Tamed {
    private let text: [UInt8]
    private var tamed: [UInt8] = []
    private var place = 0

    static func text(of text: [UInt8]) -> [UInt8] {
        var tamed = Tamed(text: text)
        tamed.run()
        return tamed.tamed
    }

    private init(text: [UInt8]) { self.text = text }

    private mutating func run() {
        var isInString = false
        while place < text.count {
            let byte = text[place]
            if isInString, byte == UInt8(ascii: "\\") {
                escape()
            } else if !isInString, byte == UInt8(ascii: "-") || Self.digits.contains(byte) {
                number()
            } else {
                if byte == UInt8(ascii: "\"") { isInString.toggle() }
                take(1)
            }
        }
    }

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    private mutating func take(_ count: Int) {
        tamed += text[place..<min(place + count, text.count)]
        place += count
    }

    private mutating func escape() {
        switch unit(at: place) {
        case .some(0xD800..<0xDC00):
            if case .some(0xDC00..<0xE000) = unit(at: place + 6) { return take(12) }
            fallthrough
        case .some(0xDC00..<0xE000):
            tamed += Array(#"\ufffd"#.utf8)
            place += 6
        case _: take(2)
        }
    }

    /// The code unit of a complete escape; `nil` if none begins at `start`.
    private func unit(at start: Int) -> UInt16? {
        guard start + 6 <= text.count, text[start..<start + 2].elementsEqual(#"\u"#.utf8) else { return nil }
        let digits = String(decoding: text[start + 2..<start + 6], as: UTF8.self)
        return digits.utf8.count == 4 && digits.first != "+" ? UInt16(digits, radix: 16) : nil
    }

    /// Reads a number; one that follows the grammar becomes `0`.
    private mutating func number() {
        let rest = text[place...].prefix { Self.digits.contains($0) || "+-.eE".utf8.contains($0) }
        let isNumber =
            String(decoding: rest, as: UTF8.self).wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/)
            != nil
        if !isNumber { return take(rest.count) }
        tamed.append(UInt8(ascii: "0"))
        place += rest.count
    }
}
