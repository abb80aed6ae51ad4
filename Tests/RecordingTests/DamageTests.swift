import Testing
import WeirJSON
import WeirWire

@testable import WeirRecording

/// A corruption of a file.
private struct Corruption {
    /// Indices of the lines that may be lost; the line before a removed line feed is merged with the touched one.
    var touched: Set<Int> = []
    /// Whether the remaining lines are in order.
    var keepsOrder = true
}

private func isRecord(_ entry: RecordingReader.Entry) -> Bool {
    if case .record = entry { true } else { false }
}

/// The records with their stamps, in order.
private func deliveries(_ entries: [RecordingReader.Entry]) -> [RecordingReader.Entry] { entries.filter(isRecord) }

/// The entries that report a problem.
private func problems(of bytes: [UInt8]) throws -> [RecordingReader.Entry] {
    try entries(of: bytes).filter { !isRecord($0) }
}

private func isTorn(_ entry: RecordingReader.Entry) -> Bool {
    if case .tornTail = entry { true } else { false }
}

@Suite struct `Damage` {
    @Test func `a file cut at any byte yields every complete line`() throws {
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

    @Test func `a last line that is not a record is a torn tail, even with a line feed`() throws {
        let sample = try ChunkedFile(seed: 12, count: 3)
        let torn = Array(#"{"k":"f","n":"#.utf8) + [UInt8(ascii: "\n")]
        let read = try entries(of: sample.bytes + torn)
        #expect(read.last == .tornTail(offset: sample.bytes.count, bytes: torn.count, isCutOff: false))
        #expect(deliveries(read).count == sample.lines.count - 1)
    }

    @Test func `thousands of corruptions never trap, are all detected, and leave undamaged records readable`()
        throws
    {
        var random = RandomSource(seed: 2_000)
        for round in 0..<30 {
            let sample = try ChunkedFile(seed: UInt64(100 + round), count: 12, spacing: 400_000)
            let whole = try entries(of: sample.bytes)
            for _ in 0..<100 {
                var bytes = sample.bytes
                let corruption = corrupt(&bytes, sample, &random)
                let read = try entries(of: bytes)
                let lost = missing(from: deliveries(read), of: whole, corruption)
                let isNoticed = read.contains { !isRecord($0) }
                guard lost == nil, isNoticed, placesAreRight(read, bytes) else {
                    Issue.record("round \(round): \(corruption); lost: \(String(describing: lost)); \(read)")
                    return
                }
            }
        }
    }

    @Test func `every flipped bit of a closed recording is detected`() throws {
        let sample = try ChunkedFile(chunksOf: [
            .token(.init(renewed: false)), .clock(.init(step: 1)),
            .frame(.init(connection: 1, direction: .in, message: .text("hello"))),
        ])
        func isNoticed(_ bytes: [UInt8]) -> Bool {
            // A file that cannot be opened any more counts as detected.
            guard let read = try? entries(of: bytes), case .record(.end, _)? = read.last else { return true }
            return !read.allSatisfy(isRecord)
        }
        #expect(!isNoticed(sample.bytes))
        // The last two turn a space into other white space.
        let masks: [UInt8] = [1, 2, 4, 8, 16, 32, 64, 128, 0x20 ^ 0x09, 0x20 ^ 0x0d]
        var bytes = sample.bytes
        for place in bytes.indices {
            for mask in masks {
                bytes[place] ^= mask
                if !isNoticed(bytes) { Issue.record("byte \(place), \(mask)") }
                bytes[place] ^= mask
            }
        }
    }

    /// The first entry of an untouched line that was not delivered, or not in order.
    private func missing(
        from delivered: [RecordingReader.Entry], of whole: [RecordingReader.Entry], _ corruption: Corruption
    ) -> RecordingReader.Entry? {
        var rest = delivered[...]
        for (index, entry) in whole.enumerated() where !corruption.touched.contains(index + 1) {
            guard let found = rest.firstIndex(of: entry) else { return entry }
            if corruption.keepsOrder { rest = rest[(found + 1)...] } else { rest.remove(at: found) }
        }
        return nil
    }

    /// Whether each damaged line begins at its reported offset and has the reported number.
    private func placesAreRight(_ read: [RecordingReader.Entry], _ bytes: [UInt8]) -> Bool {
        read.allSatisfy { entry in
            guard case .damage(let line, let offset, let count, _) = entry else { return true }
            return bytes[offset - 1] == 10 && bytes[offset + count - 1] == 10
                && bytes[..<offset].count(where: { $0 == 10 }) == line - 1
        }
    }

    /// Flips a byte, cuts out a piece, inserts noise, or duplicates or swaps lines or chunks, all after the head.
    private func corrupt(_ bytes: inout [UInt8], _ sample: ChunkedFile, _ random: inout RandomSource) -> Corruption {
        let index = Int.random(in: 1..<sample.lines.count - 2, using: &random)
        let line = sample.lines[index]
        switch Int.random(in: 0..<7, using: &random) {
        case 0:
            let place = Int.random(in: line, using: &random)
            bytes[place] ^= UInt8.random(in: 1...255, using: &random)
            return Corruption(touched: place == line.upperBound - 1 ? [index, index + 1] : [index])
        case 1:
            let start = Int.random(in: line, using: &random)
            let end = min(
                start + Int.random(in: 1...300, using: &random), sample.lines[sample.lines.count - 2].lowerBound)
            bytes.removeSubrange(start..<end)
            return Corruption(
                touched: Set(sample.lines.indices.filter { sample.lines[$0].overlaps(start..<end + 1) || $0 == index }))
        case 2:
            let noise = (0..<Int.random(in: 1...50, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            bytes.insert(contentsOf: noise, at: Int.random(in: line.lowerBound + 1..<line.upperBound, using: &random))
            return Corruption(touched: [index])
        case 3: bytes.insert(contentsOf: Array(bytes[line]), at: line.upperBound)
        case 4:
            let chunk = sample.chunks[Int.random(in: sample.chunks.indices, using: &random)]
            bytes.insert(contentsOf: Array(bytes[chunk]), at: chunk.upperBound)
        case 5:
            let next = sample.lines[index + 1]
            bytes.replaceSubrange(
                line.lowerBound..<next.upperBound, with: Array(sample.bytes[next] + sample.bytes[line]))
            return Corruption(keepsOrder: false)
        default:
            let place = Int.random(in: 1..<sample.chunks.count, using: &random)
            let (first, second) = (sample.chunks[place - 1], sample.chunks[place])
            bytes.replaceSubrange(
                first.lowerBound..<second.upperBound, with: Array(sample.bytes[second] + sample.bytes[first]))
            return Corruption(keepsOrder: false)
        }
        return Corruption()
    }

    @Test func `noise instead of a recording never traps`() throws {
        var random = RandomSource(seed: 77)
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

    @Test func `damage is reported with its line, offset, length and reason`() throws {
        let sample = try ChunkedFile(chunksOf: [.token(.init(renewed: false)), .token(.init(renewed: true))])
        var bytes = sample.bytes
        let line = sample.lines[4]
        bytes.replaceSubrange(line.lowerBound..<line.upperBound - 1, with: Array(#"{"k":"token","n":4,"t":1}"#.utf8))
        let read = try entries(of: bytes)
        #expect(read[3] == .damage(line: 5, offset: line.lowerBound, bytes: 26, message: #"no usable "renewed""#))
        #expect(read[4] == .discontinuity(expected: 3, found: 4, line: 6))
        #expect(read[5] == (try entries(of: sample.bytes))[4])
    }

    @Test func `a duplicated line is reported, and so is a missing one`() throws {
        let sample = try ChunkedFile(seed: 14, count: 8)
        let line = sample.lines[3]
        let doubled = sample.bytes[..<line.upperBound] + sample.bytes[line] + sample.bytes[line.upperBound...]
        let missing = sample.bytes[..<line.lowerBound] + sample.bytes[line.upperBound...]
        #expect(try entries(of: Array(doubled))[3] == .discontinuity(expected: 4, found: 3, line: 5))
        #expect(try entries(of: Array(missing))[2] == .discontinuity(expected: 3, found: 4, line: 4))
    }

    @Test func `a displaced chunk is reported even when its records have no numbers`()
        throws
    {
        let sample = try ChunkedFile(chunksOf: [
            .token(.init(renewed: false)), .clock(.init(step: 1)), .note(.init(level: "warn", message: "slow")),
            .token(.init(renewed: true)),
        ])
        let (bytes, chunks) = (sample.bytes, sample.chunks)
        let (clock, note, token) = (chunks[0], chunks[1], chunks[2])
        func moved(_ pieces: Range<Int>...) -> [UInt8] {
            Array(bytes[..<clock.lowerBound]) + pieces.flatMap { bytes[$0] } + bytes[token.upperBound...]
        }
        #expect(try problems(of: moved(clock, note, token)) == [])
        // Each chunk is two records and a sync; the first chunk also contains the head.
        #expect(
            try problems(of: moved(clock, clock, note, token)) == [
                .displacement(expected: note.lowerBound, found: clock.lowerBound, line: 10)
            ])
        #expect(
            try problems(of: moved(clock, token)) == [
                .displacement(expected: note.lowerBound, found: token.lowerBound, line: 10)
            ])
        #expect(
            try problems(of: moved(note, clock, token)) == [
                .displacement(expected: clock.lowerBound, found: note.lowerBound, line: 7),
                .displacement(expected: token.lowerBound, found: clock.lowerBound, line: 10),
                .displacement(expected: note.lowerBound, found: token.lowerBound, line: 13),
            ])
    }

    @Test func `a missing last chunk is detected through the offset in the end record`() throws {
        let sample = try ChunkedFile(chunksOf: [.token(.init(renewed: false)), .clock(.init(step: 1))])
        let clock = sample.chunks[0]
        var bytes = sample.bytes
        bytes.removeSubrange(clock)
        #expect(
            try problems(of: bytes) == [.displacement(expected: clock.lowerBound, found: clock.upperBound, line: 6)])
    }

    @Test func `a reader that returns to a place reports a duplicated chunk again`() throws {
        let sample = try ChunkedFile(chunksOf: [
            .token(.init(renewed: false)), .clock(.init(step: 1)), .token(.init(renewed: true)),
        ])
        let clock = sample.chunks[0]
        var bytes = sample.bytes
        bytes.insert(contentsOf: sample.bytes[clock], at: clock.upperBound)
        let whole = try entries(of: bytes)
        var reader = try RecordingReader(bytes: bytes)
        var places: [(number: Int, place: RecordingReader.Place)] = [(0, reader.place)]
        var number = 0
        while let entry = try reader.next() {
            number += 1
            // There is no place between a problem of a line and the line.
            if isRecord(entry) { places.append((number, reader.place)) }
        }
        #expect(whole.count == places.count)
        for (number, place) in places.reversed() {
            try reader.move(to: place)
            var rest: [RecordingReader.Entry] = []
            while let entry = try reader.next() { rest.append(entry) }
            #expect(rest == Array(whole[number...]))
        }
    }

    @Test func `damage that displaces the chunks after it is reported only once`() throws {
        let sample = try ChunkedFile(chunksOf: [
            .token(.init(renewed: false)), .token(.init(renewed: true)), .clock(.init(step: 1)),
            .note(.init(level: "warn", message: "slow")),
        ])
        let token = sample.chunks[0]
        var doubled = sample.bytes
        doubled.insert(contentsOf: sample.bytes[token], at: token.upperBound)
        var longer = sample.bytes
        longer.insert(UInt8(ascii: "?"), at: token.lowerBound + 3)
        #expect(try problems(of: doubled) == [.discontinuity(expected: 5, found: 3, line: 8)])
        let told = try problems(of: longer)
        guard told.count == 3, case .damage(line: 5, _, _, _) = told[0],
            case .discontinuity(expected: 3, found: 4, line: 6) = told[1],
            case .checksumMismatch(line: 7, _, _) = told[2]
        else {
            Issue.record("\(told)")
            return
        }
    }

    @Test func `a recording appended to another one is not displaced`() throws {
        let chunks: [Record] = [.token(.init(renewed: false)), .clock(.init(step: 1))]
        let first = try ChunkedFile(chunksOf: chunks)
        var head = testHead
        head.segment = 2
        let second = try ChunkedFile(chunksOf: chunks, head: head, numbersFrom: 3)
        // The first writer was killed after its last sync.
        let bytes = Array(first.bytes[..<first.chunks[0].upperBound]) + second.bytes
        #expect(try entries(of: bytes).allSatisfy(isRecord))
    }

    @Test func `a change that leaves the line readable is detected by the checksum`() throws {
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

    @Test func `a chunk is verified even when the sync before it is damaged`() throws {
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
        // The lost sync leaves no gap, since it has no number of its own.
        guard problems.count == 1, case .damage(line: place + 1, _, _, _) = problems[0] else {
            Issue.record("\(problems)")
            return
        }
    }

    @Test func `a line over the maximum length is damage, and the next one is read`() throws {
        try withTemporaryFolder { folder in
            let head = lines(of: try recording())[0] + "\n"
            let long = [UInt8](repeating: UInt8(ascii: "x"), count: Limits.longestLine)
            let token = #"{"k":"token","n":1,"t":0,"w":"2026-01-02T03:04:05Z","renewed":true}"# + "\n"
            let path = folder + "/long.weir.jsonl"
            let bytes = Array(head.utf8) + long + [UInt8(ascii: "\n")] + Array(token.utf8) + long
            try write(bytes, to: path)
            let expected: [RecordingReader.Entry] = [
                .damage(line: 2, offset: head.utf8.count, bytes: long.count + 1, message: RecordFormat.tooLong),
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
        ("hello\n", "its first line is not a head: unexpected 'h' at byte 0"),
        ("{\"k\":\"token\",\"n\":1,\"t\":0,\"renewed\":true}\n", "its first line is not a head"),
        ("{\"k\":\"head\",\"fmt\":\"asciicast\",\"v\":1}\n", "its first line is not a head: no usable \"fmt\""),
        (
            "{\"k\":\"head\",\"fmt\":\"weir-recording\",\"v\":2,\"rec\":\"a\",\"w0\":\"2026-01-02T03:04:05Z\",\"tool\":\"weir 9\"}\n",
            "it has format version 2, and this program reads 1"
        ),
    ])
    func `a file that is not a recording is refused with the reason`(text: String, message: String) {
        #expect(throws: RecordingError.notARecording(path: "memory", message: message)) {
            _ = try RecordingReader(bytes: Array(text.utf8))
        }
    }
}
