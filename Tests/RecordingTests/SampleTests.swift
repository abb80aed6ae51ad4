import Glibc
import Testing

@testable import WeirRecording

@Suite struct `The sample recording` {
    @Test func `the sample in the repository equals the writer's output for its script`() throws {
        let made = try SampleRecording.bytes()
        if getenv("WEIR_WRITE_SAMPLES") != nil { try write(made, to: SampleRecording.path) }
        #expect(lines(of: try contents(of: SampleRecording.path)) == lines(of: made))
    }

    @Test func `the sample begins with the signature bytes and ends with an end record of 112 bytes`()
        throws
    {
        let bytes = try contents(of: SampleRecording.path)
        #expect(bytes.starts(with: #"{"k":"head","fmt":""#.utf8))
        #expect(String(decoding: bytes.suffix(112), as: UTF8.self).hasPrefix("{\"k\":\"end\""))
        #expect(bytes[bytes.count - 113] == UInt8(ascii: "\n"))
    }

    @Test func `the sample is read without problems, contains every kind, and no secret`() throws {
        var reader = try RecordingReader(opening: SampleRecording.path)
        var kinds: Set = ["head"]
        while let entry = try reader.next() {
            guard case .record(let record, _) = entry else {
                Issue.record("\(entry)")
                continue
            }
            kinds.insert(record.kind)
        }
        #expect(
            kinds == [
                "head", "clock", "conn", "f", "http", "sub", "gap", "token", "note", "mark", "sync", "idx", "end",
            ])
        #expect(try contents(of: SampleRecording.path).firstRange(of: Array("hunter2".utf8)) == nil)
    }
}
