/// What a text is, which decides how it looks on a terminal that shows colours: see `TerminalTheme`.
package struct TerminalStyle: Hashable, Sendable {
    /// What texts are, in the order of the table of themes.
    package enum Role: Int, CaseIterable, Sendable {
        case time, room, kind, actor, key, string, number, heading, faint, good, caution, bad, match
        /// As users write it.
        package var name: String { "\(self)" }
    }

    /// Nil for text as the terminal shows it by itself.
    let role: Role?
    /// Which of several looks it has.
    let variant: UInt32

    private init(_ role: Role?, variant: UInt32 = 0) { (self.role, self.variant) = (role, variant) }

    package static let plain = Self(nil), time = Self(.time), kind = Self(.kind), actor = Self(.actor)
    package static let key = Self(.key), string = Self(.string), number = Self(.number), heading = Self(.heading)
    package static let faint = Self(.faint), good = Self(.good), caution = Self(.caution), bad = Self(.bad)
    /// What is pointed out, besides what it is.
    static let match = Self(.match)

    /// The style of a room: a function of the title it is shown by alone, the same in every run and for all that has the title.
    package static func room(_ name: String) -> TerminalStyle {
        var hash: UInt32 = 0x811C_9DC5
        for byte in name.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        return Self(.room, variant: hash)
    }
}
