/// The appearance of text by role. Its table defines all colours of the program.
package struct TerminalTheme: Hashable, Sendable {
    /// The names of the built-in themes.
    package enum Name: String, CaseIterable, Sendable {
        /// Readable on both black and white backgrounds.
        case auto
        /// For a dark background, and for a light one.
        case dark, light
        /// The sixteen colours that the user configured in the terminal.
        case terminal
        /// No colours: bold, dim and reversed text only.
        case none
    }

    /// The reason why a style is malformed.
    package struct Malformed: Error {
        /// The problem, as a sentence without a full stop.
        package let message: String
    }

    /// One row per role, in their order, and one column per theme. `auto` has a contrast of at least 3.8 to both black
    /// and white; `dark` and `light` have at least 5 to their backgrounds (WCAG 2). Rooms use none of the warning
    /// colours.
    private static let table: [(role: TerminalStyle.Role, looks: [String])] = [
        (.time, ["243", "245", "242", "dim", "dim"]),
        (
            .room,
            [
                "27,29,30,31,32,62,63,64,65,66,97,98,99,132,133,134,163,164",
                "39,43,44,73,75,78,79,81,109,110,111,114,116,140,141,147,150,152,176,177,183,213",
                "18,19,22,23,24,25,26,27,53,54,55,57,60,61,62,90,91,92,93,96,127,128",
                "blue,magenta,cyan,bold blue,bold magenta,bold cyan", "plain",
            ]
        ),
        (.kind, ["plain", "plain", "plain", "plain", "plain"]), (.actor, ["bold", "bold", "bold", "bold", "bold"]),
        (.key, ["31", "74", "25", "blue", "plain"]), (.string, ["28", "114", "22", "green", "plain"]),
        (.number, ["133", "176", "90", "magenta", "plain"]), (.heading, ["bold", "bold", "bold", "bold", "bold"]),
        (.faint, ["243", "245", "242", "dim", "dim"]), (.good, ["28", "78", "22", "green", "plain"]),
        (.caution, ["130", "215", "94", "yellow", "bold"]), (.bad, ["160", "203", "124", "red", "bold"]),
        (.match, ["reverse", "reverse", "reverse", "reverse", "reverse"]),
    ]

    /// The appearances of each role with the sequences that begin them: one for all texts of the role, or several to
    /// choose from.
    private var looks: [[Look]]

    private struct Look: Hashable, Sendable {
        var appearance: TerminalAppearance
        var sequence: [UInt8] = []

        init(_ appearance: TerminalAppearance) {
            self.appearance = appearance
            appearance.appendSequence(after: .plain, to: &sequence)
        }
    }

    /// Creates one of the built-in themes.
    package init(_ name: Name) {
        let column = Name.allCases.firstIndex(of: name) ?? 0
        looks = Self.table.map { row in
            guard let looks = try? Self.looks(row.looks[column]) else {
                preconditionFailure("\(name) has no \(row.role)")
            }
            return looks
        }
    }

    /// Changes the appearance of a role, as in `actor=bold blue`, `time=#888888`, `room=27,29,underline 31`,
    /// `match=black on yellow`.
    package mutating func set(_ text: String) throws(Malformed) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw Malformed(message: "expected ROLE=STYLE, as in actor=bold blue") }
        let names = TerminalStyle.Role.allCases.map(\.name)
        guard let index = names.firstIndex(of: parts[0]) else {
            throw Malformed(
                message: "there is no role '\(parts[0])'" + Suggestion.phrase(for: parts[0], among: names)
                    + "; roles are " + names.joined(separator: ", "))
        }
        looks[index] = try Self.looks(parts[1])
    }

    /// The appearance of text in a style.
    package subscript(style: TerminalStyle) -> TerminalAppearance { look(style)?.appearance ?? .plain }

    /// Returns the appearances of a role, at least one.
    package func appearances(of role: TerminalStyle.Role) -> [TerminalAppearance] {
        looks[role.rawValue].map(\.appearance)
    }

    /// Appends the sequence that begins a style, or nothing for plain text. Returns whether it appended a sequence.
    func appendSequence(of style: TerminalStyle, to bytes: inout [UInt8]) -> Bool {
        guard let look = look(style), !look.sequence.isEmpty else { return false }
        bytes.append(contentsOf: look.sequence)
        return true
    }

    private func look(_ style: TerminalStyle) -> Look? {
        guard let role = style.role else { return nil }
        let looks = looks[role.rawValue]
        return looks[Int(style.variant % UInt32(looks.count))]
    }

    // MARK: - As it is written

    private static func looks(_ text: String) throws(Malformed) -> [Look] {
        var looks: [Look] = []
        for part in text.split(separator: ",") { looks.append(Look(try appearance(part))) }
        guard !looks.isEmpty else { throw Malformed(message: "the style is missing") }
        return looks
    }

    private static let attributes: KeyValuePairs<String, TerminalAppearance.Attributes> = [
        "bold": .bold, "dim": .dim, "underline": .underlined, "reverse": .reversed, "plain": [],
    ]
    private static let names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]

    private static func appearance(_ text: Substring) throws(Malformed) -> TerminalAppearance {
        var look = TerminalAppearance.plain
        var isBehind = false
        for word in text.split(separator: " ").map(String.init) {
            if let attribute = attributes.first(where: { $0.key == word })?.value {
                look.attributes.formUnion(attribute)
            } else if word == "on" {
                isBehind = true
            } else if let colour = colour(word) {
                if isBehind { look.background = colour } else { look.foreground = colour }
            } else {
                let words = attributes.map(\.key) + names
                throw Malformed(
                    message: "'\(word)' is not a colour" + Suggestion.phrase(for: word, among: words)
                        + "; write 0 to 255, #rrggbb, \(words.joined(separator: ", ")), bright-NAME, on COLOUR")
            }
        }
        return look
    }

    private static func colour(_ word: String) -> TerminalAppearance.Colour? {
        if let index = UInt8(word) { return TerminalAppearance.Colour(index) }
        if let index = names.firstIndex(of: word) { return TerminalAppearance.Colour(UInt8(index)) }
        if word.hasPrefix("bright-"), let index = names.firstIndex(of: String(word.dropFirst(7))) {
            return TerminalAppearance.Colour(UInt8(index) + 8)
        }
        guard word.hasPrefix("#"), word.utf8.count == 7, word.dropFirst().allSatisfy(\.isHexDigit),
            let value = UInt32(word.dropFirst(), radix: 16).map({ Int($0) })
        else { return nil }
        return .nearest(red: value >> 16, green: value >> 8 & 255, blue: value & 255)
    }
}

