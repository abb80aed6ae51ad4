import Testing
import WeirJSON

@Suite struct `Escaped text in readable form` {
    private func readable(_ text: String, wholly: Bool = false) -> String {
        String(decoding: RawJSON.readable(ArraySlice(text.utf8), wholly: wholly), as: UTF8.self)
    }

    @Test(arguments: [
        ("", ""), ("plain é", "plain é"), (#"["\u00e9moji"]"#, #"["émoji"]"#), (#"https:\/\/a"#, "https://a"),
        (#"\ud83d\ude80!"#, "🚀!"), (#"\uD83D\uDE80"#, "🚀"), (#"a\u0041b\u007ec"#, "aAb~c"),
    ])
    func `an escape is shown as the character it encodes`(text: String, read: String) {
        #expect(readable(text) == read)
        #expect(readable(text, wholly: true) == read)
    }

    @Test(arguments: [
        #"\ud800 x \udfff"#, #"\ud800\u0041"#, #"\ud83d"#, #"\u00"#, #"\uzzzz"#, #"\u001b[2J"#, #"\u007f"#, #"\u0085"#,
        #"\b\f\r"#, #"a\"#,
    ])
    func `an escape that cannot be shown or is invalid stays as it is spelled`(text: String) {
        #expect(readable(text).replacing("A", with: #"\u0041"#) == text)
    }

    @Test(arguments: [
        (#"a\"b"#, #"a"b"#), (#"a\\b"#, #"a\b"#), (#"a\nb\tc"#, "a b c"), (#"\u0022\u005cn"#, #""\n"#),
        (#"a\r\nb\b\f"#, "a  b  "), (#"a\u000ab\u000D"#, "a b "), (#"\u001b\u000b"#, #"\u001b\u000b"#),
    ])
    func `escapes that JSON requires stay, unless the whole text is to be readable`(text: String, wholly: String) {
        #expect(readable(text) == text)
        #expect(readable(text, wholly: true) == wholly)
    }
}
