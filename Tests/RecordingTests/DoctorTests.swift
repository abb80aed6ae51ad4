import Testing
import WeirJSON
import WeirWire

@testable import WeirRecording

@Suite struct `Doctor` {
    /// The problems of the sample after a change to its lines.
    private func sample(_ change: (inout [String]) -> Void) throws -> [FileProblem] {
        var text = lines(of: try contents(of: SampleRecording.path))
        change(&text)
        return try withTemporaryFolder { folder in
            try write(Array((text.joined(separator: "\n") + "\n").utf8), to: folder + "/a")
            return try findings(folder + "/a")
        }
    }

    @Test func `the sample has no problems`() throws { #expect(try sample { _ in } == []) }

    @Test func `a changed character is detected by the checksum of its chunk`() throws {
        let found = try sample { $0[7] = $0[7].replacing("ada", with: "eda") }
        #expect(found.map(\.kind) == [.checksum])
        #expect(found[0].line == 14)
    }

    @Test func `a missing line is reported by numbers and checksum, but not for each chunk after it`()
        throws
    {
        let found = try sample { $0.remove(at: 7) }
        #expect(found.map(\.kind) == [.numbering, .checksum, .index, .index])
        #expect(found[0].line == 8 && found[0].lost == 1)
        #expect(found[2...].allSatisfy { $0.message.contains("the index") })
    }

    @Test func `a sync with a wrong chunk offset is reported`() throws {
        let found = try sample { lines in
            for place in lines.indices where lines[place].hasPrefix(#"{"k":"sync""#) {
                lines[place] = summed(lines[place].replacing(#""off":0,"#, with: #""off":1,"#))
            }
        }
        #expect(found.map(\.kind) == [.index, .index])
        #expect(
            found.first?.message == "the text before it was written at byte 1, but byte 0 should follow: "
                + "chunks are missing, doubled or out of order")
    }

    @Test func `times that go backwards are reported with their line`() throws {
        let found = try sample { lines in
            let line = lines[9]
            lines[9] = line.replacing("\"t\":", with: "\"t\":9")
        }
        #expect(found.contains { $0.kind == .time && $0.line == 11 })
    }

    @Test func `a missing end is reported, and so are lines after the end`() throws {
        #expect(try sample { $0.removeLast() }.map(\.kind) == [.index])
        let doubled = try sample { $0.append($0[2]) }
        #expect(doubled.contains { $0.message.contains("after the end of line 41") })
    }

    @Test func `an incorrect index is reported`() throws {
        try withTemporaryFolder { folder in
            _ = try RecordingCopy.index(SampleRecording.path, to: ToolDestination(path: folder + "/a"))
            var text = lines(of: try contents(of: folder + "/a"))
            text[text.count - 2] = summed(text[text.count - 2].replacing("[2240,", with: "[2241,"))
            try write(Array((text.joined(separator: "\n") + "\n").utf8), to: folder + "/b")
            #expect(try findings(folder + "/b").map(\.message) == ["chunk 2 of the index is not the one in the file"])
        }
    }

    @Test func `segments must be consecutive`() throws {
        try withTemporaryFolder { folder in
            for (segment, name) in [(1, "a"), (3, "b")] {
                var head = testHead
                head.segment = segment
                let bytes = try recording(head: head) { try $0.append(.mark(.init(label: "x")), at: .zero, wall: 0) }
                try write(bytes, to: folder + "/" + name)
            }
            var doctor = RecordingDoctor()
            var found: [FileProblem] = []
            for name in ["a", "b"] { _ = try doctor.examine(folder + "/" + name) { found.append($1) } }
            #expect(found.map(\.message) == ["segment 3 follows segment 1"])
        }
    }

    @Test(arguments: [
        (#"42["hi",{"password":"hunter2"}]"#, "a password in p.password (rule password)"),
        (#"42["hi",{"a":[{"access_token":"0123456789"}]}]"#, "a token or key in p.a.access_token (rule token)"),
        (#"40{"token":"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefgh"}"#, "a JSON web token in p.token (rule jwt)"),
        ("Authorization: Bearer abcdefghijklmnop", "an Authorization header in p (rule authorization)"),
        (#"0{"sid":"lv_VI97HAXpY6yYWAAAA","upgrades":[]}"#, "a session id in p.sid (rule session)"),
        (#"42["x",{"u":"https://ann:pw@host/?a=1"}]"#, "credentials in a URL in p.u (rule url)"),
        (#"42["x",{"u":"https://host/?access_token=abc"}]"#, "credentials in a URL in p.u (rule url)"),
        (
            #"42["x",{"session_key":"q8Zr1XvT0pLk3mNw5yBd7cFg9hJs2aQe"}]"#,
            "long random text in p.session_key (rule random)"
        ),
    ]) func `a likely secret is reported with its position and rule, and not repeated`(
        payload: String, message: String
    ) throws {
        try withTemporaryFolder { folder in
            let bytes = try recording { writer in
                let frame = Record.FrameRecord(connection: 1, direction: .out, message: .text(payload))
                try writer.append(.frame(frame), at: .zero, wall: 0)
            }
            try write(bytes, to: folder + "/a")
            #expect(try findings(folder + "/a") == [])
            let found = try findings(folder + "/a", secrets: true)
            #expect(found.map(\.message) == ["possible secret: " + message])
            #expect(found.first?.line == 2)
        }
    }

    @Test(arguments: [
        #"42["hi",{"password":"‹redacted›","token":""}]"#,
        #"42["hi",{"id":"2982dc0a-65aa-47ae-a13c-082b2e3cc2a9","key":"2982dc0a-65aa-47ae-a13c-082b2e3cc2a9"}]"#,
        #"42["hi",{"text":"my password is long gone","u":"https://host/path?page=2"}]"#,
    ]) func `other text is not reported as a secret`(payload: String) throws {
        let scanner = SecretScanner()
        var json = JSONWriter()
        json.beginObject()
        json.key("p")
        json.string(payload)
        json.endObject()
        #expect(scanner.secrets(in: json.bytes, line: 1, offset: 0) == [])
    }
}
