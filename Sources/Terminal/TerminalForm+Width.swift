extension TerminalForm {
    /// Returns the columns of a visible scalar: two if it is wide or fullwidth (Unicode Standard Annex 11) or an emoji
    /// shown as a picture, otherwise one.
    static func width(_ scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        guard value >= 0x1100 else { return 1 }
        // Two regional indicators form one flag of two columns.
        if regionalIndicators.contains(value) { return 1 }
        return wide.contains { $0.contains(value) } || scalar.properties.isEmojiPresentation ? 2 : 1
    }

    /// Returns whether a scalar of category `Cf` is drawn: prepended concatenation marks (Unicode core specification
    /// 9.2).
    static func isVisibleFormat(_ value: UInt32) -> Bool {
        switch value {
        case 0x600...0x605, 0x6DD, 0x70F, 0x890...0x891, 0x8E2, 0x110BD, 0x110CD: true
        default: false
        }
    }

    private static let regionalIndicators: ClosedRange<UInt32> = 0x1F1E6...0x1F1FF

    /// The wide and fullwidth blocks of East Asia. Emoji are found by their property.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0xA4CF, 0xA960...0xA97F,
        0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF,
        0x1AFF0...0x1B2FF,
        0x1F200...0x1F265, 0x20000...0x3FFFD,
    ]
}
