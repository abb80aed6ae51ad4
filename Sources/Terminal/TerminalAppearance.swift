/// The colours and attributes of a cell on a screen.
package struct TerminalAppearance: Hashable, Sendable {
    /// The changes that a terminal makes to text in addition to colours.
    package struct Attributes: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Brighter, or in heavier letters (SGR 1).
        package static let bold = Attributes(rawValue: 1)
        /// Fainter than normal text (SGR 2).
        package static let dim = Attributes(rawValue: 2)
        /// With a line below the letters (SGR 4).
        package static let underlined = Attributes(rawValue: 4)
        /// With foreground and background colours swapped (SGR 7).
        package static let reversed = Attributes(rawValue: 8)
    }

    /// A colour of the 256-colour table, or the terminal's default colour.
    package struct Colour: Hashable, Sendable {
        private let code: UInt16
        /// The default colour of the terminal.
        package static let own = Colour(code: 0)
        private init(code: UInt16) { self.code = code }
        /// Creates a colour from its index in the 256-colour table.
        package init(_ index: UInt8) { code = UInt16(index) + 1 }
        /// The colour's index in the 256-colour table; `nil` for the terminal's default.
        package var index: UInt8? { code == 0 ? nil : UInt8(truncatingIfNeeded: code - 1) }

        /// Returns the table's nearest colour from index 16 on. Each part ranges from 0 to 255.
        package static func nearest(red: Int, green: Int, blue: Int) -> Colour {
            func distance(_ index: UInt8) -> Int {
                let parts = Colour(index).parts
                return [parts.red - red, parts.green - green, parts.blue - blue].reduce(0) { $0 + $1 * $1 }
            }
            return Colour((16...255).min { distance($0) < distance($1) } ?? 16)
        }

        /// The colour's red, green and blue parts, each from 0 to 255. Users can configure the first sixteen colours;
        /// these are xterm's defaults.
        package var parts: (red: Int, green: Int, blue: Int) {
            switch Int(index ?? 0) {
            case let index where index < 16:
                let part = { (bit: Int) in index & bit == 0 ? (index == 8 ? 127 : 0) : (index < 8 ? 205 : 255) }
                return index == 7 ? (229, 229, 229) : (part(1), part(2), part(4))
            case let index where index < 232:
                let part = { (step: Int) in (index - 16) / step % 6 * 40 + ((index - 16) / step % 6 == 0 ? 0 : 55) }
                return (part(36), part(6), part(1))
            case let index: return (index * 10 - 2312, index * 10 - 2312, index * 10 - 2312)
            }
        }
    }

    /// The colour of the characters.
    package var foreground: Colour
    /// The colour of the cell's background.
    package var background: Colour
    /// The attributes of the characters, such as bold.
    package var attributes: Attributes

    /// Creates an appearance. The defaults are those of the terminal.
    package init(foreground: Colour = .own, background: Colour = .own, _ attributes: Attributes = []) {
        self.foreground = foreground
        self.background = background
        self.attributes = attributes
    }

    /// The default appearance of the terminal.
    package static let plain = TerminalAppearance()

    /// Returns this appearance with additional attributes.
    package func adding(_ attributes: Attributes) -> TerminalAppearance {
        TerminalAppearance(
            foreground: foreground, background: background, self.attributes.union(attributes))
    }
}

extension TerminalAppearance {
    /// Applies the parameters of an SGR sequence (ECMA-48 8.3.117). Unknown parameters are ignored.
    mutating func apply(_ parameters: ArraySlice<UInt8>) {
        var numbers = parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map {
            $0.reduce(0) { value, digit in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) && value < 1000
                    ? value * 10 + Int(digit - UInt8(ascii: "0")) : 1000
            }
        }[...]
        while let number = numbers.popFirst() {
            switch number {
            case 0: self = .plain
            case 1: attributes.insert(.bold)
            case 2: attributes.insert(.dim)
            case 4: attributes.insert(.underlined)
            case 7: attributes.insert(.reversed)
            case 22: attributes.subtract([.bold, .dim])
            case 24: attributes.remove(.underlined)
            case 27: attributes.remove(.reversed)
            case 30...37: foreground = Colour(UInt8(number - 30))
            case 90...97: foreground = Colour(UInt8(number - 90 + 8))
            case 39: foreground = .own
            case 40...47: background = Colour(UInt8(number - 40))
            case 100...107: background = Colour(UInt8(number - 100 + 8))
            case 49: background = .own
            case 38, 48:
                guard numbers.popFirst() == 5, let index = numbers.popFirst().flatMap(UInt8.init(exactly:)) else {
                    return
                }
                if number == 38 { foreground = Colour(index) } else { background = Colour(index) }
            default: break
            }
        }
    }

    /// Appends the shortest sequence that changes a terminal's appearance from `other` to this one. Appends nothing
    /// when both are equal.
    func appendSequence(after other: TerminalAppearance, to bytes: inout [UInt8]) {
        guard self != other else { return }
        var codes: [String] = []
        let gone = other.attributes.subtracting(attributes)
        var base = other
        let losesColour =
            (other.foreground != .own && foreground == .own) || (other.background != .own && background == .own)
        if !gone.isEmpty || losesColour {
            // Removing one of several attributes costs more than starting again from plain.
            codes.append("0")
            base = .plain
        }
        let added = attributes.subtracting(base.attributes)
        if added.contains(.bold) { codes.append("1") }
        if added.contains(.dim) { codes.append("2") }
        if added.contains(.underlined) { codes.append("4") }
        if added.contains(.reversed) { codes.append("7") }
        if foreground != base.foreground, let index = foreground.index { codes.append(Self.code(index, 30, 38)) }
        if background != base.background, let index = background.index { codes.append(Self.code(index, 40, 48)) }
        let text = codes == ["0"] ? "" : codes.joined(separator: ";")
        bytes.append(contentsOf: "\u{1B}[\(text)m".utf8)
    }

    private static func code(_ index: UInt8, _ first: Int, _ extended: Int) -> String {
        switch index {
        case 0..<8: "\(first + Int(index))"
        case 8..<16: "\(first + 60 + Int(index) - 8)"
        default: "\(extended);5;\(index)"
        }
    }
}
