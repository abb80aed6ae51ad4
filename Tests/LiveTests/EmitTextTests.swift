import Testing
import TestSupport
import WeirJSON
import WeirPipeline
import WeirWire

@testable import WeirLive
@testable import WeirViews

/// Tests the text that a user types to send an event.
@Suite struct EmitTextTests {
    private func read(_ line: String) throws -> (name: String, list: String?) {
        let emit = try Emit(line: line, patience: nil)
        return (emit.name, emit.arguments.list?.description)
    }

    @Test(
        "A line is parsed into a name, quoted if it has spaces, and JSON values in their spelling",
        arguments: [
            ("a", "a", nil), ("  a\t", "a", nil), (#""a \"b\"""#, #"a "b""#, nil),
            ("a 1.50  [1, 2]", "a", "1.50,[1, 2]"),
            (
                #"a "x y" null {"k":"\ud800"} 18446744073709551616"#, "a",
                #""x y",null,{"k":"\ud800"},18446744073709551616"#
            ),
            ("room:join@x=1 true", "room:join@x=1", "true"),
        ])
    func values(line: String, name: String, list: String?) throws {
        let read = try read(line)
        #expect(read.name == name && read.list == list)
    }

    @Test func `the contents of files become attachments, in their order among the values`() throws {
        let folder = try temporaryFolder()
        try writeFile(folder + "/a", [1, 2])
        try writeFile(folder + "/b c", [3])
        let emit = try Emit(line: "up 1 @\(folder)/a @\"\(folder)/b c\"", patience: nil)
        #expect(
            emit.arguments.list?.description
                == #"1,{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}"#)
        #expect(emit.arguments.attachments == [[1, 2], [3]])
    }

    @Test(
        "The error for an invalid line says what is wrong and where",
        arguments: [
            ("", "the name of the event is missing"), (#""a"#, "the quoted name has no closing quote"),
            ("a hello", "'hello'"), ("a 1,2", "'1,2'"), ("a {", "'{'"),
            ("a @/nonexistent/x", "/nonexistent/x: cannot be read"),
        ])
    func refused(line: String, words: String) {
        #expect {
            _ = try Emit(line: line, patience: nil)
        } throws: { error in
            (error as? EmitText.Problem)?.message.contains(words) == true
        }
    }
}
