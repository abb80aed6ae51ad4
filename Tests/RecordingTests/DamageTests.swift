import JSONText
import Testing
import Wire

@testable import Recording

/// A recording of all kinds in several chunks, with where its lines stand.
private struct ChunkedFile {
    let bytes: [UInt8]
    /// Each line's bytes with its line feed, the head first.
    let lines: [Range<Int>]

    init(seed: UInt64, count: Int) throws {
        var generator = RecordGenerator(seed: seed)
        bytes = try recording { writer in
            for index in 0..<count {
                try writer.append(generator.record(), at: Moment(microseconds: Int64(index) * 90_000), wall: 0)
            }
        }
        var lines: [Range<Int>] = []
        var start = 0
        for (place, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
            lines.append(start..<place + 1)
            start = place + 1
        }
        self.lines = lines
    }
}

private func isRecord(_ entry: RecordingReader.Entry) -> Bool {
    if case .record = entry { true } else { false }
}

/// The records with their stamps, in order.
private func deliveries(_ entries: [RecordingReader.Entry]) -> [RecordingReader.Entry] { entries.filter(isRecord) }

private func isTorn(_ entry: RecordingReader.Entry) -> Bool {
    if case .tornTail = entry { true } else { false }
}

@Suite struct `Damage` {
    @Test func `a file cut at any byte gives every complete line`() throws {
        let sample = try ChunkedFile(seed: 11, count: 30)
        let whole = try entries(of: sample.bytes)
        #expect(whole.allSatisfy(isRecord))
        for cut in 0...sample.bytes.count {
            let part = Array(sample.bytes[..<cut])
            let complete = sample.lines.filter { $0.upperBound <= cut }
            if complete.isEmpty {
                #expect(throws: RecordingError.self) { _ = try RecordingReader(bytes: part) }
                continue
            }
            var expected = Array(whole[..<(complete.count - 1)])
            let end = complete.last?.upperBound ?? 0
            if cut > end { expected.append(.tornTail(offset: end, bytes: cut - end)) }
            let read = try entries(of: part)
            if read != expected {
                Issue.record("cut at \(cut): \(read) is not \(expected)")
                break
            }
        }
    }

    @Test func `a last line that is no record is a torn tail, even with a line feed`() throws {
        let sample = try ChunkedFile(seed: 12, count: 3)
        let torn = Array(#"{"k":"f","n":"#.utf8) + [UInt8(ascii: "\n")]
        let read = try entries(of: sample.bytes + torn)
        #expect(read.last == .tornTail(offset: sample.bytes.count, bytes: torn.count))
        #expect(deliveries(read).count == sample.lines.count - 1)
    }

    @Test func `two thousand corruptions never trap, and every undamaged record is delivered`() throws {
        var random = SeededGenerator(seed: 2_000)
        for round in 0..<20 {
            let sample = try ChunkedFile(seed: UInt64(100 + round), count: 40)
            let whole = try entries(of: sample.bytes)
            for _ in 0..<100 {
                var bytes = sample.bytes
                let touched = corrupt(&bytes, sample, &random)
                let read = try entries(of: bytes)
                // The line before a removed line feed is merged with the touched one; everything else must be there, in
                // order.
                var rest = deliveries(read)[...]
                for (index, entry) in whole.enumerated() where !touched.contains(index + 1) {
                    guard let found = rest.firstIndex(of: entry) else {
                        Issue.record("round \(round): \(entry) is lost, lines \(touched) were touched")
                        return
                    }
                    rest = rest[(found + 1)...]
                }
                // The counts of a `sync` are no part of what was recorded, and nothing is summed of itself.
                let syncs = whole.indices.filter { whole[$0].isSync }.map { $0 + 1 }
                #expect(
                    read.contains { !isRecord($0) } || !touched.isDisjoint(with: syncs),
                    "round \(round): nobody noticed that lines \(touched) were touched"
                )
            }
        }
    }

