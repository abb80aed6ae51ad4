import Testing
import WeirWire

@testable import WeirRecording

@Suite struct `Search` {
    private func found(
        _ pattern: String, fixed: Bool = false, inverted: Bool = false, before: Int = 0, after: Int = 0,
        around: Duration? = nil
    ) throws -> [String] {
        let search = RecordingSearch(
            try TextPattern(pattern, isFixed: fixed, ignoresCase: true), isInverted: inverted, before: before,
            after: after, around: around)
        var found: [String] = []
        _ = try search.search(SampleRecording.path) { hit in
            found.append((hit.followsHole ? "| " : "") + "\(hit.stamp.n)\(hit.isMatch ? ":" : "-")")
        }
        return found
    }

    @Test func `payloads are searched as they were sent`() throws {
        #expect(try found(#"^42\["HELLO".*from":"(ada|mallory)"#) == ["6:", "7:", "| 28:"])
        #expect(try found("\"price\"", fixed: true) == ["16:"])
        #expect(try found("GET http", fixed: true).count == 3)
        #expect(try found("nowhere") == [])
    }

    @Test(arguments: [#"said "yes","#, "yes\",  or", #"C:\temp"#])
    func `escaped text is searched by its meaning, however it is spelled`(words: String) throws {
        try withTemporaryFolder { folder in
            let bytes = try recording { writer in
                let text = #"42["x",{"text":"she said \u0022yes\u0022,\r\u000aor C:\u005ctemp"}]"#
                let frame = Record.FrameRecord(connection: 1, direction: .in, message: .text(text))
                try writer.append(.frame(frame), at: .zero, wall: 0)
            }
            try write(bytes, to: folder + "/a")
            let search = RecordingSearch(try TextPattern(words, isFixed: true))
            #expect(try search.search(folder + "/a") { _ in } == 1)
        }
    }

    @Test func `context is counted in records or in time`() throws {
        #expect(try found("price", before: 1, after: 2) == ["15-", "16:", "17-", "18-"])
        #expect(try found("price", around: .milliseconds(520)) == ["13-", "14-", "15-", "16:", "17-"])
    }

    @Test func `an invalid pattern is refused`() {
        #expect(throws: TextPattern.Malformed.self) { _ = try TextPattern("(") }
    }

    @Test func `matches are found one after the other, and a zero byte does not end the text`() throws {
        let text: [UInt8] = [0, 97, 98, 0, 97, 98]
        #expect(try TextPattern("ab").matches(in: text) == [1..<3, 4..<6])
        #expect(try TextPattern("^").matches(in: text) == [])
        #expect(try TextPattern("AB", isFixed: true, ignoresCase: true).matches(in: text) == [1..<3, 4..<6])
    }
}
