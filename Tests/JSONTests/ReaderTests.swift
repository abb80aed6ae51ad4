import Testing
import WeirJSON

@Suite struct `The reader as a cursor` {
    @Test func `A skipped value can be read later, by going back and by another reader`() throws {
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

    @Test func `The reader finds out from the bytes whether a comma is due, also after a peek`() throws {
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

@Suite struct `Input that the reader refuses` {
    private func refusal(_ text: String, _ read: (inout JSONReader) throws(JSONError) -> Void) -> JSONError? {
        let bytes = Array(text.utf8)
        var reader = JSONReader(bytes.span)
        do throws(JSONError) {
            try read(&reader)
            return nil
        } catch {
            return error
        }
    }

    @Test func `A value of the wrong kind is refused with its kind, and can still be read as that kind`() throws {
        let kinds: [(String, JSONKind)] = [
            ("{}", .object), ("[]", .array), ("\"\"", .string), ("-1", .number), ("false", .bool), ("null", .null),
        ]
        for (text, found) in kinds {
            func expect(_ expected: JSONKind, _ read: (inout JSONReader) throws(JSONError) -> Void) {
                let error = refusal("  \(text)", read)
                let wanted = expected == found ? nil : JSONError(.wrongKind(expected: expected, found: found), at: 2)
                #expect(error == wanted, "\(text) as \(expected)")
            }
            expect(.object) { reader throws(JSONError) in try reader.beginObject() }
            expect(.array) { reader throws(JSONError) in try reader.beginArray() }
            expect(.string) { reader throws(JSONError) in _ = try reader.string() }
            expect(.number) { reader throws(JSONError) in _ = try reader.int64() }
            expect(.number) { reader throws(JSONError) in _ = try reader.double() }
            expect(.bool) { reader throws(JSONError) in _ = try reader.bool() }
            let bytes = Array(text.utf8)
            var reader = JSONReader(bytes.span)
            _ = try? reader.stringOrNull()
            if found != .null && found != .string { try reader.skip() }
            try reader.end()
        }
    }

    @Test func `An error contains the offset of the byte that caused it`() {
        let vectors: [(String, JSONError)] = [
            ("", JSONError(.unexpectedEnd, at: 0)), ("  ", JSONError(.unexpectedEnd, at: 2)),
            ("[1,]", JSONError(.unexpectedByte(0x5D), at: 3)),
            ("{\"a\":1,}", JSONError(.unexpectedByte(0x7D), at: 7)), ("[1 2]", JSONError(.unexpectedByte(0x32), at: 3)),
            ("{\"a\" 1}", JSONError(.unexpectedByte(0x31), at: 5)), ("{1:2}", JSONError(.unexpectedByte(0x31), at: 1)),
            ("[1}", JSONError(.unexpectedByte(0x7D), at: 2)), ("trux", JSONError(.unexpectedByte(0x78), at: 3)),
            ("nul", JSONError(.unexpectedEnd, at: 3)), ("[", JSONError(.unexpectedEnd, at: 1)),
            ("1 x", JSONError(.trailingBytes, at: 2)),
            ("[[[\"a\n\"]]]", JSONError(.invalidString, at: 5)),
        ]
        for (text, error) in vectors {
            #expect(Ours.refusal(Array(text.utf8)) == error, "\(text)")
            let byValue = refusal(text) { reader throws(JSONError) in
                _ = try reader.value()
                try reader.end()
            }
            #expect(byValue == error, "\(text)")
        }
    }

    @Test func `An error description is a sentence without control characters`() {
        #expect(JSONError(.unexpectedByte(0x7D), at: 3).description == "unexpected '}' at byte 3")
        #expect(JSONError(.unexpectedByte(0x1B), at: 0).description == "unexpected byte 0x1B at byte 0")
        #expect(
            JSONError(.wrongKind(expected: .string, found: .null), at: 7).description
                == "expected a string, found null at byte 7")
    }

    @Test func `Readers that allow null distinguish it from a value`() throws {
        let bytes = Array(#"[null,"a",null,1,null,true,null,0.5,null]"#.utf8)
        var reader = JSONReader(bytes.span)
        try reader.beginArray()
        var found: [String] = []
        while try reader.nextElement() {
            let before = reader.offset
            let string = (try? reader.stringOrNull()) ?? nil
            reader.seek(to: before)
            let range = (try? reader.stringRangeOrNull()) ?? nil
            #expect((string == nil) == (range == nil))
            reader.seek(to: before)
            let integer = (try? reader.int64OrNull()) ?? nil
            reader.seek(to: before)
            let number = (try? reader.doubleOrNull()) ?? nil
            reader.seek(to: before)
            let bool = (try? reader.boolOrNull()) ?? nil
            reader.seek(to: before)
            found.append("\(string ?? "-") \(integer ?? -1) \(number ?? -1) \(bool ?? false)")
            try reader.skip()
        }
        let null = "- -1 -1.0 false"
        #expect(
            found == [
                null, "a -1 -1.0 false", null, "- 1 1.0 false", null, "- -1 -1.0 true", null, "- -1 0.5 false", null,
            ])
    }
}