    /// Flips bytes, cuts a piece out, doubles a line or puts noise in, behind the head. Gives the indices of the lines
    /// that may be lost.
    private func corrupt(_ bytes: inout [UInt8], _ sample: ChunkedFile, _ random: inout SeededGenerator) -> Set<Int> {
        let index = Int.random(in: 1..<sample.lines.count - 2, using: &random)
        let line = sample.lines[index]
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            let place = Int.random(in: line, using: &random)
            bytes[place] ^= UInt8.random(in: 1...255, using: &random)
            return place == line.upperBound - 1 ? [index, index + 1] : [index]
        case 1:
            let start = Int.random(in: line, using: &random)
            let end = min(
                start + Int.random(in: 1...300, using: &random), sample.lines[sample.lines.count - 2].lowerBound)
            bytes.removeSubrange(start..<end)
            return Set(sample.lines.indices.filter { sample.lines[$0].overlaps(start..<end + 1) || $0 == index })
        case 2:
            bytes.insert(contentsOf: Array(bytes[line]), at: line.upperBound)
            return []
        default:
            let noise = (0..<Int.random(in: 1...50, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            bytes.insert(contentsOf: noise, at: Int.random(in: line.lowerBound + 1..<line.upperBound, using: &random))
            return [index]
        }
    }

    @Test func `noise in place of a recording never traps`() throws {
        var random = SeededGenerator(seed: 77)
        let head = try recording()
        for _ in 0..<2_000 {
            var bytes = head
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            bytes += (0..<Int.random(in: 0..<200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
            }
            do throws(RecordingError) {
                var reader = try RecordingReader(bytes: bytes)
                var count = 0
                while try reader.next() != nil { count += 1 }
                #expect(count <= bytes.count)
            } catch {
                guard case .notARecording(path: "memory", _) = error else {
                    Issue.record("\(error)")
                    return
                }
            }
        }
    }

    @Test func `damage is told with its line, its offset, its length and why`() throws {
        let sample = try ChunkedFile(seed: 13, count: 10)
        var bytes = sample.bytes
        let line = sample.lines[4]
        bytes.replaceSubrange(line.lowerBound..<line.upperBound - 1, with: Array(#"{"k":"token","n":4,"t":1}"#.utf8))
        let read = try entries(of: bytes)
        #expect(read[3] == .damage(line: 5, offset: line.lowerBound, bytes: 26, message: #"no usable "renewed""#))
        #expect(read[4] == .discontinuity(expected: 3, found: 4, line: 6))
        #expect(read[5] == (try entries(of: sample.bytes))[4])
    }

    @Test func `a doubled line is told, and so is a missing one`() throws {
        let sample = try ChunkedFile(seed: 14, count: 8)
        let line = sample.lines[3]
        let doubled = sample.bytes[..<line.upperBound] + sample.bytes[line] + sample.bytes[line.upperBound...]
        let missing = sample.bytes[..<line.lowerBound] + sample.bytes[line.upperBound...]
        #expect(try entries(of: Array(doubled))[3] == .discontinuity(expected: 4, found: 3, line: 5))
        #expect(try entries(of: Array(missing))[2] == .discontinuity(expected: 3, found: 4, line: 4))
    }

    @Test func `a change that leaves the line readable is found by the checksum`() throws {
        let bytes = try recording { writer in
            for second in 0..<4 {
                try writer.append(
                    .frame(.init(connection: 1, direction: .in, message: .text("hello"))),
                    at: Moment(microseconds: Int64(second) * 1_000_000), wall: 0)
            }
        }
        let place = try #require(lines(of: bytes).firstIndex { $0.contains("hello") })
        let text = String(decoding: bytes, as: UTF8.self)
        var changed = lines(of: bytes)
        changed[place] = changed[place].replacing("hello", with: "jello")
        let read = try entries(of: Array((changed.joined(separator: "\n") + "\n").utf8))
        let mismatches = read.filter { !isRecord($0) }
        let chunk = changed[...2].joined(separator: "\n").utf8.count + 1
        #expect(mismatches == [.checksumMismatch(line: 4, bytes: chunk, recorded: chunk)])
        #expect(try entries(of: Array(text.utf8)).allSatisfy(isRecord))
    }

    @Test func `a chunk is proven whole although the sync before it is damaged`() throws {
        let bytes = try recording { writer in
            for second in 0..<6 {
                try writer.append(
                    .token(.init(renewed: false)), at: Moment(microseconds: Int64(second) * 600_000), wall: 0)
            }
        }
        var changed = lines(of: bytes)
        let place = try #require(changed.firstIndex { $0.hasPrefix(#"{"k":"sync""#) })
        changed[place] = "#" + changed[place].dropFirst()
        let read = try entries(of: Array((changed.joined(separator: "\n") + "\n").utf8))
        let problems = read.filter { !isRecord($0) }
        // The lost sync leaves no hole, since it has no number of its own.
        guard problems.count == 1, case .damage(line: place + 1, _, _, _) = problems[0] else {
            Issue.record("\(problems)")
            return
        }
    }

    @Test func `a line longer than 16 MiB is damage, and the next one is read`() throws {
        try withTemporaryFolder { folder in
            let head = lines(of: try recording())[0] + "\n"
            let long = [UInt8](repeating: UInt8(ascii: "x"), count: (16 << 20) + 1)
            let token = #"{"k":"token","n":1,"t":0,"w":"2026-01-02T03:04:05Z","renewed":true}"# + "\n"
            let path = folder + "/long.weir.jsonl"
            let bytes = Array(head.utf8) + long + [UInt8(ascii: "\n")] + Array(token.utf8) + long
            try write(bytes, to: path)
            let expected: [RecordingReader.Entry] = [
                .damage(line: 2, offset: head.utf8.count, bytes: long.count + 1, message: "longer than 16 MiB"),
                .record(
                    .token(.init(renewed: true)), Stamp(n: 1, time: .zero, wall: 1_767_323_045_000_000)),
                .tornTail(offset: bytes.count - long.count, bytes: long.count),
            ]
            #expect(try entries(of: bytes) == expected)
            var reader = try RecordingReader(opening: path)
            for entry in expected { #expect(try reader.next() == entry) }
            #expect(try reader.next() == nil)
        }
    }

    @Test(arguments: [
        ("", "it is empty"), ("{\"k\":\"head\",\"fmt\":\"weir", "it ends inside its first line"),
        ("hello\n", "its first line is no head: unexpected 'h' at byte 0"),
        ("{\"k\":\"token\",\"n\":1,\"t\":0,\"renewed\":true}\n", "its first line is no head"),
        ("{\"k\":\"head\",\"fmt\":\"asciicast\",\"v\":1}\n", "its first line is no head: no usable \"fmt\""),
        (
            "{\"k\":\"head\",\"fmt\":\"weir-recording\",\"v\":2,\"rec\":\"a\",\"w0\":\"2026-01-02T03:04:05Z\",\"tool\":\"weir 9\"}\n",
            "it has format version 2, and this program reads 1"
        ),
    ])
    func `what is no recording is refused, and why`(text: String, message: String) {
        #expect(throws: RecordingError.notARecording(path: "memory", message: message)) {
            _ = try RecordingReader(bytes: Array(text.utf8))
        }
    }
}

extension RecordingReader.Entry {
    fileprivate var isSync: Bool { if case .record(.sync, _) = self { true } else { false } }
}
