import Testing
import WeirJSON
import WeirWire

@testable import WeirRecording

@Suite struct `Round trip of a recording` {
    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `every record reads back as written, with its stamp`(seed: UInt64) throws {
        var generator = RecordGenerator(seed: seed)
        var written: [RecordingReader.Entry] = []
        var time: Int64 = 0
        let bytes = try recording { writer in
            for _ in 0..<2_000 {
                time += Int64.random(in: 0...20_000, using: &generator.random)
                let record = generator.record()
                let stamp = Stamp(
                    n: record.isUnnumbered ? writer.nextNumber - 1 : writer.nextNumber,
                    time: Moment(microseconds: time),
                    wall: testHead.wallStart + time)
                try writer.append(record, stamp)
                let wall = String(decoding: WallClock.text(stamp.wall), as: UTF8.self)
                written.append(.record(try stamped(record, n: stamp.n, time: stamp.time, wall: wall), stamp))
            }
        }
        let read = try entries(of: bytes).filter { entry in
            switch entry {
            case .record(.sync, _), .record(.index, _), .record(.end, _): false
            default: true
            }
        }
        #expect(read.count == written.count)
        for (read, written) in zip(read, written) where read != written {
            Issue.record("\(read) is not \(written)")
            break
        }
    }

    @Test func `the head reads back`() throws {
        var head = testHead
        head.minor = 7
        head.segment = 3
        head.previous = String(repeating: "0f", count: 32)
        head.clock = "CLOCK_MONOTONIC"
        head.boot = "b"
        head.system = "linux"
        head.context = "work"
        head.title = "the \u{202E}outage"
        head.tags = ["a", ""]
        head.idleLimit = 7
        head.filter = "room = /a"
        head.redactions = ["secrets", "sessions"]
        head.session = RawJSON(unchecked: ArraySlice("{\n \"room\": \"a b\",\r\n\t\"x\" : [1, 2]}".utf8))
        let reader = try RecordingReader(bytes: try recording(head: head))
        #expect(reader.head.session == RawJSON(unchecked: ArraySlice(#"{"room":"a b","x":[1,2]}"#.utf8)))
        head.session = reader.head.session
        #expect(reader.head == head)
    }

    @Test func `record numbers are contiguous, and a sync repeats the previous one`() throws {
        var appended: [Int] = []
        let bytes = try recording { writer in
            for second in 0..<10 {
                let number = try writer.append(
                    .token(.init(renewed: true)), at: Moment(microseconds: Int64(second) * 600_000), wall: 0)
                appended.append(number)
            }
        }
        var numbers: [Int] = []
        var kinds: [String] = []
        for entry in try entries(of: bytes) {
            guard case .record(let record, let stamp) = entry else {
                Issue.record("\(entry)")
                continue
            }
            numbers.append(stamp.n)
            kinds.append(record.kind)
        }
        #expect(appended == Array(1...10))
        #expect(zip(numbers, kinds).filter { $0.1 != "sync" && $0.1 != "idx" }.map(\.0) == Array(1...11))
        for (index, kind) in kinds.enumerated() where kind == "sync" { #expect(numbers[index] == numbers[index - 1]) }
        #expect(kinds.filter { $0 == "sync" }.count == 4)
        #expect(kinds.suffix(3) == ["sync", "idx", "end"])
    }

    @Test func `a chunk also ends after 256 KiB`() throws {
        let bytes = try recording { writer in
            let text = String(repeating: "x", count: 50_000)
            for _ in 0..<12 {
                try writer.append(
                    .frame(.init(connection: 1, direction: .in, message: .text(text))), at: .zero, wall: 0)
            }
        }
        let kinds = try entries(of: bytes).map { entry -> String in
            guard case .record(let record, _) = entry else { return "\(entry)" }
            return record.kind
        }
        #expect(
            kinds == Array(repeating: "f", count: 6) + ["sync"] + Array(repeating: "f", count: 6)
                + ["sync", "idx", "end"])
    }

    @Test func `a frame of 5 MB reads back, whatever its contents`() throws {
        var random = RandomSource(seed: 5)
        let noise = (0..<625_000).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }
        // As text, each of these bytes would need six: more than a line may have.
        let controls = [UInt8](repeating: 1, count: 2_800_000)
        let quotes = Array(String(repeating: #"{"text":"abcdefghijklmnopqrstuvwxyz"},"#, count: 130_000).utf8)
        let messages: [WebSocketMessage] = [
            .binary(noise[...]), .text(noise[...]), .text(controls[...]), .text(quotes[...]),
            .text(String(repeating: "日本\n", count: 100_000)),
        ]
        let bytes = try recording { writer in
            for message in messages {
                try writer.append(.frame(.init(connection: 1, direction: .in, message: message)), at: .zero, wall: 0)
            }
        }
        let read = records(try entries(of: bytes))
        #expect(read.count == messages.count)
        for (record, message) in zip(read, messages) {
            #expect(record == .frame(.init(connection: 1, direction: .in, message: message)))
        }
    }

    @Test func `a payload too large for a line is cut at a character boundary and marked`() throws {
        // The limit lies within the character.
        let text = String(repeating: "a", count: Limits.largest - 1) + "日" + String(repeating: "b", count: 998)
        let bytes = try recording { writer in
            try writer.append(.frame(.init(connection: 1, direction: .in, message: .text(text))), at: .zero, wall: 0)
            let answer = Record.HTTPRecord.Phase.response(status: 200, body: Array(text.utf8), retryAfter: nil)
            try writer.append(.http(.init(id: 1, phase: answer)), at: .zero, wall: 0)
        }
        let start = ArraySlice(text.utf8.prefix(Limits.largest - 1))
        #expect(
            records(try entries(of: bytes)) == [
                .frame(
                    .init(connection: 1, direction: .in, message: .text(start), cutFrom: Limits.largest + 1000)),
                .http(
                    .init(
                        id: 1, phase: .response(status: 200, body: Array(start), retryAfter: nil),
                        cutFrom: Limits.largest + 1000)),
            ])
    }

    @Test func `long texts from a peer are cut, so that no record is too long for a line`() throws {
        let long = String(repeating: "\u{1}", count: 3_000_000)
        let bytes = try recording { writer in
            try writer.append(.subscription(.init(act: .deny, room: long, why: long)), at: .zero, wall: 0)
            try writer.append(
                .gap(.init(why: long, actions: Array(repeating: long, count: 100))), at: .zero, wall: 0)
        }
        let read = records(try entries(of: bytes))
        let cut = String(repeating: "\u{1}", count: 65_536) + "…"
        #expect(read.first == .subscription(.init(act: .deny, room: cut, why: cut)))
        guard case .gap(let gap) = read.last else {
            Issue.record("no gap")
            return
        }
        #expect(gap.why == cut)
        #expect((1...20).contains(gap.actions.count))
    }
}
