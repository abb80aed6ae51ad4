import JSONText
import Testing

@Suite struct `The reader as a cursor` {
    @Test func `A value skipped is read later, by going back and by another reader`() throws {
        let text = Array(#"{"resource":{"id":"a","n":[1,2]},"type":"channel" , "last":null}"#.utf8)
        var reader = JSONReader(text.span)
        try reader.beginObject()
        var resource = 0
        var type = ""
        while let key = try reader.nextKey() {
            if reader.matches(key, "resource") {
                resource = reader.offset
                let range = try reader.skip()
                #expect(text[range].first == UInt8(ascii: "{") && text[range].last == UInt8(ascii: "}"))
                #expect(reader.raw(at: range).description == #"{"id":"a","n":[1,2]}"#)
            } else if reader.matches(key, "type") {
                type = try reader.string()
            } else {
                #expect(reader.string(key) == "last")
                #expect(try reader.null())
            }
        }
        try reader.end()
        #expect(type == "channel")

        let expected = JSONValue.object([.init("id", .string("a")), .init("n", .array([.integer(1), .integer(2)]))])
        var other = JSONReader(text.span, at: resource)
        #expect(try other.value() == expected)
        #expect(try other.nextKey().map { other.string($0) } == "type")
        reader.seek(to: resource)
        #expect(try reader.value() == expected)
    }

    @Test func `Whether a comma is due shows in the bytes, also after a peek`() throws {
        let text = Array("[ 1 , [ ] , [ 2 ] ]".utf8)
        var reader = JSONReader(text.span)
        try reader.beginArray()
        #expect(try reader.peek() == .number)
        #expect(try reader.nextElement())
        #expect(try reader.int64() == 1)
        #expect(try reader.nextElement())
        try reader.beginArray()
        #expect(try !reader.nextElement())
        #expect(try reader.nextElement())
        #expect(try reader.value() == .array([.integer(2)]))
        #expect(try !reader.nextElement())
        try reader.end()
    }
}
