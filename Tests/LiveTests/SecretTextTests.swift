import Glibc
import Testing
import TestSupport
import WeirLive
@testable import WeirViews
import WeirWire

@Suite("The text of a secret")
struct SecretTextTests {
    @Test(
        "A token file's line ending, byte order mark and blanks are not part of the token",
        arguments: ["t0ken", "t0ken\n", "t0ken\r\n", "t0ken\rrest", "\u{FEFF}t0ken\r\n", "t0ken \t\nrest\n"])
    func file(text: String) throws {
        let path = try temporaryFolder() + "/token"
        try writeFile(path, text)
        #expect(try TokenReference.file(path).resolve().reveal() == "t0ken")
    }

    @Test("A variable is read like a file, without its last line feed and byte order mark")
    func variable() throws {
        setenv("WEIR_TEST_SECRET", "\u{FEFF}t0ken\n", 1)
        defer { unsetenv("WEIR_TEST_SECRET") }
        #expect(try TokenReference.environment("WEIR_TEST_SECRET").resolve().reveal() == "t0ken")
    }

    @Test("The refusal of a token file that is not text has the position but not the bytes")
    func noText() throws {
        let path = try temporaryFolder() + "/token"
        try writeFile(path, Array("t0k".utf8) + [0xFF, 10])
        #expect(
            throws: TokenError(
                message: "the token file \(path): line 1, column 4: a byte that is not UTF-8; expected UTF-8 text")
        ) {
            try TokenReference.file(path).resolve()
        }
    }
}
