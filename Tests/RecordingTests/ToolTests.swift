import Glibc
import JSONText
import Testing
import Wire

@testable import Recording

/// A recording of all kinds, as a file.
func generatedRecording(seed: UInt64, count: Int = 200) throws -> [UInt8] {
    var generator = RecordGenerator(seed: seed)
    return try recording { writer in
        for index in 0..<count {
            try writer.append(generator.record(), at: Moment(microseconds: Int64(index) * 20_000), wall: 0)
        }
    }
}

/// The lines of a file whose records are not the writer's own.
func recordLines(_ bytes: [UInt8]) -> [String] {
    lines(of: bytes).filter { line in
        !["head", "sync", "idx", "end"].contains { line.hasPrefix("{\"k\":\"\($0)\"") }
    }
}

/// What a doctor finds in a file.
func findings(_ path: String, secrets: Bool = false) throws -> [FileProblem] {
    var doctor = RecordingDoctor(looksForSecrets: secrets)
    var found: [FileProblem] = []
    let report = try doctor.examine(path) { found.append($1) }
    #expect(report.problems == found.count)
    return found
}

@Suite struct `Tools` {
    @Test(arguments: 1...5) func `a file indexed anew has the same lines, and an index that agrees with it`(
        seed: UInt64
    ) throws {
        try withTemporaryFolder { folder in
            let original = try generatedRecording(seed: seed)
            try write(original, to: folder + "/a")
            let report = try RecordingCopy.index(folder + "/a", to: ToolDestination(path: folder + "/b"))
            let copy = try contents(of: folder + "/b")
            #expect(recordLines(copy) == recordLines(original))
            #expect(report.written == recordLines(original).count && report.problems == 0)
            #expect(try entries(of: copy).allSatisfy { if case .record = $0 { true } else { false } })
            #expect(try findings(folder + "/b") == [])
            #expect(try RecordingIndex(ofFile: folder + "/b").origin == .file)
        }
    }

    @Test func `a file is not overwritten, and one that is replaced may be the one that is read`() throws {
        try withTemporaryFolder { folder in
            let original = try generatedRecording(seed: 7)
            let path = folder + "/a"
            try write(original, to: path)
            #expect(throws: RecordingError.exists(path: path)) {
                _ = try RecordingCopy.index(path, to: ToolDestination(path: path))
            }
            #expect(try contents(of: path) == original)
            _ = try RecordingCopy.index(path, to: ToolDestination(path: path, replaces: true))
            #expect(recordLines(try contents(of: path)) == recordLines(original))
        }
    }

    @Test func `only a file is replaced, never a device or a folder`() throws {
        try withTemporaryFolder { folder in
            try write(try contents(of: SampleRecording.path), to: folder + "/a")
            let device = folder + "/null"
            try #require(symlink("/dev/null", device) == 0)
            for path in [device, folder] {
                let destination = ToolDestination(path: path, replaces: true)
                #expect(throws: RecordingError.exists(path: path)) {
                    _ = try RecordingCopy.index(folder + "/a", to: destination)
                }
                #expect(throws: RecordingError.exists(path: path)) {
                    _ = try RecordingCopy.compress(folder + "/a", to: destination)
                }
            }
        }
    }

    @Test func `members and kinds that are not known stay as they are`() throws {
        try withTemporaryFolder { folder in
            let head = lines(of: try recording())[0].replacing("}}", with: "},\"later\": {\"a\":[1, 2]}}")
            let known = #"{"k":"mark","n":1,"t":5,"w":"2026-01-02T03:04:05.000000Z","label":"x","new":[1,  {"a":1e2}]}"#
            let unknown = #"{"k":"later","n":2,"t":7,"what":{"deep":[true,null]}}"#
            try write(Array((head + "\n" + known + "\n" + unknown + "\n").utf8), to: folder + "/a")
            _ = try RecordingCopy.index(folder + "/a", to: ToolDestination(path: folder + "/b"))
            #expect(Array(lines(of: try contents(of: folder + "/b"))[..<3]) == [head, known, unknown])
        }
    }

    @Test func `an overview counts what is in the sample`() throws {
        let overview = try RecordingOverview(reading: SampleRecording.path)
        #expect(overview.problems == 0)
        #expect(overview.events == [.init(name: "hello", count: 3), .init(name: "price", count: 1)])
        #expect(overview.connections == 2 && overview.gaps == [.init(name: "reconnect", count: 1)])
        #expect(overview.received == 10 && overview.sent == 3)
        #expect(overview.end == .closed && overview.marks.map(\.label) == ["back again"])
        #expect(overview.bytes == overview.storedBytes)
        #expect(overview.bytes == (try contents(of: SampleRecording.path).count))
    }
}

