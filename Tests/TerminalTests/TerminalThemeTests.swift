import Glibc
import Testing

@testable import WeirTerminal

@Suite struct `Terminal themes` {
    /// The contrast of two colours as defined by WCAG 2: 1 to 21.
    private static func contrast(_ index: UInt8, to background: Double) -> Double {
        func linear(_ part: Int) -> Double {
            let value = Double(part) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        let parts = TerminalAppearance.Colour(index).parts
        let own = 0.2126 * linear(parts.red) + 0.7152 * linear(parts.green) + 0.0722 * linear(parts.blue)
        return (max(own, background) + 0.05) / (min(own, background) + 0.05)
    }

    @Test(
        arguments: [
            (.auto, [0, 1], 3.8), (.dark, [0], 5), (.light, [1], 5),
        ] as [(TerminalTheme.Name, [Double], Double)])
    func `every colour is readable on its backgrounds`(name: TerminalTheme.Name, backgrounds: [Double], least: Double) {
        for role in TerminalStyle.Role.allCases {
            for look in TerminalTheme(name).appearances(of: role) {
                #expect(!look.attributes.contains(.dim) && look.background == .own, "\(role)")
                guard let index = look.foreground.index else { continue }
                for background in backgrounds {
                    let contrast = Self.contrast(index, to: background)
                    #expect(index >= 16 && contrast >= least, "\(role): \(index) has \(contrast) to \(background)")
                }
            }
        }
    }

    @Test func `the theme none has no colours, and still marks errors`() {
        let theme = TerminalTheme(.none)
        for role in TerminalStyle.Role.allCases {
            #expect(theme.appearances(of: role).allSatisfy { $0.foreground == .own && $0.background == .own })
        }
        #expect(theme[.bad] != .plain && theme[.caution] != .plain)
    }

    @Test(
        arguments: [
            ("actor=bold blue", .actor, TerminalAppearance(foreground: .init(4), .bold)),
            ("time=#ff8700", .time, TerminalAppearance(foreground: .init(208))),
            ("time=#080808", .time, TerminalAppearance(foreground: .init(232))),
            ("bad=bright-white on 196", .bad, TerminalAppearance(foreground: .init(15), background: .init(196))),
            ("room=underline 31", .room("a"), TerminalAppearance(foreground: .init(31), .underlined)),
            ("kind=plain", .kind, .plain),
        ] as [(String, TerminalStyle, TerminalAppearance)])
    func `a role takes the given style`(text: String, style: TerminalStyle, look: TerminalAppearance) throws {
        var theme = TerminalTheme(.dark)
        try theme.set(text)
        #expect(theme[style] == look)
    }

    @Test func `rooms share the colours in turn, and each keeps its own`() throws {
        var theme = TerminalTheme(.auto)
        try theme.set("room=1,2,bold 3")
        let looks = (0..<50).map { theme[.room("room \($0)")] }
        #expect(Set(looks).count == 3 && looks == (0..<50).map { theme[.room("room \($0)")] })
    }

    @Test(arguments: [
        ("actor", "expected ROLE=STYLE"), ("=red", "expected ROLE=STYLE"), ("actors=red", "did you mean 'actor'?"),
        ("bad=gren", "'gren' is not a colour; did you mean 'green'?"), ("bad=256", "'256' is not a colour"),
        ("bad=#12345", "'#12345' is not a colour"), ("bad=#+12345", "'#+12345' is not a colour"),
        ("room=,", "the style is missing"),
    ])
    func `an invalid style is refused`(text: String, expected: String) {
        var theme = TerminalTheme(.auto)
        let error = #expect(throws: TerminalTheme.Malformed.self) { try theme.set(text) }
        #expect(error?.message.contains(expected) == true, "\(error?.message ?? "")")
    }
}
