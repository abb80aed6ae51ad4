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