@Suite struct `Repair` {
    /// What can be read of a file, as texts of lines in order.
    private func readable(_ bytes: [UInt8]) throws -> [String] {
        var reader = LineReader(try RecordingReader(bytes: bytes), path: "memory")
        var found: [String] = []
        while let item = try reader.next() {
            if case .line(let line) = item, !line.record.isWritersOwn {
                var changes = MemberChanges()
                for key in ["n", "t", "for", "at"] { changes.remove(key) }
                found.append(String(decoding: changes.applied(to: line.text), as: UTF8.self))
            }
        }
        return found
    }

    @Test(arguments: 1...40) func `no readable record is lost, whatever is damaged, and the new file is whole`(
        seed: UInt64
    ) throws {
        try withTemporaryFolder { folder in
            var random = SeededGenerator(seed: seed)
            var bytes = try generatedRecording(seed: seed, count: 60)
            let head = (bytes.firstIndex(of: UInt8(ascii: "\n")) ?? 0) + 1
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: head..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.removeSubrange(place..<min(bytes.count, place + 100))
                case 2: bytes.insert(contentsOf: Array("junk\n{\"k\":".utf8), at: place)
                default: bytes.removeSubrange(max(head + 1, place)...)
                }
                if bytes.count <= head + 1 { break }
            }
            try write(bytes, to: folder + "/a")
            var problems = 0
            let report = try RecordingRepair.repair(folder + "/a", to: ToolDestination(path: folder + "/b")) { _, _ in
                problems += 1
            }
            let repaired = try contents(of: folder + "/b")
            #expect(try findings(folder + "/b").map(\.description) == [])
            let kept = try readable(repaired).filter { !$0.contains("\"k\":\"gap\"") }
            let before = try readable(bytes)
            let states = before.filter { $0.contains("\"k\":\"st\"") }
            let expected = before.filter { !$0.contains("\"k\":\"gap\"") }
            #expect(kept == expected || kept.count + states.count >= expected.count)
            #expect(report.problems == problems)
            let aside = try report.aside.reduce(0) { try $0 + contents(of: $1).count }
            #expect(aside == report.unreadableBytes)
        }
    }

    @Test func `a damaged line leaves a gap in its place, and the numbers of the others stay`() throws {
        try withTemporaryFolder { folder in
            let whole = try recording { writer in
                for number in 1...5 {
                    let mark = Record.mark(.init(label: "m\(number)"))
                    try writer.append(mark, at: Moment(microseconds: Int64(number)), wall: 0)
                }
            }
            var text = lines(of: whole)
            text[3] = "{\"k\":\"mark\",\"n\":3,,"
            try write(Array((text.joined(separator: "\n") + "\n").utf8), to: folder + "/a")
            let report = try RecordingRepair.repair(folder + "/a", to: ToolDestination(path: folder + "/b"))
            let repaired = lines(of: try contents(of: folder + "/b"))
            #expect(
                repaired[1] == text[1] && repaired[2] == text[2] && repaired[4] == text[4] && repaired[5] == text[5])
            #expect(repaired[3].hasPrefix(#"{"k":"gap","n":3,"t":4,"#))
            #expect(repaired[3].hasSuffix(#""why":"damage","from":2,"to":4,"lost":1}"#))
            #expect(report.kept == 4 && report.unreadable == 1 && report.missing == 0 && report.isLossy)
            #expect(report.aside == [folder + "/b.damaged"])
            #expect(try contents(of: folder + "/b.damaged") == Array((text[3] + "\n").utf8))
        }
    }
}

