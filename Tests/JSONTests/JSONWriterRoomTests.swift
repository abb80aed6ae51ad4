import Testing
import WeirJSON

@Suite struct `The writer's buffer` {
    /// Writes every kind of value and key after a text of `length` bytes.
    private func write(behind length: Int, into writer: inout JSONWriter) {
        writer.beginArray()
        writer.string(String(repeating: "x", count: length))
        writer.beginObject()
        writer.member("integer", integer: .min)
        writer.member("uuid", uuid: .max, 0)
        writer.key("digits")
        writer.hexadecimal(0x0123_4567_89AB_CDEF)
        writer.member("text", string: "\u{1F600}\u{202E}\n\u{E0001}é")
        writer.key(String("a computed \"key\""))
        writer.bool(false)
        writer.key("number")
        writer.number(-.greatestFiniteMagnitude)
        writer.key("large")
        writer.integer(Int128.min)
        writer.key("raw")
        writer.raw(RawJSON(unchecked: Array("[1, 2]".utf8)[...]))
        writer.key("inert")
        writer.inertRaw(RawJSON(unchecked: Array("[ \"\u{202E}\", 2 ]".utf8)[...]))
        writer.key("none")
        writer.null()
        writer.endObject()
        writer.endArray()
        writer.endLine()
    }

    @Test func `A writer that must grow its buffer writes the same bytes as one that need not`() {
        var roomy = JSONWriter()
        roomy.string(String(repeating: " ", count: 1 << 16))
        for length in 0...1200 {
            var fresh = JSONWriter()
            write(behind: length, into: &fresh)
            roomy.reset()
            write(behind: length, into: &roomy)
            if fresh.bytes != roomy.bytes { Issue.record("behind \(length) bytes") }
        }
    }

    @Test func `A long line of small values is written whole`() {
        var writer = JSONWriter()
        writer.beginArray()
        for value in 0..<5000 {
            writer.beginArray()
            writer.integer(value)
            writer.bool(value % 2 == 0)
            writer.endArray()
        }
        writer.endArray()
        let expected = (0..<5000).map { "[\($0),\($0 % 2 == 0)]" }.joined(separator: ",")
        #expect(writer.bytes == Array("[\(expected)]".utf8))
    }

    @Test func `A text of escapes only gets the room its escapes need`() throws {
        for count in [1, 20, 21, 22, 40, 300, 5000] {
            let value = String(repeating: "\u{E0001}", count: count)
            var writer = JSONWriter()
            writer.string(value)
            #expect(writer.count == 2 + 12 * count)
            var reader = JSONReader(writer.bytes.span)
            #expect(try reader.string() == value)
        }
    }

    @Test func `A key of any length is written whole`() {
        let long: StaticString =
            """
            a_key_of_so_many_characters_that_it_does_not_fit_into_what_is_kept_free_for_keys_of_the_usual_length_and_for_the_values_behind_\
            them_a_key_of_so_many_characters_that_it_does_not_fit_into_what_is_kept_free_for_keys_of_the_usual_length_and_for_the_values_\
            behind_them_a_key_of_so_many_characters_that_it_does_not_fit
            """
        var writer = JSONWriter()
        writer.beginObject()
        for value in 0..<40 {
            writer.member(long, integer: Int64(value))
            writer.key(long)
            writer.null()
        }
        writer.endObject()
        let expected = (0..<40).map { "\"\(long)\":\($0),\"\(long)\":null" }.joined(separator: ",")
        #expect(writer.bytes == Array("{\(expected)}".utf8))
    }

    @Test func `The bytes written so far never include the comma that may follow`() {
        var writer = JSONWriter()
        #expect(writer.isEmpty == true)
        #expect(writer.count == 0)
        let steps: [(String, (inout JSONWriter) -> Void)] = [
            ("[", { $0.beginArray() }), ("[1", { $0.integer(1) }), ("[1,\",\"", { $0.string(",") }),
            ("[1,\",\",{", { $0.beginObject() }), ("[1,\",\",{\"a\":", { $0.key("a") }),
            ("[1,\",\",{\"a\":2", { $0.integer(2) }), ("[1,\",\",{\"a\":2}", { $0.endObject() }),
            ("[1,\",\",{\"a\":2}]", { $0.endArray() }), ("[1,\",\",{\"a\":2}]\n", { $0.endLine() }),
            ("[1,\",\",{\"a\":2}]\n\n", { $0.endLine() }), ("[1,\",\",{\"a\":2}]\n\n7", { $0.integer(7) }),
        ]
        for (expected, write) in steps {
            write(&writer)
            #expect(writer.bytes == Array(expected.utf8))
            #expect(writer.count == expected.utf8.count)
            #expect(writer.isEmpty == false)
        }
        writer.reset()
        #expect(writer.isEmpty == true)
        #expect(writer.bytes == [])
    }
}
