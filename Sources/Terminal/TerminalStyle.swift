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
