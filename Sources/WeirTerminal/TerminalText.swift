/// Functions that make text from a peer safe for a terminal.
///
/// A terminal obeys some characters, and others deceive the reader. Every character that is not plainly visible is
/// replaced by its escape, such as `\u{202E}`: C0 and C1 controls, ESC and DEL, line and paragraph separators,
/// bidirectional controls, zero-width and other default-ignorable characters, noncharacters, and marks without a base
/// or in excessive numbers. A backslash stays as it is, so an escape shows the original character but does not prove
/// it.
package enum TerminalText {
    /// Returns `text` with every character escaped that is not plainly visible. The result contains no line break.
    package static func escaped(_ text: String) -> String {
        var buffer = TerminalBuffer()
        buffer.append(text)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    /// Returns the width of `text` after escaping, in columns.
    ///
    /// The width is an upper bound if terminals differ: an emoji with variation selector 16 counts as two columns, and
    /// an emoji sequence as the sum of its parts.
    package static func width(of text: String) -> Int {
        var buffer = TerminalBuffer()
        buffer.append(text)
        return buffer.columns
    }

    /// Returns `text` escaped and cut to at most `width` columns. One ellipsis replaces the rest.
    package static func truncated(_ text: String, to width: Int) -> String {
        var buffer = TerminalBuffer()
        buffer.limit = max(width, 0)
        buffer.append(text)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    /// Returns `text` cut at its start to at most `width` columns, for names whose end is more informative. The result
    /// is not escaped.
    package static func keepingEnd(_ text: String, to width: Int) -> String {
        guard width > 0, self.width(of: text) > width else { return text }
        var kept: [Unicode.Scalar] = []
        var columns = 1
        for scalar in text.unicodeScalars.reversed() {
            let form = TerminalForm(of: scalar, after: nil)
            columns += form.columns
            if columns > width { break }
            kept.append(scalar)
        }
        var result = "…"
        result.unicodeScalars.append(contentsOf: kept.reversed())
        return result
    }
}

/// The form in which a terminal shows one scalar.
enum TerminalForm: Hashable {
    /// The scalar itself, `columns` columns wide.
    case visible(columns: Int)
    /// The escape of this scalar.
    case escaped(Unicode.Scalar)

    /// The relevant text before the scalar.
    struct Context {
        /// The last visible scalar that takes columns.
        var base: Unicode.Scalar
        /// The number of marks on `base`.
        var marks = 0
    }

    /// The number of marks allowed on one character. No language uses more, and more would cover the lines above and
    /// below.
    static let mostMarks = 4

    init(of scalar: Unicode.Scalar, after context: Context?) {
        let value = scalar.value
        if value < 0x7F {
            self = value >= 0x20 ? .visible(columns: 1) : .escaped(scalar)
            return
        }
        if value < 0x300 {
            self = value < 0xA0 || value == 0xAD ? .escaped(scalar) : .visible(columns: 1)
            return
        }
        self = Self.isUsual(value) ? .visible(columns: 1) : TerminalForm(unusual: scalar, after: context)
    }

    /// Returns whether a scalar is common non-ASCII text of one column: Greek and Cyrillic letters, dashes, quotation
    /// marks, bullets, the ellipsis, arrows.
    static func isUsual(_ value: UInt32) -> Bool {
        switch value {
        case 0x391...0x3A1, 0x3A3...0x3FF, 0x400...0x481, 0x2010...0x2027, 0x2190...0x21FF: true
        default: false
        }
    }

    /// Creates the form of a less common scalar from its Unicode properties.
    init(unusual scalar: Unicode.Scalar, after context: Context?) {
        let properties = scalar.properties
        if scalar == "\u{FE0F}" || scalar == "\u{FE0E}" {
            // Emoji are written with these selectors. After any other character the selectors are only invisible.
            let onEmoji = context.map { $0.marks == 0 && $0.base.properties.isEmoji && $0.base.value > 0x7F } ?? false
            let widens = scalar == "\u{FE0F}" && context.map { TerminalForm.width($0.base) == 1 } ?? false
            self = onEmoji ? .visible(columns: widens ? 1 : 0) : .escaped(scalar)
            return
        }
        // This joiner combines emoji. After any other character it is only invisible.
        if scalar == "\u{200D}", let context, context.marks <= 2, context.base.value > 0x7F,
            context.base.properties.isEmoji
        {
            self = .visible(columns: 0)
            return
        }
        if properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint || properties.isBidiControl {
            self = .escaped(scalar)
            return
        }
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate:
            self = .escaped(scalar)
        case .format:
            // The visible number signs of Arabic and related scripts also belong to this category.
            self = TerminalForm.isVisibleFormat(scalar.value) ? .visible(columns: 1) : .escaped(scalar)
        case .nonspacingMark, .enclosingMark:
            let piled = context.map { $0.marks >= TerminalForm.mostMarks } ?? true
            self = piled ? .escaped(scalar) : .visible(columns: 0)
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .spacingMark,
            .decimalNumber,
            .letterNumber, .otherNumber, .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
            .initialPunctuation, .finalPunctuation, .otherPunctuation, .mathSymbol, .currencySymbol, .modifierSymbol,
            .otherSymbol,
            .spaceSeparator, .privateUse, .unassigned:
            self = .visible(columns: TerminalForm.width(scalar))
        @unknown default:
            self = .escaped(scalar)
        }
    }

    /// The width of the scalar, or of its escape, in columns.
    var columns: Int {
        switch self {
        case .visible(let columns): columns
        case .escaped(let scalar): TerminalForm.escape(of: scalar).utf8.count
        }
    }

    /// Returns the ASCII escape that is shown instead of a scalar.
    static func escape(of scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        }
    }
}

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