@Suite struct `Doctor` {
    /// The sample with a change to its lines.
    private func sample(_ change: (inout [String]) -> Void) throws -> [FileProblem] {
        var text = lines(of: try contents(of: SampleRecording.path))
        change(&text)
        return try withTemporaryFolder { folder in
            try write(Array((text.joined(separator: "\n") + "\n").utf8), to: folder + "/a")
            return try findings(folder + "/a")
        }
    }

    @Test func `the sample has nothing wrong`() throws { #expect(try sample { _ in } == []) }

    @Test func `a changed character is told by the checksum of its chunk`() throws {
        let found = try sample { $0[7] = $0[7].replacing("ada", with: "eda") }
        #expect(found.map(\.kind) == [.checksum])
        #expect(found[0].line == 14)
    }

    @Test func `a line that is missing is told by numbers and checksum, and the chunks behind it by their place`()
        throws
    {
        let found = try sample { $0.remove(at: 7) }
        #expect(found[0].kind == .numbering && found[0].line == 8 && found[0].lost == 1)
        #expect(found.dropFirst().contains { $0.kind == .checksum })
        #expect(found.contains { $0.kind == .index && $0.message.contains("its chunk begins at byte") })
    }

    @Test func `times that go back are told with their line`() throws {
        let found = try sample { lines in
            let line = lines[9]
            lines[9] = line.replacing("\"t\":", with: "\"t\":9")
        }
        #expect(found.contains { $0.kind == .time && $0.line == 11 })
    }

    @Test func `a file without its end is told, and one that goes on behind it`() throws {
        #expect(try sample { $0.removeLast() }.map(\.kind) == [.index])
        let doubled = try sample { $0.append($0[2]) }
        #expect(doubled.contains { $0.message.contains("behind the end of line 41") })
    }

    @Test func `an index that says something else is told`() throws {
        try withTemporaryFolder { folder in
            _ = try RecordingCopy.index(SampleRecording.path, to: ToolDestination(path: folder + "/a"))
            var text = lines(of: try contents(of: folder + "/a"))
            text[text.count - 2] = text[text.count - 2].replacing("[2223,", with: "[2224,")
            try write(Array((text.joined(separator: "\n") + "\n").utf8), to: folder + "/b")
            #expect(try findings(folder + "/b").map(\.message) == ["chunk 2 of the index is not the one in the file"])
        }
    }

    @Test func `segments must follow each other`() throws {
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
    ]) func `what looks like a secret is told with its place and rule, and not repeated`(
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
            #expect(found.map(\.message) == ["there is what looks like " + message])
            #expect(found.first?.line == 2)
        }
    }

    @Test(arguments: [
        #"42["hi",{"password":"‹redacted›","token":""}]"#,
        #"42["hi",{"id":"2982dc0a-65aa-47ae-a13c-082b2e3cc2a9","key":"2982dc0a-65aa-47ae-a13c-082b2e3cc2a9"}]"#,
        #"42["hi",{"text":"my password is long gone","u":"https://host/path?page=2"}]"#,
    ]) func `what is no secret is left alone`(payload: String) throws {
        let scanner = SecretScanner()
        var json = JSONWriter()
        json.beginObject()
        json.key("p")
        json.string(payload)
        json.endObject()
        #expect(scanner.secrets(in: json.bytes, line: 1, offset: 0) == [])
    }
}

