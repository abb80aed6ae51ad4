import Glibc
import Testing
import WeirWire

@testable import WeirRecording

/// A recording of all kinds, as a file.
func generatedRecording(seed: UInt64, count: Int = 200) throws -> [UInt8] {
    var generator = RecordGenerator(seed: seed)
    return try recording { writer in
        for index in 0..<count {
            try writer.append(generator.record(), at: Moment(microseconds: Int64(index) * 20_000), wall: 0)
        }
    }
}

/// The lines of a file without the writer's own records.
func recordLines(_ bytes: [UInt8]) -> [String] {
    lines(of: bytes).filter { line in
        !["head", "sync", "idx", "end"].contains { line.hasPrefix("{\"k\":\"\($0)\"") }
    }
}

/// The doctor's problems with a file.
func findings(_ path: String, secrets: Bool = false) throws -> [FileProblem] {
    var doctor = RecordingDoctor(looksForSecrets: secrets)
    var found: [FileProblem] = []
    let report = try doctor.examine(path) { found.append($1) }
    #expect(report.problems == found.count)
    return found
}

@Suite struct `Tools` {
    @Test(arguments: 1...5) func `an indexed copy has the same lines, and an index that matches it`(
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

    @Test func `a file is not overwritten, and a replaced file may be the input`() throws {
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

    @Test func `only a file can be replaced, never a device or a folder`() throws {
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

    @Test func `unknown members and kinds stay unchanged`() throws {
        try withTemporaryFolder { folder in
            let head = lines(of: try recording())[0].replacing("}}", with: "},\"later\": {\"a\":[1, 2]}}")
            let known = #"{"k":"mark","n":1,"t":5,"w":"2026-01-02T03:04:05.000000Z","label":"x","new":[1,  {"a":1e2}]}"#
            let unknown = #"{"k":"later","n":2,"t":7,"what":{"deep":[true,null]}}"#
            try write(Array((head + "\n" + known + "\n" + unknown + "\n").utf8), to: folder + "/a")
            _ = try RecordingCopy.index(folder + "/a", to: ToolDestination(path: folder + "/b"))
            #expect(Array(lines(of: try contents(of: folder + "/b"))[..<3]) == [head, known, unknown])
        }
    }

    @Test func `a record of a later kind loses its own checksum when it becomes part of a chunk`()
        throws
    {
        try withTemporaryFolder { folder in
            var later = Array(#"{"k":"later","n":3,"t":7,"what":[1]"#.utf8)
            LineChecksum.close(&later)
            let bytes = try recording { try $0.append(.mark(.init(label: "x")), at: .zero, wall: 0) }
            let all = lines(of: bytes)
            let text = all[..<2] + [String(decoding: later, as: UTF8.self)]
            try write(Array((text.joined(separator: "\n") + "\n").utf8), to: folder + "/a")
            _ = try RecordingCopy.index(folder + "/a", to: ToolDestination(path: folder + "/b"))
            #expect(lines(of: try contents(of: folder + "/b"))[2] == #"{"k":"later","n":2,"t":7,"what":[1]}"#)
            #expect(try findings(folder + "/b") == [])
        }
    }

    @Test func `an overview counts the contents of the sample`() throws {
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
