import Glibc
import Testing
import WeirJSON
import WeirWire

@testable import WeirRecording

/// The largest payload that a server may send, and a larger one.
@Suite struct `Limits of a recording` {
    private static let largest = Limits.largest

    /// The message read back for a payload of `bytes`, and the doctor's problems.
    private func readBack(
        _ bytes: [UInt8], of kind: MessageBatch.Kind
    ) throws -> (message: WebSocketMessage?, cutFrom: Int?, problems: [FileProblem]) {
        try withTemporaryFolder { folder in
            let path = folder + "/a.weir.jsonl"
            var writer = try RecordingWriter(creating: path, head: testHead)
            let message: WebSocketMessage = kind == .text ? .text(bytes[...]) : .binary(bytes[...])
            try writer.append(
                .frame(Record.FrameRecord(connection: 1, direction: .in, message: message)), at: .zero, wall: 0)
            try writer.close(why: .closed, at: Stamp(n: 0, time: .zero, wall: 0))
            var reader = try RecordingReader(opening: path)
            guard case .record(.frame(let frame), _)? = try reader.next() else { return (nil, nil, []) }
            return (frame.message, frame.cutFrom, try findings(path))
        }
    }

    /// The last byte needs the most room, six bytes.
    private static let bytes: [UInt8] = getenv("WEIR_LONG") == nil ? [1] : [UInt8(ascii: "x"), UInt8(ascii: "\""), 1]

    @Test(arguments: bytes)
    func `the largest text is recorded completely, however many bytes it needs`(byte: UInt8) throws {
        let bytes = [UInt8](repeating: byte, count: Self.largest)
        let read = try readBack(bytes, of: .text)
        #expect(read.message == .text(bytes[...]))
        #expect(read.cutFrom == nil)
        #expect(read.problems == [])
    }

    @Test func `the largest binary message is recorded completely`() throws {
        let bytes = [UInt8](repeating: 0xFF, count: Self.largest)
        let read = try readBack(bytes, of: .binary)
        #expect(read.message == .binary(bytes[...]))
        #expect(read.cutFrom == nil)
        #expect(read.problems == [])
    }

    @Test func `a message one byte larger is cut, and the doctor reports it`() throws {
        let read = try readBack([UInt8](repeating: UInt8(ascii: "x"), count: Self.largest + 1), of: .text)
        #expect(read.message?.bytes.count == Self.largest)
        #expect(read.cutFrom == Self.largest + 1)
        #expect(read.problems.map(\.kind) == [.cut])
        #expect(read.problems.first?.message.contains("\(Self.largest + 1) bytes") == true)
    }
}
