import Testing
import WeirJSON

@Suite struct `Depth` {
    private func nested(_ depth: Int, _ kinds: (Int) -> Bool, inside: String = "1") -> [UInt8] {
        let levels = (0..<depth).map(kinds)
        return Array(
            (levels.map { $0 ? "{\"a\":" : "[" } + [inside] + levels.reversed().map { $0 ? "}" : "]" }).joined().utf8)
    }

    @Test func `Values at every depth up to simdjson's limit are read as simdjson reads them`() throws {
        for depth in [1, 2, 62, 63, 64, 65, 66, 127, 128, 129, 130, 192, 193, 500, 1023] {
            for kinds in [{ _ in true }, { _ in false }, { $0 % 3 == 0 }, { $0 % 64 == 0 }] as [(Int) -> Bool] {
                #expect(try compare(nested(depth, kinds)))
                #expect(try compare(nested(depth, kinds, inside: "[],{}")) == !kinds(depth - 1))
            }
        }
    }

    @Test func `A mismatched bracket at any level is refused`() throws {
        for depth in [1, 2, 63, 64, 65, 66, 128, 129, 130] {
            let text = nested(depth) { $0 % 2 == 0 }
            for level in 1...depth {
                var wrong = text
                wrong[wrong.count - level] =
                    wrong[wrong.count - level] == UInt8(ascii: "]") ? UInt8(ascii: "}") : UInt8(ascii: "]")
                #expect(try !compare(wrong))
            }
        }
    }

    @Test func `A value one level too deep is refused at its bracket, when skipped and when read`() throws {
        for limit in [0, 1, 2, 63, 64, 65, 256, 1024] {
            let most = nested(limit) { _ in false }
            let over = nested(limit + 1) { _ in false }
            #expect(Ours.refusal(most, maximumDepth: limit) == nil)
            #expect(
                Ours.refusal(over, maximumDepth: limit)
                    == JSONError(.tooDeep(found: limit + 1, limit: limit), at: limit))
            var reader = JSONReader(over.span, maximumDepth: limit)
            #expect(throws: JSONError(.tooDeep(found: limit + 1, limit: limit), at: limit)) { try reader.value() }
        }
        #expect(
            Ours.refusal(nested(257) { _ in true }, maximumDepth: 256)
                == JSONError(.tooDeep(found: 257, limit: 256), at: 256 * 5))
        let most = JSONReader.largestDepth
        #expect(Ours.refusal(nested(most) { $0 % 3 == 0 }, maximumDepth: .max) == nil)
        #expect(
            Ours.refusal(nested(most + 1) { _ in false }, maximumDepth: .max)
                == JSONError(.tooDeep(found: most + 1, limit: most), at: most))
    }

    @Test func `The error contains the full depth of the value, whatever its strings contain`() {
        let text = #"[[{"a\\":"[[\"[[","b":[["]",[1]]]},[[[2]]]]]"#
        let error = Ours.refusal(Array(text.utf8), maximumDepth: 3)
        #expect(error == JSONError(.tooDeep(found: 6, limit: 3), at: 22))
        #expect(error?.description == "nested 6 levels deep; the limit is 3 at byte 22")
    }

    @Test func `Levels opened with beginArray count towards the limit until they are closed`() throws {
        let text = Array("[[[]],[[]],[[[]]]]".utf8)
        var reader = JSONReader(text.span, maximumDepth: 3)
        try reader.beginArray()
        #expect(try reader.nextElement())
        try reader.beginArray()
        #expect(try reader.nextElement())
        try reader.skip()
        #expect(try !reader.nextElement())
        #expect(try reader.nextElement())
        try reader.skip()
        #expect(try reader.nextElement())
        let start = reader.offset
        #expect(throws: JSONError(.tooDeep(found: 4, limit: 3), at: start + 2)) { try reader.skip() }
    }
}
