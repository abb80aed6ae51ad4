import Glibc
import Testing
import WeirWire

@testable import WeirRecording

/// The entries from the blocks of a file and its rest, and the number of blocks. With `asksForTexts`, received texts
/// are requested before each entry.
private func read(
    _ path: String, asksForTexts: Bool = false
) throws -> (entries: [RecordingReader.Entry], blocks: Int, texts: Int) {
    var blocks = try RecordingBlocks(opening: path)
    var entries: [RecordingReader.Entry] = []
    var (count, texts) = (0, 0)
    func take(_ reader: consuming RecordingReader) throws {
        while true {
            if asksForTexts, let text = reader.nextReceivedText() {
                texts += 1
                let (connection, stamp) = (text.connection, text.stamp)
                let frame = Record.FrameRecord(
                    connection: connection, direction: .in, message: .text(text.takeText()))
                entries.append(.record(.frame(frame), stamp))
            } else if let entry = try reader.next() {
                entries.append(entry)
            } else {
                return
            }
        }
    }
    while let block = blocks.next() {
        count += 1
        try take(block.reader())
    }
    try take(try blocks.rest())
    return (entries, count, texts)
}

/// A recording of several megabytes with many chunks.
private func large(_ count: Int = 1_500) throws -> [UInt8] {
    var generator = RecordGenerator(seed: 41)
    let text = String(repeating: #"{"a":"b\n"}"#, count: 240)
    return try recording { writer in
        for index in 0..<count {
            let record =
                index % 3 == 0
                ? generator.record() : .frame(.init(connection: 1, direction: .in, message: .text(text + "\(index)")))
            try writer.append(record, at: Moment(microseconds: Int64(index) * 900), wall: Int64(index) * 900)
        }
    }
}

@Suite struct `Blocks` {
    @Test func `the blocks of a recording and its rest yield the same entries as its reader`() throws {
        try withTemporaryFolder { folder in
            let bytes = try large()
            let path = folder + "/x.weir.jsonl"
            try write(bytes, to: path)
            let read = try read(path)
            #expect(read.entries == (try entries(of: bytes)))
            #expect(read.blocks > 1)
        }
    }

    @Test func `received texts are available at their position when requested`() throws {
        try withTemporaryFolder { folder in
            let bytes = try large()
            let path = folder + "/x.weir.jsonl"
            try write(bytes, to: path)
            let read = try read(path, asksForTexts: true)
            #expect(read.entries == (try entries(of: bytes)))
            // Two of three records are such texts; the file's last chunk and the first record are not read
            // through blocks, or not this way.
            #expect(read.texts > 900)
        }
    }

    @Test func `damage is reported the same by blocks`() throws {
        try withTemporaryFolder { folder in
            let bytes = try large()
            var random = RandomSource(seed: 5)
            for round in 0..<3 {
                var damaged = bytes
                for _ in 0..<40 {
                    let place = Int.random(in: 600..<damaged.count, using: &random)
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                    case 1: damaged.removeSubrange(place..<min(place + 2_000, damaged.count))
                    default: damaged.insert(contentsOf: [10, 0, 255, 123], at: place)
                    }
                }
                let path = folder + "/\(round).weir.jsonl"
                try write(damaged, to: path)
                let expected = try entries(of: damaged)
                #expect(try read(path).entries == expected, "round \(round)")
                #expect(try read(path, asksForTexts: true).entries == expected, "round \(round)")
            }
        }
    }

    @Test func `duplicated, missing and swapped chunks are reported the same by blocks`() throws {
        try withTemporaryFolder { folder in
            let text = String(repeating: "x", count: 80_000)
            let bytes = try recording { writer in
                for second in 0..<60 {
                    // Of four chunks, three contain only records without numbers of their own.
                    let record: Record =
                        second / 2 % 4 == 0
                        ? .frame(.init(connection: 1, direction: .in, message: .text(text)))
                        : .note(.init(level: "warn", message: text + "\(second)"))
                    try writer.append(record, at: Moment(microseconds: Int64(second) * 1_000_000), wall: 0)
                }
            }
            let lines = bytes.split(separator: 10).map { $0 + [10] }
            var chunks: [[UInt8]] = [[]]
            for line in lines {
                chunks[chunks.count - 1] += line
                if line.starts(with: Array(#"{"k":"sync""#.utf8)) { chunks.append([]) }
            }
            #expect(chunks.count == 31)
            var random = RandomSource(seed: 6)
            var told = 0
            for round in 0..<20 {
                var damaged = chunks
                for _ in 0..<3 {
                    let place = Int.random(in: 1..<damaged.count - 2, using: &random)
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: damaged.insert(damaged[place], at: place)
                    case 1: damaged.remove(at: place)
                    default: damaged.swapAt(place, place + 1)
                    }
                }
                let path = folder + "/\(round).weir.jsonl"
                try write(damaged.flatMap { $0 }, to: path)
                let expected = try entries(of: damaged.flatMap { $0 })
                told += expected.count { if case .displacement = $0 { true } else { false } }
                let read = try read(path)
                #expect(read.entries == expected, "round \(round)")
                #expect(read.blocks > 3)
            }
            #expect(told > 20)
        }
    }

    @Test func `entries read before a file failed are delivered`() throws {
        try withTemporaryFolder { folder in
            let bytes = try large()
            let path = folder + "/x.weir.jsonl"
            try write(bytes, to: path)
            let (file, other) = (open(path, O_RDONLY | O_CLOEXEC), open(folder, O_RDONLY | O_CLOEXEC))
            defer {
                close(file)
                close(other)
            }
            var blocks = RecordingBlocks(try RecordingReader(reading: file, name: "x"))
            // From here on the descriptor refers to a folder, which cannot be read.
            try #require(file >= 0 && other >= 0 && dup2(other, file) == file)
            var entries: [RecordingReader.Entry] = []
            while let block = blocks.next() {
                var reader = block.reader()
                while let entry = try reader.next() { entries.append(entry) }
            }
            var rest = try blocks.rest()
            #expect(throws: RecordingError.self) {
                while let entry = try rest.next() { entries.append(entry) }
            }
            #expect(entries.count > 30)
            #expect(entries == Array(try RecordingTests.entries(of: bytes).prefix(entries.count)))
        }
    }

    @Test func `a recording without syncs is read without blocks`() throws {
        try withTemporaryFolder { folder in
            let bytes = try large(4_000)
            let kept = bytes.split(separator: 10, omittingEmptySubsequences: false).filter {
                !$0.starts(with: Array(#"{"k":"sync""#.utf8))
            }
            let text = Array(kept.joined(separator: [10]))
            let path = folder + "/x.weir.jsonl"
            try write(text, to: path)
            let read = try read(path)
            #expect(text.count > 5 << 20)
            #expect(read.blocks == 0)
            #expect(read.entries == (try entries(of: text)))
        }
    }
}

@Suite struct `Lines of frames` {
    /// Decodes a line in both ways; `usual` is `nil` if the line needs the decoder of all lines.
    private func both(_ text: String) throws -> (usual: RecordingReader.Entry?, any: DecodedLine?) {
        let bytes = Array(text.utf8)
        var clock = WallClockMinute()
        var usual: RecordingReader.Entry?
        bytes.withUnsafeBufferPointer { line in
            guard let frame = FrameLine(line, &clock) else { return }
            var payload = [UInt8](repeating: 0, count: FrameLine.room(for: frame.contents.count))
            let count = payload.withUnsafeMutableBufferPointer { target in
                target.baseAddress.flatMap { frame.resolve(line, into: $0) }
            }
            if let count { usual = frame.entry(payload[..<count]) }
        }
        return (usual, try? LineDecoder.decode(bytes.span))
    }

    @Test func `lines in the usual form decode to the same record as through JSON`() throws {
        var generator = RecordGenerator(seed: 51)
        var encoder = RecordEncoder()
        var usual = 0
        for number in 0..<3_000 {
            let text = generator.text()
            let direction: Record.FrameRecord.Direction = number % 2 == 0 ? .in : .out
            let record = Record.frame(
                .init(connection: number % 7, direction: direction, message: .text(ArraySlice(text.utf8))))
            let stamp = Stamp(
                n: generator.number() >> 4, time: Moment(microseconds: Int64(generator.number() >> 4)),
                wall: Int64(generator.number() >> 4))
            guard encoder.encode(record, stamp) else { continue }
            let line = String(decoding: encoder.line.dropLast(), as: UTF8.self)
            let read = try both(line)
            if let frame = read.usual {
                usual += 1
                let decoded = try #require(read.any)
                let stamp = Stamp(
                    n: try #require(decoded.number), time: try #require(decoded.time), wall: try #require(decoded.wall))
                #expect(frame == .record(decoded.record, stamp))
            }
        }
        #expect(usual > 300)
    }

    @Test(arguments: [
        #""len":3,"p":"abc","x":"d"}"#, #""len":3,"p":"a"c"}"#, #""len":3,"p":"abc\"}"#, #""len":3,"p":"a\qc"}"#,
        #""len":03,"p":"abc"}"#, #""len":,"p":"abc"}"#, "\"len\":3,\"p\":\"a\tc\"}", #""len":3,"cut":true,"p":"abc"}"#,
        #""len":3,"p":"a\u0041c"}"#,
    ])
    func `a line that deviates from the usual form is left to JSON`(end: String) throws {
        let start = #"{"k":"f","n":3,"t":10123,"w":"2026-01-02T03:04:05.010123Z","c":"1","d":"in","op":1,"#
        #expect(try both(start + end).usual == nil)
        #expect(try both(start + #""len":3,"p":"abc"}"#).usual != nil)
    }

    @Test func `a wall clock that is invalid alone is also refused within a line`() throws {
        for wall in [
            "2026-01-02T03:04:61.010123Z", "2026-13-02T03:04:05.010123Z", "2026-01-02 03:04:05.010123Z",
            "2026-01-02T03:04:05,010123Z", "2026-01-02T03:04:05.01012ZZ", "2026-01-02T24:04:05.010123Z",
        ] {
            let line = #"{"k":"f","n":3,"t":1,"w":"\#(wall)","c":"1","d":"in","op":1,"len":3,"p":"abc"}"#
            #expect(try both(line).usual == nil, "\(wall)")
        }
    }
}
