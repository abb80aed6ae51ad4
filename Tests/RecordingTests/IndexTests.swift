import Glibc
import Testing
import WeirJSON
import WeirWire

@testable import WeirRecording

/// A recording of several chunks, with a record every 90 ms.
private func chunked(_ count: Int = 60) throws -> [UInt8] {
    var generator = RecordGenerator(seed: 31)
    let bytes = try recording { writer in
        for index in 0..<count {
            try writer.append(generator.record(), at: Moment(microseconds: Int64(index) * 90_000), wall: 0)
        }
    }
    return try withoutIndex(bytes)
}

/// The recording without its `idx`.
func withoutIndex(_ bytes: [UInt8]) throws -> [UInt8] {
    let all = lines(of: bytes)
    let last = try LineDecoder.decode(Array(try #require(all.last).utf8).span)
    var encoder = RecordEncoder()
    let stamp = Stamp(n: try #require(last.number), time: try #require(last.time), wall: 0)
    guard encoder.encode(.end(.init(why: .closed)), stamp) else { return [] }
    return all.dropLast(2).flatMap { Array($0.utf8) + [10] } + encoder.line
}

/// The recording with an `idx` modified by `change`, and an `end` that points to it.
private func indexed(
    _ bytes: [UInt8], _ change: (inout Record.IndexRecord) -> Void = { _ in }
) throws -> [UInt8] {
    let plain = try RecordingIndex(of: bytes)
    var index = Record.IndexRecord(
        chunks: plain.chunks, kinds: [.init(name: "f", count: 7)], rooms: [.init(name: "lobby", count: 3)])
    change(&index)
    let start = bytes.count - RecordFormat.endLine
    let end = try #require(lines(of: bytes).last)
    let read = try LineDecoder.decode(Array(end.utf8).span)
    let stamp = Stamp(n: try #require(read.number), time: try #require(read.time), wall: 0)
    var encoder = RecordEncoder()
    guard encoder.encode(.index(index), Stamp(n: stamp.n - 1, time: stamp.time, wall: 0)) else { return [] }
    var result = Array(bytes[..<start] + encoder.line)
    guard encoder.encode(.end(.init(why: .closed, index: start)), stamp) else { return [] }
    result += encoder.line
    return result
}

/// The entries from a place onwards.
private func rest(of bytes: [UInt8], from place: RecordingReader.Place) throws -> [RecordingReader.Entry] {
    var reader = try RecordingReader(bytes: bytes)
    try reader.move(to: place)
    var entries: [RecordingReader.Entry] = []
    while let entry = try reader.next() { entries.append(entry) }
    return entries
}

@Suite struct `The index of a recording` {
    @Test func `the writer's index equals the one derived from the syncs`() throws {
        var generator = RecordGenerator(seed: 32)
        let bytes = try recording { writer in
            for index in 0..<80 {
                try writer.append(generator.record(), at: Moment(microseconds: Int64(index) * 120_000), wall: 0)
            }
        }
        let index = try RecordingIndex(of: bytes)
        #expect(index.origin == .file)
        #expect(index.chunks == (try RecordingIndex(of: withoutIndex(bytes))).chunks)
        var kinds: [String: Int] = ["head": 1]
        for case .record(let record, _) in try entries(of: bytes) { kinds[record.kind, default: 0] += 1 }
        for own in ["sync", "idx", "end"] { kinds[own] = nil }
        #expect(Dictionary(uniqueKeysWithValues: index.kinds.map { ($0.name, $0.count) }) == kinds)
    }

    @Test func `an index derived from the syncs leads into every chunk`() throws {
        let bytes = try chunked()
        let whole = try entries(of: bytes)
        let index = try RecordingIndex(of: bytes)
        #expect(index.origin == .scan)
        #expect(index.chunks.count > 4)
        #expect(index.times?.lowerBound == .zero)
        for chunk in index.chunks.indices {
            let read = try rest(of: bytes, from: index.place(ofChunk: chunk))
            #expect(read == Array(whole.suffix(read.count)), "chunk \(chunk)")
            if chunk == 0 { #expect(read.count == whole.count) }
        }
    }

    @Test func `the first chunk begins at the start, even when its first record is damaged`() throws {
        let whole = lines(of: try chunked())
        let second = try #require(whole.firstIndex { $0.contains(#""n":2,"#) })
        let damaged = [whole[0], "damaged"] + whole[second...]
        let bytes: [UInt8] = damaged.flatMap { Array($0.utf8) + [10] }
        let index = try RecordingIndex(of: bytes)
        #expect(index.chunks[0].firstNumber == 2)
        #expect(try rest(of: bytes, from: index.place(ofChunk: 0)) == entries(of: bytes))
    }

    @Test func `the file's own index is used when it matches the file`() throws {
        let bytes = try chunked()
        let made = try RecordingIndex(of: bytes)
        let index = try RecordingIndex(of: try indexed(bytes))
        #expect(index.origin == .file)
        #expect(index.chunks == made.chunks)
        #expect(index.kinds == [.init(name: "f", count: 7)])
        #expect(index.rooms == [.init(name: "lobby", count: 3)])
    }

    @Test func `a mismatched index is rebuilt`() throws {
        let bytes = try chunked()
        let made = try RecordingIndex(of: bytes)
        let lies: [(inout Record.IndexRecord) -> Void] = [
            { $0.chunks.removeLast() }, { $0.chunks.removeFirst() }, { $0.chunks[2].offset = 1 },
            { $0.chunks[1].firstTime = Moment(microseconds: 1 << 50) }, { $0.chunks = [] },
            { $0.chunks[$0.chunks.count - 1].records += 1 }, { $0.chunks[1].records = 1 << 53 },
        ]
        for (number, lie) in lies.enumerated() {
            let index = try RecordingIndex(of: try indexed(bytes, lie))
            #expect(index.origin == .scan, "lie \(number)")
            #expect(index.chunks == made.chunks, "lie \(number)")
        }
        let appended = try indexed(bytes) + Array(#"{"k":"note","n":9,"t":1,"lvl":"info","msg":"x"}"#.utf8) + [10]
        #expect(try RecordingIndex(of: appended).origin == .scan)
    }

    @Test func `records after the last sync form a chunk, too`() throws {
        let bytes = try chunked()
        let index = try RecordingIndex(of: bytes)
        let cut = index.chunks[3].offset + 400
        let part = try RecordingIndex(of: Array(bytes[..<cut]))
        #expect(part.chunks.count == 4)
        #expect(part.chunks[..<3] == index.chunks[..<3])
        #expect(part.chunks[3].offset == index.chunks[3].offset)
        #expect(part.chunks[3].firstNumber == index.chunks[3].firstNumber)
    }

    @Test func `a time and a number are found by binary search`() throws {
        let bytes = try chunked()
        let whole = try entries(of: bytes)
        let index = try RecordingIndex(of: bytes)
        for case .record(let record, let stamp) in whole where !record.isUnnumbered {
            let byNumber = try #require(index.chunk(ofRecord: stamp.n))
            let byTime = try #require(index.chunk(at: stamp.time))
            let read = try rest(of: bytes, from: index.place(ofChunk: byNumber))
            #expect(read.contains(.record(record, stamp)))
            if byNumber + 1 < index.chunks.count {
                let later = try rest(of: bytes, from: index.place(ofChunk: byNumber + 1))
                #expect(!later.contains(.record(record, stamp)))
            }
            #expect(byTime <= byNumber)
            #expect(try rest(of: bytes, from: index.place(ofChunk: byTime)).contains(.record(record, stamp)))
        }
        #expect(index.chunk(at: Moment(microseconds: 1 << 50)) == nil)
        #expect(index.chunk(ofRecord: 0) == 0)
    }

    @Test func `a reader returns to any place, in a file as in memory`() throws {
        let bytes = try chunked()
        let whole = try entries(of: bytes)
        try withTemporaryFolder { folder in
            let path = folder + "/x.weir.jsonl"
            try write(bytes, to: path)
            var reader = try RecordingReader(opening: path)
            var places = [reader.place]
            while try reader.next() != nil { places.append(reader.place) }
            for (number, place) in places.enumerated().reversed() {
                try reader.move(to: place)
                var read: [RecordingReader.Entry] = []
                while let entry = try reader.next() { read.append(entry) }
                #expect(read == Array(whole[min(number, whole.count)...]), "place \(number)")
            }
            #expect(try RecordingIndex(ofFile: path) == RecordingIndex(of: bytes))
        }
    }

    @Test func `a place within a line is invalid`() throws {
        let bytes = try chunked()
        let index = try RecordingIndex(of: bytes)
        var place = index.place(ofChunk: 2)
        place.offset += 3
        var reader = try RecordingReader(bytes: bytes)
        #expect(throws: RecordingError.self) { try reader.move(to: place) }
        place.offset = bytes.count + 100
        #expect(throws: RecordingError.self) { try reader.move(to: place) }
    }

    @Test func `the line of an entry is available, even of a damaged one`() throws {
        var bytes = try chunked()
        let damaged = try #require(bytes.firstIndex(of: 10)) + 3
        bytes[damaged] = 0
        let texts = bytes.split(separator: 10).dropFirst()
        var reader = try RecordingReader(bytes: bytes)
        var read: [ArraySlice<UInt8>] = []
        while let entry = try reader.next() {
            if case .discontinuity = entry { continue }
            if case .checksumMismatch = entry { continue }
            read.append(reader.line.withUnsafeBufferPointer { ArraySlice($0) })
        }
        #expect(read == Array(texts))
    }
}

@Suite struct `The fuzzer's seeds` {
    private static let names = [
        "act", "clock", "conn", "f-binary", "f-text", "f-usual", "gap", "head", "hello.weir.jsonl", "http", "idx-end",
        "mark", "mem", "note", "st", "sub", "sync", "token", "unknown",
    ]

    @Test func `the seeds contain a record of each kind, and none has a problem`() throws {
        var kinds: Set<String> = ["head"]
        for name in Self.names {
            let bytes = try contents(of: SampleRecording.repository + "/samples/corpus/recording/" + name)
            for entry in try entries(of: bytes) {
                guard case .record(let record, _) = entry else {
                    Issue.record("\(name): \(entry)")
                    continue
                }
                kinds.insert(record.kind)
            }
            if name == "idx-end" { #expect(try RecordingIndex(of: bytes).origin == .file) }
        }
        let all = "head conn f http sub gap token act mem mark st clock note sync idx end poll"
        #expect(kinds == Set(all.split(separator: " ").map(String.init)))
    }
}