/// The role of a text, which determines its appearance on a terminal with colours; see `TerminalTheme`.
package struct TerminalStyle: Hashable, Sendable {
    /// The roles of texts, in the order of the table of themes.
    package enum Role: Int, CaseIterable, Sendable {
        case time, room, kind, actor, key, string, number, heading, faint, good, caution, bad, match
        /// The role's name in settings and options.
        package var name: String { "\(self)" }
    }

    /// The role; `nil` for plain text.
    let role: Role?
    /// The number that selects one of the role's appearances.
    let variant: UInt32

    private init(_ role: Role?, variant: UInt32 = 0) { (self.role, self.variant) = (role, variant) }

    package static let plain = Self(nil), time = Self(.time), kind = Self(.kind), actor = Self(.actor)
    package static let key = Self(.key), string = Self(.string), number = Self(.number), heading = Self(.heading)
    package static let faint = Self(.faint), good = Self(.good), caution = Self(.caution), bad = Self(.bad)
    /// Text highlighted in addition to its own style.
    static let match = Self(.match)

    /// Returns the style of a room. It depends only on the displayed title, so it is the same in every run and for all
    /// rooms with that title.
    package static func room(_ name: String) -> TerminalStyle {
        var hash: UInt32 = 0x811C_9DC5
        for byte in name.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        return Self(.room, variant: hash)
    }
}

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
