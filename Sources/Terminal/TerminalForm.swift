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
