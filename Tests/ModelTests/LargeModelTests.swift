import ModelOracle
import Testing
import WeirWire

@testable import WeirModel

/// Histories large enough for trees of several levels, which the small random batches never build.
@Suite struct LargeModelTests {
    @Test(arguments: [1, 3, 400])
    func `Trees of several levels keep their order and counts through random batches`(sections: Int) throws {
        var generator = RandomSource(seed: UInt64(sections))
        var rows = SectionedCollection<Row>(keepsChecksum: true)
        var replica = SectionedCollection<Row>(keepsChecksum: true)
        var reference: [Int: Row] = [:]
        var log: [Batch<Row>] = []
        for step in 0..<600 {
            let kept = rows.snapshot
            // Grows for a while, then shrinks to almost nothing: splits and joins on every level.
            let growth = step < 300 ? 5 : 1
            for _ in 0..<Int.random(in: 1...(step % 100 == 99 ? 3_000 : 60), using: &generator) {
                let id = Int.random(in: 0..<12_000, using: &generator)
                if Int.random(in: 0..<6, using: &generator) >= growth {
                    let victim = rows.path(of: id) == nil ? rows.element(at: SectionPath(section: 0, item: 0))?.id : id
                    if let victim {
                        rows.remove(victim)
                        reference[victim] = nil
                    }
                } else {
                    let row = Row(
                        id, in: Int.random(in: 0..<sections, using: &generator),
                        at: Int.random(in: 0..<5_000, using: &generator), content: step)
                    rows.put(row)
                    reference[id] = row
                }
            }
            if step % 7 == 0 {
                rows.setRank(
                    Int64.random(in: -2...2, using: &generator), of: Int.random(in: 0..<sections, using: &generator))
            }
            guard let batch = rows.commit() else { continue }
            log.append(batch)
            try replica.apply(batch)
            #expect(replica.checksum == rows.checksum)
            #expect(kept.checksum == batch.checksums?.before)
            if step % 20 == 0 {
                #expect(rows.snapshot.brokenInvariant() == nil)
                #expect(kept.brokenInvariant() == nil)
                #expect(replica.snapshot.brokenInvariant() == nil)
                #expect(reference.count == rows.count)
            }
        }
        #expect(rows.snapshot.brokenInvariant() == nil)
        rows.forEachElement { path, row in
            #expect(reference[row.id] == row)
            #expect(replica.element(at: path) == row)
        }
        for batch in log.reversed() { try replica.apply(batch.inverted()) }
        #expect(replica.count == 0 && replica.sectionCount == 0 && replica.checksum == 0)
    }
}
