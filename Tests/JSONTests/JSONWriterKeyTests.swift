import Testing
import WeirJSON

@Suite struct JSONWriterKeyTests {
    @Test func `a literal key and a computed key are written identically`() {
        var writer = JSONWriter()
        let name: StaticString = "section_insert"
        writer.beginObject()
        writer.key(name)
        writer.integer(1)
        writer.key("plain")
        writer.integer(2)
        writer.key(String("a\"b"))
        writer.integer(3)
        writer.endObject()
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"section_insert":1,"plain":2,"a\"b":3}"#)
    }

    @Test(arguments: [false, true])
    func `a member is written exactly like its key followed by its value`(asciiOnly: Bool) {
        let texts = ["", "plain", "déjà 👍 \u{202E}\n\"\\", String(repeating: "a long one; é", count: 99)]
        var members = JSONWriter(asciiOnly: asciiOnly)
        var parts = JSONWriter(asciiOnly: asciiOnly)
        members.beginObject()
        parts.beginObject()
        for integer in [0, 7, -7, 12_345_678, 123_456_789, .max, .min] as [Int64] {
            members.member("integer", integer: integer)
            parts.key("integer")
            parts.integer(integer)
        }
        for text in texts {
            members.member("text", string: text)
            parts.key("text")
            parts.string(text)
            members.member("a_name_of_more_than_thirty_two_characters", string: text)
            parts.key("a_name_of_more_than_thirty_two_characters")
            parts.string(utf8: Array(text.utf8)[...])
        }
        members.member("uuid", uuid: 1, .max)
        parts.key("uuid")
        parts.uuid(1, .max)
        members.endObject()
        parts.endObject()
        #expect(members.bytes == parts.bytes)
    }
}
