import Testing
import WeirJSON
import WeirWire

@testable import WeirRecording

@Suite struct `The flight recorder` {
    private func frame(_ number: Int) -> Record {
        .frame(.init(connection: 1, direction: .in, message: .text("42[\"x\",\(number)]")))
    }

    /// A ring of ten seconds that received a record every tenth of a second.
    private func fed(seconds: Int, most: Int = 1 << 20) -> FlightRing {
        var ring = FlightRing(window: .seconds(10), most: most, options: .init(redactions: Set(RedactionRule.allCases)))
        ring.redact(Secret("hunter2"))
        for number in 1...seconds * 10 {
            let stamp = Stamp(n: number, time: Moment(microseconds: Int64(number) * 100_000), wall: 0)
            ring.append(frame(number), stamp)
            if ring.isPartDue {
                ring.beginPart(at: stamp) {
                    [.memory(.init(user: "hunter2", rows: Array("{\"after\":\(number)}\n".utf8)))]
                }
            }
        }
        return ring
    }

    private func dumped(_ ring: borrowing FlightRing, seconds: Int) throws -> (Record.Head, [RecordingReader.Entry]) {
        try withTemporaryFolder { folder in
            let stamp = Stamp(n: 0, time: Moment(microseconds: Int64(seconds) * 1_000_000), wall: 0)
            try ring.write(
                to: folder + "/x.weir.jsonl", head: testHead, at: stamp, options: .init(durability: .never))
            var reader = try RecordingReader(opening: folder + "/x.weir.jsonl")
            var entries: [RecordingReader.Entry] = []
            while let entry = try reader.next() { entries.append(entry) }
            return (reader.head, entries)
        }
    }

    @Test func `the flight recorder writes the recent part after a restated state, without secrets`() throws {
        let (head, entries) = try dumped(fed(seconds: 100), seconds: 100)
        #expect(head.segment == 2)
        var numbers: [Int] = []
        var restated: [Record] = []
        for entry in entries {
            guard case .record(let record, let stamp) = entry else {
                Issue.record("\(entry)")
                continue
            }
            if stamp.isRestated { restated.append(record) } else if !record.isUnnumbered { numbers.append(stamp.n) }
        }
        let first = try #require(numbers.first)
        // Ten seconds, and at most one more part; the end has a number, too.
        #expect((1_000 - 115...1_000 - 99).contains(first))
        #expect(numbers == Array(first...1_001))
        #expect(
            restated == [.memory(.init(user: "‹redacted›", rows: Array("{\"after\":\(first - 1)}\n".utf8)))])
    }

    @Test func `a session shorter than the window is recorded completely`() throws {
        let (head, entries) = try dumped(fed(seconds: 5), seconds: 5)
        #expect(head.segment == 1)
        #expect(records(entries) == (1...50).map { frame($0) })
    }

    @Test func `the flight recorder's memory is limited, whatever the time`() throws {
        let ring = fed(seconds: 100, most: 4_000)
        let (_, entries) = try dumped(ring, seconds: 100)
        let kept = records(entries).count
        #expect((10...40).contains(kept))
        // Without the start of a part, nothing is kept rather than too much.
        var alone = FlightRing(window: .seconds(10), most: 4_000, options: .init(redactions: [.secrets]))
        for number in 1...1_000 { alone.append(frame(number), Stamp(n: number, time: .zero, wall: 0)) }
        #expect(records(try dumped(alone, seconds: 1).1).count < 50)
    }
}
