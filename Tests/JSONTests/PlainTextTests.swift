import Testing
import WeirJSON

@Suite struct `Text files` {
    @Test(arguments: [
        ("a\nb\n", "a\nb\n"), ("a\r\nb\r\n", "a\nb\n"), ("a\rb", "a\nb"), ("a\r\n\r\n\rb", "a\n\n\nb"),
        ("\n\r", "\n\n"),
        ("\u{FEFF}a", "a"), ("\u{FEFF}\r\n", "\n"), ("a\u{FEFF}", "a\u{FEFF}"), ("no end", "no end"), ("", ""),
        ("ж 🚀", "ж 🚀"),
    ])
    func `Line endings are read as line feeds, and a byte order mark is dropped`(written: String, read: String) throws {
        #expect(try PlainText.decode(Array(written.utf8)).unicodeScalars.elementsEqual(read.unicodeScalars))
    }

    @Test(arguments: [
        (Array("ab\0".utf8), "line 1, column 3: a NUL byte; expected UTF-8 text"),
        (Array("a\r\nж".utf8) + [0xFF], "line 2, column 2: a byte that is not UTF-8; expected UTF-8 text"),
        (Array("a\r\r".utf8) + [0xC3], "line 3, column 1: a byte that is not UTF-8; expected UTF-8 text"),
        ([0xEF, 0xBB, 0xBF, 0xED, 0xA0, 0x80], "line 1, column 1: a byte that is not UTF-8; expected UTF-8 text"),
        ([0xFF, 0xFE, 0x61, 0x00], "line 1, column 1: UTF-16 text; expected UTF-8 text"),
        ([0xFE, 0xFF, 0x00, 0x61], "line 1, column 1: UTF-16 text; expected UTF-8 text"),
    ])
    func `Bytes that are not text are refused with their line and column`(bytes: [UInt8], message: String) {
        do throws(PlainTextError) {
            let text = try PlainText.decode(bytes)
            Issue.record("read as \(text.debugDescription)")
        } catch {
            #expect(error.message == message)
        }
    }
}