@Suite struct `Parts of recordings` {
    /// What can be read of a file, with no complaint.
    private func stamped(_ path: String) throws -> [(Record, Stamp)] {
        try entries(of: contents(of: path)).compactMap { entry in
            guard case .record(let record, let stamp) = entry else {
                Issue.record("\(entry)")
                return nil
            }
            return record.isWritersOwn ? nil : (record, stamp)
        }
    }

    private func kept(_ selection: RecordSelection) throws -> [(Record, Stamp)] {
        try withTemporaryFolder { folder in
            _ = try RecordingCopy.filter(SampleRecording.path, selection, to: ToolDestination(path: folder + "/a"))
            #expect(try findings(folder + "/a") == [])
            return try stamped(folder + "/a")
        }
    }

    @Test func `a filter by event keeps what makes the connections, and numbers what it keeps anew`() throws {
        var selection = RecordSelection()
        selection.events.included = ["pri*"]
        let records = try kept(selection)
        #expect(records.compactMap { $0.0.contents?.event } == ["price"])
        #expect(records.filter { $0.0.kind == "conn" }.count == 7)
        #expect(records.filter { $0.0.kind == "f" }.count == 10)
        let numbers = records.filter { !$0.0.isAside }.map(\.1.n)
        #expect(numbers == Array(1...numbers.count))
    }

    @Test func `a filter by kind keeps these kinds alone, and one that excludes the others`() throws {
        var selection = RecordSelection()
        selection.kinds.included = ["gap", "mark"]
        #expect(try kept(selection).map(\.0.kind) == ["gap", "mark"])
        selection.kinds = .init(excluded: ["f", "http", "conn", "sub", "clock"])
        #expect(try kept(selection).map(\.0.kind) == ["token", "gap", "note", "mark"])
    }

    @Test func `a filter by direction, and one by place`() throws {
        var selection = RecordSelection()
        selection.direction = .out
        #expect(try kept(selection).filter { $0.0.kind == "f" }.count == 3)
        selection = RecordSelection()
        selection.span = RecordingSpan(start: .record(10), end: .offset(2_000_000))
        #expect(try kept(selection).map(\.1.time.microseconds) == [700_123, 1_020_123, 1_031_123])
    }

    @Test func `a request keeps the number of its cause where that is kept, else it has none`() throws {
        var selection = RecordSelection()
        selection.kinds.excluded = ["clock", "conn"]
        let causes = try kept(selection).compactMap { record, _ in
            if case .http(let exchange) = record { exchange.cause } else { nil as Int? }
        }
        #expect(causes == [4, 4, 17])
        selection.events.excluded = ["hello"]
        let none = try kept(selection).compactMap { record, _ in
            if case .http(let exchange) = record { exchange.cause } else { nil as Int? }
        }
        #expect(none == [15])
    }

