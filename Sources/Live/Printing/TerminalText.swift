/// Text from a peer, made safe for a terminal.
///
/// A terminal obeys some of the characters it is shown, and a reader is deceived by others. What is not simply visible
/// is replaced by its escape, `\u{202E}`: C0 and C1 controls, ESC and DEL, line and paragraph separators, bidirectional
/// controls, zero-width and other default-ignorable characters, noncharacters, and marks piled up without end or with
/// nothing to stand on. A backslash stays as it is, so an escape shows what was there but does not prove it.
public enum TerminalText {
    /// `text` with everything that is not plainly visible escaped. It holds no line break.
    public static func escaped(_ text: String) -> String {
        var buffer = TerminalBuffer(colour: false)
        buffer.append(text)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    /// The columns `text` takes on a terminal after escaping.
    ///
    /// An upper bound where terminals differ: an emoji with variation selector 16 counts as two columns, an emoji
    /// sequence as its parts.
    public static func width(of text: String) -> Int {
        var buffer = TerminalBuffer(colour: false)
        buffer.append(text)
        return buffer.columns
    }

    /// `text` escaped and cut to at most `width` columns; what is cut is replaced by one ellipsis.
    public static func truncated(_ text: String, to width: Int) -> String {
        var buffer = TerminalBuffer(colour: false)
        buffer.limit = max(width, 0)
        buffer.append(text)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    /// `text` cut at its start to at most `width` columns, for names whose end tells more than their beginning. Not
    /// escaped.
    static func keepingEnd(_ text: String, to width: Int) -> String {
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

/// How one scalar is shown.
enum TerminalForm: Hashable {
    /// As it is, taking so many columns.
    case visible(columns: Int)
    /// As its escape.
    case escaped(Unicode.Scalar)

    /// What stands before the scalar, as far as it matters.
    struct Context {
        /// The last visible scalar that takes columns.
        var base: Unicode.Scalar
        /// How many marks stand on it.
        var marks = 0
    }

    /// More marks than any language puts on one letter only cover the lines above and below.
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
        self = TerminalForm(unusual: scalar, after: context)
    }

    private init(unusual scalar: Unicode.Scalar, after context: Context?) {
        let properties = scalar.properties
        if scalar == "\u{FE0F}" || scalar == "\u{FE0E}" {
            // Emoji are written with these selectors; after anything else they only hide.
            let onEmoji = context.map { $0.marks == 0 && $0.base.properties.isEmoji && $0.base.value > 0x7F } ?? false
            let widens = scalar == "\u{FE0F}" && context.map { TerminalForm.width($0.base) == 1 } ?? false
            self = onEmoji ? .visible(columns: widens ? 1 : 0) : .escaped(scalar)
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
            // The visible number signs of Arabic and its neighbours are of this category, too.
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

    /// The columns of the scalar, or of its escape.
    var columns: Int {
        switch self {
        case .visible(let columns): columns
        case .escaped(let scalar): TerminalForm.escape(of: scalar).utf8.count
        }
    }

    /// The escape shown instead of a scalar; ASCII.
    static func escape(of scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        }
    }
}
