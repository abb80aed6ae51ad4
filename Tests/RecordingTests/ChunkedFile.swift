import WeirWire

@testable import WeirRecording

/// A recording with every kind of record in several chunks, with the ranges of its lines.
struct ChunkedFile {
    let bytes: [UInt8]
    /// Each line's bytes with its line feed, the head first.
    let lines: [Range<Int>]

    /// Creates a file of `count` records, one every `spacing` microseconds.
    init(seed: UInt64, count: Int, spacing: Int64 = 90_000) throws {
        var generator = RecordGenerator(seed: seed)
        bytes = try recording { writer in
            for index in 0..<count {
                try writer.append(generator.record(), at: Moment(microseconds: Int64(index) * spacing), wall: 0)
            }
        }
        lines = Self.lines(of: bytes)
    }

    /// Creates a file with one chunk for each of these records, which it contains twice.
    init(chunksOf records: [Record], head: Record.Head = testHead, numbersFrom first: Int = 1) throws {
        bytes = try recording(head: head) { writer in
            var number = first
            for (second, record) in records.flatMap({ [$0, $0] }).enumerated() {
                try writer.append(
                    record, Stamp(n: number, time: Moment(microseconds: Int64(second) * 1_000_000), wall: 0))
                if !record.isUnnumbered { number += 1 }
            }
        }
        lines = Self.lines(of: bytes)
    }

    private static func lines(of bytes: [UInt8]) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        var start = 0
        for (place, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
            lines.append(start..<place + 1)
            start = place + 1
        }
        return lines
    }

    /// The indices of the `sync` lines.
    var syncs: Set<Int> {
        Set(lines.indices.filter { bytes[lines[$0]].starts(with: Array(#"{"k":"sync""#.utf8)) })
    }

    /// Each chunk's bytes with its `sync`, except for the first chunk, which contains the head.
    var chunks: [Range<Int>] {
        var chunks: [Range<Int>] = []
        var start: Int?
        for index in syncs.sorted() {
            let end = lines[index].upperBound
            if let start { chunks.append(start..<end) }
            start = end
        }
        return chunks
    }
}