    @Test
    func `a part begins with the open connection, which is the first, and its handshake; its times can begin at 0`()
        throws
    {
        try withTemporaryFolder { folder in
            let destination = ToolDestination(path: folder + "/a", replaces: true)
            let span = RecordingSpan(start: .offset(4_350_000))
            _ = try RecordingCopy.cut(SampleRecording.path, span, to: destination)
            let records = try stamped(folder + "/a")
            #expect(
                records.map(\.0.kind) == ["conn", "conn", "f", "f", "f", "f", "f", "note", "mark"])
            #expect(records.compactMap(\.0.connection).allSatisfy { $0 == 1 })
            #expect(records[4].1.time.microseconds == 4_400_123 && records[3].1.time.microseconds == 4_255_123)
            _ = try RecordingCopy.cut(SampleRecording.path, span, ripples: true, to: destination)
            #expect(
                try stamped(folder + "/a").map(\.1.time.microseconds) == [
                    0, 0, 0, 0, 0, 100_000, 100_000, 110_000, 120_000,
                ])
            #expect(try findings(folder + "/a") == [])
        }
    }

    @Test func `a part ends before its end, be it a number, a time or a mark`() throws {
        try withTemporaryFolder { folder in
            let ends: [(RecordingPosition, Int)] = [
                (.record(4), 4), (.wall(1_767_323_045_500_000), 7), (.mark("back again"), 32),
            ]
            for (end, count) in ends {
                let destination = ToolDestination(path: folder + "/a", replaces: true)
                let report = try RecordingCopy.cut(SampleRecording.path, RecordingSpan(end: end), to: destination)
                #expect(report.written == count)
            }
        }
    }

    @Test func `recordings are merged by their wall clocks, each connection with a number of its own`() throws {
        try withTemporaryFolder { folder in
            for (name, recording, start) in [("a", "a", 1_000_000), ("b", "b", 1_500_000)] {
                var head = testHead
                head.recording = String(repeating: recording, count: 32)
                head.wallStart += Int64(start)
                let bytes = try marked(head, name)
                try write(bytes, to: folder + "/" + name)
            }
            let report = try RecordingMerge.merge(
                [folder + "/b", folder + "/a"], to: ToolDestination(path: folder + "/c"))
            #expect(report.written == 8 && report.problems == 0)
            let records = try stamped(folder + "/c")
            let labels = records.compactMap { if case .mark(let mark) = $0.0 { mark.label } else { nil as String? } }
            #expect(labels == ["a0", "a1", "b0", "a2", "b1", "b2"])
            #expect(
                records.map(\.1.time.microseconds) == [0, 0, 400_000, 500_000, 500_000, 800_000, 900_000, 1_300_000])
            #expect(records.compactMap(\.0.connection) == [1_000_001, 1])
            #expect(try findings(folder + "/c") == [])
            let head = try RecordingReader(opening: folder + "/c").head
            #expect(head.recording == String(repeating: "1", count: 32))
            #expect(head.wallStart == testHead.wallStart + 1_000_000)
        }
    }

    private func marked(_ head: Record.Head, _ name: String) throws -> [UInt8] {
        try recording(head: head) { writer in
            let opened = Record.connection(.init(connection: 1, state: .open))
            try writer.append(opened, at: .zero, wall: head.wallStart)
            for number in 0...2 {
                let time = Moment(microseconds: Int64(number) * 400_000)
                try writer.append(.mark(.init(label: "\(name)\(number)")), at: time, wall: head.wallStart)
            }
        }
    }

    @Test func `a mark is set where it is wished for, and the records behind it count on`() throws {
        try withTemporaryFolder { folder in
            let wishes = [
                RecordingMarks.Wish(label: "x", at: .offset(2_000_000)), .init(label: "y", at: .record(14)),
                .init(label: "never", at: .record(99)),
            ]
            let result = try RecordingMarks.add(
                wishes, to: SampleRecording.path, writing: ToolDestination(path: folder + "/a"))
            #expect(result.unset == ["never"])
            let marks = try RecordingMarks.list(folder + "/a")
            #expect(marks.map(\.label) == ["x", "y", "back again"])
            #expect(marks.map(\.stamp.n) == [13, 15, 33])
            #expect(marks[0].stamp.time.microseconds == 2_000_000)
            #expect(try findings(folder + "/a") == [])
        }
    }
}

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

    @Test func `context is counted in records or in time`() throws {
        #expect(try found("price", before: 1, after: 2) == ["15-", "16:", "17-", "18-"])
        #expect(try found("price", around: .milliseconds(520)) == ["13-", "14-", "15-", "16:", "17-"])
    }

    @Test func `a pattern that is none is told`() {
        #expect(throws: TextPattern.Malformed.self) { _ = try TextPattern("(") }
    }

    @Test func `matches are found one behind the other, and zeros are no end`() throws {
        let text: [UInt8] = [0, 97, 98, 0, 97, 98]
        #expect(try TextPattern("ab").matches(in: text) == [1..<3, 4..<6])
        #expect(try TextPattern("^").matches(in: text) == [])
        #expect(try TextPattern("AB", isFixed: true, ignoresCase: true).matches(in: text) == [1..<3, 4..<6])
    }
}
