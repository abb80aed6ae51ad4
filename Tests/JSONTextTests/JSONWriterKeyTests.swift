import JSONText
import Testing

@Suite struct JSONWriterKeyTests {
    @Test func `a literal key and a computed key are written alike`() {
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
}
