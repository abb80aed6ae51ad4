import Testing

@testable import WeirTerminal

@Suite("Text from a peer on a terminal")
struct TerminalTextTests {
    /// Texts that would control a terminal or mislead its reader, and their escaped form.
    static let hostile: [(text: String, shown: String)] = [
        ("\u{1B}[31mred", "\\u{1B}[31mred"),
        ("\u{1B}]0;title\u{7}", "\\u{1B}]0;title\\u{7}"),
        ("\u{1B}]8;;http://evil\u{1B}\\click", "\\u{1B}]8;;http://evil\\u{1B}\\click"),
        ("\u{9B}2J", "\\u{9B}2J"),
        ("\u{90}q\u{9C}", "\\u{90}q\\u{9C}"),
        ("a\nforged line", "a\\nforged line"),
        ("over\rwritten", "over\\rwritten"),
        ("tab\there", "tab\\there"),
        ("back\u{8}space\u{7F}", "back\\u{8}space\\u{7F}"),
        ("nul\u{0}", "nul\\u{0}"),
        ("a\u{202E}gnp.exe", "a\\u{202E}gnp.exe"),
        ("\u{2066}isolate\u{2069}", "\\u{2066}isolate\\u{2069}"),
        ("\u{61C}\u{200E}\u{200F}", "\\u{61C}\\u{200E}\\u{200F}"),
        ("zero\u{200B}width\u{200D}\u{FEFF}", "zero\\u{200B}width\\u{200D}\\u{FEFF}"),
        ("soft\u{AD}hyphen\u{2060}", "soft\\u{AD}hyphen\\u{2060}"),
        ("tag\u{E0041}\u{E007F}", "tag\\u{E0041}\\u{E007F}"),
        ("selector\u{FE00}\u{E0101}", "selector\\u{FE00}\\u{E0101}"),
        ("line\u{2028}paragraph\u{2029}", "line\\u{2028}paragraph\\u{2029}"),
        ("filler\u{3164}\u{115F}\u{FFA0}", "filler\\u{3164}\\u{115F}\\u{FFA0}"),
        ("note\u{FFF9}\u{FFFB}", "note\\u{FFF9}\\u{FFFB}"),
        ("nothing\u{FFFF}\u{1FFFE}", "nothing\\u{FFFF}\\u{1FFFE}"),
        ("\u{301}first", "\\u{301}first"),
        ("\u{206A}old\u{206F}", "\\u{206A}old\\u{206F}"),
    ]

    @Test(
        "The shortcut without Unicode tables yields the same text as Unicode",
        arguments: ["a", nil] as [Unicode.Scalar?])
    func agreesWithUnicode(base: Unicode.Scalar?) {
        let context = base.map { TerminalForm.Context(base: $0) }
        for value in UInt32(0)...0x30FF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let (shown, known) = (
                TerminalForm(of: scalar, after: context), TerminalForm(unusual: scalar, after: context)
            )
            if shown != known { Issue.record("U+\(String(value, radix: 16)) is shown as \(shown), and is \(known)") }
        }
    }

    @Test("Text that would control a terminal or hide from its reader is escaped", arguments: hostile)
    func escapesHostileText(text: String, shown: String) {
        #expect(TerminalText.escaped(text) == shown)
        #expect(TerminalText.escaped(text).unicodeScalars.allSatisfy(isPlain))
    }

    @Test("Every control, bidirectional and invisible scalar of Unicode is escaped")
    func escapesEveryInvisibleScalar() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), !isPlain(scalar) else { continue }
            #expect(TerminalText.escaped("a" + String(scalar)) == "a" + TerminalForm.escape(of: scalar))
        }
    }

    @Test(
        "Ordinary text in many languages stays unchanged",
        arguments: [
            "Grüße, ça va?", "日本語 한국어", "שלום عربى", "हिन्दी ไทยที่", "Tiếng Việt e\u{302}\u{301}", "👍🏽 ❤️ 🇩🇪 №5 ①",
            "C:\\temp \"x\" {}",
        ])
    func keepsOrdinaryText(text: String) {
        #expect(TerminalText.escaped(text) == text)
    }

    @Test("Combining marks beyond any language's need are escaped")
    func escapesPiledMarks() {
        let piled = "e" + String(repeating: "\u{302}", count: 6)
        #expect(TerminalText.escaped(piled) == "e" + String(repeating: "\u{302}", count: 4) + "\\u{302}\\u{302}")
    }

    @Test(
        "Width counts columns, not characters",
        arguments: [
            ("", 0), ("abc", 3), ("日本語", 6), ("ｱｲｳ", 3), ("e\u{301}", 1), ("👍", 2), ("❤️", 2), ("🇩🇪", 2), ("ＡＢ", 4),
            ("한글", 4), ("\u{1B}", 6),
            ("➜ ok", 4), ("Ω", 1), ("⌚", 2),
        ])
    func measures(text: String, columns: Int) {
        #expect(TerminalText.width(of: text) == columns)
    }

    @Test("Text that is too long is cut with one ellipsis, and never exceeds its columns")
    func truncates() {
        #expect(TerminalText.truncated("abcdef", to: 6) == "abcdef")
        #expect(TerminalText.truncated("abcdefg", to: 6) == "abcde…")
        #expect(TerminalText.truncated("日本語", to: 5) == "日本…")
        #expect(TerminalText.truncated("日本語", to: 4) == "日…")
        #expect(TerminalText.truncated("abc", to: 0) == "")
        #expect(TerminalText.truncated("e\u{301}e\u{301}e\u{301}", to: 2) == "e\u{301}…")
        for width in 0...20 {
            let text = "a日👍e\u{301}\u{202E}❤️ xyz"
            #expect(TerminalText.width(of: TerminalText.truncated(text, to: width)) <= width)
        }
    }

    @Test("A colour is reset even when the text is cut")
    func resetsColourAtTheCut() {
        var buffer = TerminalBuffer(TerminalTheme(.auto))
        buffer.limit = 4
        buffer.append("abcdef", .bad)
        buffer.append("never seen")
        buffer.endLine()
        buffer.append("next")
        #expect(String(decoding: buffer.bytes, as: UTF8.self) == "\u{1B}[38;5;160mabc…\u{1B}[0m\nnext")
    }

    @Test("A room's colour depends only on its name")
    func colours() {
        #expect(TerminalStyle.room("general") == TerminalStyle.room("general"))
        let distinct = Set((0..<200).map { TerminalTheme(.auto)[.room("room \($0)")] })
        #expect(distinct.count > 10)
    }

    /// Whether a scalar may reach a terminal; defined independently of the code under test.
    private func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: return false
        case .format: return TerminalForm.isVisibleFormat(scalar.value)
        default:
            return !properties.isDefaultIgnorableCodePoint && !properties.isBidiControl
                && !properties.isNoncharacterCodePoint
        }
    }
}
