/// How one cell of a screen looks.
package struct TerminalAppearance: Hashable, Sendable {
    /// What a terminal does to text besides colouring it.
    package struct Attributes: OptionSet, Hashable, Sendable {
        /// The bits.
        package let rawValue: UInt8
        /// A set of these bits.
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Brighter, or in heavier letters.
        package static let bold = Attributes(rawValue: 1)
        /// Fainter.
        package static let dim = Attributes(rawValue: 2)
        /// With a line below.
        package static let underlined = Attributes(rawValue: 4)
        /// Foreground and background changed places.
        package static let reversed = Attributes(rawValue: 8)
    }

    /// A colour of the 256-colour table, or the terminal's own.
    package struct Colour: Hashable, Sendable {
        private let code: UInt16
        /// What the terminal takes by itself.
        package static let own = Colour(code: 0)
        private init(code: UInt16) { self.code = code }
        /// A colour of the table.
        package init(_ index: UInt8) { code = UInt16(index) + 1 }
        /// Its place in the table; nil for the terminal's own.
        package var index: UInt8? { code == 0 ? nil : UInt8(truncatingIfNeeded: code - 1) }

        /// The colour of the table that comes closest; each part is 0 to 255.
        package static func nearest(red: Int, green: Int, blue: Int) -> Colour {
            func distance(_ index: UInt8) -> Int {
                let parts = Colour(index).parts
                return [parts.red - red, parts.green - green, parts.blue - blue].reduce(0) { $0 + $1 * $1 }
            }
            return Colour((16...255).min { distance($0) < distance($1) } ?? 16)
        }

        /// What it is made of, each part 0 to 255. The first sixteen are whatever the user says; here they are as xterm has them.
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

    /// The colour of the letters.
    package var foreground: Colour
    /// The colour behind them.
    package var background: Colour
    /// What else is done to them.
    package var attributes: Attributes

    /// As the terminal shows text by itself, unless something is said.
    package init(foreground: Colour = .own, background: Colour = .own, _ attributes: Attributes = []) {
        self.foreground = foreground
        self.background = background
        self.attributes = attributes
    }

    /// As the terminal shows text by itself.
    package static let plain = TerminalAppearance()

    /// The same with more attributes.
    package func adding(_ attributes: Attributes) -> TerminalAppearance {
        TerminalAppearance(
            foreground: foreground, background: background, self.attributes.union(attributes))
    }
}

extension TerminalAppearance {
    /// Applies the parameters of an SGR sequence (ECMA-48 8.3.117); what it does not know is passed over.
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

    /// The shortest sequence that gives this look to a terminal that has `other`; nothing when it is the same.
    func appendSequence(after other: TerminalAppearance, to bytes: inout [UInt8]) {
        guard self != other else { return }
        var codes: [String] = []
        let gone = other.attributes.subtracting(attributes)
        var base = other
        let losesColour =
            (other.foreground != .own && foreground == .own) || (other.background != .own && background == .own)
        if !gone.isEmpty || losesColour {
            // Taking away one thing of several costs more than beginning anew.
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
