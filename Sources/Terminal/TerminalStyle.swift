/// How text stands out on a terminal that shows colours.
package enum TerminalStyle: Hashable, Sendable {
    /// As the terminal shows text by itself, or standing out in one of the ways every terminal knows.
    case plain, dim, bold, good, bad, caution
    /// A colour of the 256-colour table.
    case indexed(UInt8)

    /// The escape sequence that ends every style.
    package static let reset = "\u{1B}[0m"

    /// The escape sequence that has text stand out besides its style: colours the other way round.
    static let highlight = "\u{1B}[7m"

    /// The escape sequence that begins the style.
    package var sequence: String {
        switch self {
        case .plain: TerminalStyle.reset
        case .dim: "\u{1B}[2m"
        case .bold: "\u{1B}[1m"
        case .good: "\u{1B}[32m"
        case .bad: "\u{1B}[31m"
        case .caution: "\u{1B}[33m"
        case .indexed(let index): "\u{1B}[38;5;\(index)m"
        }
    }

    /// The colour of a room: a function of its name alone, the same in every run.
    package static func room(_ name: String) -> TerminalStyle {
        var hash: UInt32 = 0x811C_9DC5
        for byte in name.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        return .indexed(roomColours[Int(hash % UInt32(roomColours.count))])
    }

    /// Colours that can be read on black and on white; red and yellow are kept for trouble.
    private static let roomColours: [UInt8] = [
        27, 29, 31, 33, 35, 37, 61, 63, 65, 67, 69, 71, 97, 99, 103, 127, 133, 135, 139, 141,
    ]
}
