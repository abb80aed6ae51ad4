import Testing
import WeirWire

@testable import WeirRecording

@Suite struct `Splitting` {
    /// The segments of the sample, and the recording merged from them.
    private func split(
        _ rule: RecordingSplit.Rule, of path: String = SampleRecording.path, _ body: ([String], String) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let result = try RecordingSplit.split(path, by: rule, to: folder + "/part")
            #expect(result.report.problems == 0)
            let merged = try RecordingMerge.merge(result.paths, to: ToolDestination(path: folder + "/merged"))
            #expect(merged.problems == 0)
            try body(result.paths, folder + "/merged")
        }
    }

    @Test(arguments: [RecordingSplit.Rule.records(7), .bytes(2000), .time(.seconds(1)), .connections, .marks])
    func `consecutive segments together equal the original recording`(rule: RecordingSplit.Rule) throws {
        try split(rule) { paths, merged in
            #expect(paths.count > 1)
            #expect(paths.first?.hasSuffix("/part.0001.weir.jsonl") == true)
            var doctor = RecordingDoctor()
            var found: [String] = []
            for path in paths { _ = try doctor.examine(path) { found.append("\($0) \($1.description)") } }
            #expect(found == [])
            #expect(recordLines(try contents(of: merged)) == recordLines(try contents(of: SampleRecording.path)))
            #expect(try findings(merged) == [])
        }
    }

    @Test func `the index that a tool writes is what a scan of its lines finds`() throws {
        try split(.bytes(2000)) { paths, _ in
            for path in paths {
                let index = try RecordingIndex(of: contents(of: path))
                #expect(index.origin == .file)
                #expect(index.chunks == (try RecordingIndex(of: withoutIndex(contents(of: path)))).chunks)
            }
        }
    }

    @Test
    func `a segment restates the open connection and the wishes, and names its predecessor by digest`()
        throws
    {
        try split(.marks) { paths, _ in
            #expect(paths.count == 2)
            let segment = lines(of: try contents(of: paths[1]))
            let reader = try RecordingReader(opening: paths[1])
            #expect(reader.head.segment == 2)
            #expect(reader.head.previous == (try RecordingCopy.digest(of: paths[0])))
            let restated = segment.filter { $0.contains(#""re":true"#) }
            #expect(restated.count == 5 && restated.allSatisfy { $0.contains(#""n":30"#) })
            #expect(restated.filter { $0.contains(#""c":"3""#) }.count == 4)
            #expect(restated[0].contains(#""act":"want","room":"lobby""#))
            #expect(segment.contains { $0.contains(#""k":"mark","n":31"#) })
            #expect(lines(of: try contents(of: paths[0])).last?.contains(#""why":"rotated""#) == true)
        }
    }

    @Test func `a size below that of the initial state counts new records, doubles, and warns once`() throws {
        try withTemporaryFolder { folder in
            let text = String(repeating: "x", count: 100)
            let bytes = try recording { writer in
                for room in 0..<100 {
                    let wish = Record.SubscriptionRecord(act: .want, room: "room-\(room)", source: "ctl")
                    try writer.append(.subscription(wish), at: .zero, wall: 0)
                }
                for _ in 0..<400 {
                    let frame = Record.FrameRecord(connection: 1, direction: .in, message: .text(text))
                    try writer.append(.frame(frame), at: .zero, wall: 0)
                }
            }
            try write(bytes, to: folder + "/a")
            let result = try RecordingSplit.split(folder + "/a", by: .bytes(1000), to: folder + "/part")
            #expect(result.report.warnings.count == 1)
            #expect(
                result.report.warnings.first?.hasPrefix("--size requests segments of 1000 bytes, but each ") == true)
            #expect(result.report.problems == 0)
            // Early segments, before all rooms were known, are small; at least half of each later one is new.
            for path in result.paths.dropLast().suffix(3) {
                let (old, new) = lines(of: try contents(of: path)).reduce(into: (0, 0)) { sizes, line in
                    if line.contains(#""re":true"#) { sizes.0 += line.utf8.count } else { sizes.1 += line.utf8.count }
                }
                #expect(new > old, "\(path): \(old) bytes of state, \(new) bytes that are new")
            }
            #expect(result.paths.count < 30)
            let merged = try RecordingMerge.merge(result.paths, to: ToolDestination(path: folder + "/merged"))
            #expect(merged.problems == 0)
            #expect(recordLines(try contents(of: folder + "/merged")) == recordLines(bytes))
        }
    }

    @Test func `exchanged segments are detected by their digest`() throws {
        try split(.records(7)) { paths, _ in
            var doctor = RecordingDoctor()
            var found: [String] = []
            try write(try contents(of: paths[0]).map { $0 == UInt8(ascii: "7") ? UInt8(ascii: "8") : $0 }, to: paths[0])
            _ = try doctor.examine(paths[0]) { _, _ in }
            _ = try doctor.examine(paths[1]) { found.append($1.message) }
            #expect(found.contains { $0.hasSuffix("its SHA-256 differs") })
        }
    }

    @Test func `a copy of a segment keeps its numbers`() throws {
        try split(.records(7)) { paths, _ in
            let copy = paths[1] + ".copy"
            _ = try RecordingCopy.index(paths[1], to: ToolDestination(path: copy))
            #expect(recordLines(try contents(of: copy)) == recordLines(try contents(of: paths[1])))
        }
    }
}
