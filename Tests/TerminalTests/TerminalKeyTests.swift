import Testing
import WeirWire

@testable import WeirTerminal

@Suite("Keys and mouse of a terminal")
struct TerminalKeyTests {
    private static let typed =
        " q\u{1B}[A\u{1B}OBä日👍\r\t\u{7F}\u{1}\u{1B}[5~\u{1B}[6~\u{1B}[H\u{1B}[4~\u{1B}[Z\u{1B}[3~\u{1B}[1;2C"
        + "\u{1B}[<0;12;3M\u{1B}[<0;12;3m\u{1B}[<65;1;1M\u{1B}[<36;2;2M\u{1B}[200~ab\u{1B}[Acd\r\u{1B}[201~z"

    private static let meant: [TerminalInput] = [
        .key(.character(" ")), .key(.character("q")), .key(.up), .key(.down), .key(.character("ä")),
        .key(.character("日")),
        .key(.character("👍")), .key(.enter), .key(.tab), .key(.backspace), .key(.control("a")), .key(.pageUp),
        .key(.pageDown), .key(.home), .key(.end), .key(.backTab), .key(.delete), .key(.right(isShifted: true)),
        .mouse(TerminalMouse(.pressed, at: TerminalPlace(row: 2, column: 11))),
        .mouse(TerminalMouse(.wheelDown, at: TerminalPlace(row: 0, column: 0))),
        .mouse(TerminalMouse(.dragged, at: TerminalPlace(row: 1, column: 1))),
        .pasted("ab\u{1B}[Acd\r"), .key(.character("z")),
    ]

    @Test("Bytes are decoded into keys, mouse events and pastes")
    func decodes() {
        var decoder = TerminalKeyDecoder()
        #expect(decoder.inputs(in: Self.typed.utf8) == Self.meant)
    }

    @Test("The result is the same wherever the bytes are split")
    func decodesCutAnywhere() {
        let bytes = Array(Self.typed.utf8)
        for cut in bytes.indices {
            var decoder = TerminalKeyDecoder()
            let inputs = decoder.inputs(in: bytes[..<cut]) + decoder.inputs(in: bytes[cut...])
            #expect(inputs == Self.meant, "cut at \(cut)")
        }
        var decoder = TerminalKeyDecoder()
        #expect(bytes.flatMap { decoder.inputs(in: [$0]) } == Self.meant)
    }

    @Test("An escape is a key when no byte follows it")
    func escape() {
        var decoder = TerminalKeyDecoder()
        #expect(decoder.inputs(in: [0x1B]) == [])
        #expect(decoder.waitsForMore)
        #expect(decoder.flush() == [.key(.escape)])
        #expect(decoder.flush() == [])
        #expect(decoder.inputs(in: [0x1B, 0x1B]) == [.key(.escape)])
        #expect(decoder.inputs(in: [0x5B]) == [])
        #expect(!decoder.waitsForMore)
        #expect(decoder.inputs(in: [0x42]) == [.key(.down)])
    }

    @Test("An invalid sequence of any length is skipped, and the next key is read")
    func nonsense() {
        var decoder = TerminalKeyDecoder()
        #expect(decoder.inputs(in: [0xFF, 0xFE, 0x80, 0xC3, 0x71]) == [.key(.character("q"))])
        #expect(
            decoder.inputs(in: [0xED, 0xA0, 0x80, 0xF4, 0xBF, 0xBF, 0xBF, 0xC2, 0x9B, 0x71]) == [.key(.character("q"))])
        #expect(decoder.inputs(in: Array("\u{1B}[99;99;99R\u{1B}xq".utf8)) == [.key(.character("q"))])
        let endless = [0x1B, 0x5B] + [UInt8](repeating: UInt8(ascii: "1"), count: 100_000)
        #expect(decoder.inputs(in: endless).count < 100_000)
        #expect(decoder.inputs(in: Array("\u{1B}[<9999999999999999999;1;1Mq".utf8)) == [.key(.character("q"))])
        #expect(decoder.inputs(in: Array("\u{1B}[<0;99999999999;0M".utf8)).count == 1)
    }

    @Test("A paste without an end keeps a limited beginning")
    func longPaste() {
        var decoder = TerminalKeyDecoder()
        let text = [UInt8](repeating: UInt8(ascii: "x"), count: 1_000_000)
        #expect(decoder.inputs(in: Array("\u{1B}[200~".utf8) + text) == [])
        guard case .pasted(let pasted)? = decoder.inputs(in: Array("\u{1B}[201~".utf8)).first else {
            Issue.record("nothing was pasted")
            return
        }
        #expect(pasted.utf8.count == TerminalKeyDecoder.longestPaste)
    }

    @Test("No bytes trap the decoder", arguments: 0..<20 as Range<UInt64>)
    func survives(seed: UInt64) {
        var dice = RandomSource(seed: seed)
        var decoder = TerminalKeyDecoder()
        let frequent: [UInt8] = [0x1B, 0x5B, 0x4F, 0x3C, 0x3B, 0x30, 0x31, 0x4D, 0x6D, 0x7E, 0xC3, 0xF0, 0x80]
        for _ in 0..<2000 {
            let byte =
                Bool.random(using: &dice)
                ? frequent.randomElement(using: &dice) ?? 0 : UInt8.random(in: 0...255, using: &dice)
            for input in decoder.inputs(in: [byte]) {
                guard case .key(.character(let scalar)) = input else { continue }
                #expect(scalar.value >= 0x20 && scalar.value != 0x7F && !(0x80..<0xA0).contains(scalar.value))
            }
        }
    }
}

@Suite("The line editor")
struct TerminalEditorTests {
    private func press(_ keys: [TerminalKey], in editor: inout TerminalEditor) -> [TerminalEditor.Change] {
        keys.map { editor.press($0) }
    }

    @Test("Keys change the line at the cursor")
    func edits() {
        var editor = TerminalEditor("kind")
        #expect(
            press([.character("s"), .left(isShifted: false), .backspace], in: &editor) == [.edited, .nothing, .edited])
        #expect(editor.text == "kins")
        #expect(press([.home, .character("日"), .delete, .end, .control("w")], in: &editor).last == .edited)
        #expect(editor.text == "")
        #expect(editor.press(.backspace) == .cancelled)
        #expect(editor.press(.escape) == .cancelled)
        #expect(editor.press(.enter) == .submitted)
        #expect(editor.paste("a\u{1B}b\nc") == .edited)
        #expect(editor.text == "abc")
        #expect(press([.control("a"), .right(isShifted: false), .control("k")], in: &editor).last == .edited)
        #expect(editor.text == "a")
        #expect(editor.press(.control("u")) == .edited)
        #expect(editor.text == "")
    }

    @Test("The length of a line is limited")
    func isBounded() {
        var editor = TerminalEditor()
        _ = editor.paste(String(repeating: "x", count: 5000))
        #expect(editor.text.count == TerminalEditor.longest)
        #expect(editor.press(.character("y")) == .nothing)
    }

    @Test("The cursor is visible in a line of any length, and the text cannot control the terminal")
    func draws() {
        for width in 1...12 {
            var grid = TerminalGrid(width: width, height: 1)
            var editor = TerminalEditor("a\u{202E}日本語日本語")
            for _ in 0..<12 {
                grid.clear(grid.area)
                editor.draw("/", TerminalTheme(.auto), in: grid.area, of: &grid)
                #expect(grid.cursor.map { grid.area.contains($0) } == true)
                #expect(!grid.text(ofRow: 0).unicodeScalars.contains("\u{202E}"))
                _ = editor.press(.left(isShifted: false))
            }
        }
    }
}
