import ModelOracle
import Testing
import WeirModel
import WeirWire

@Suite struct RandomBatchTests {
    /// A short form of the soak test that `.ci/nightly` runs in a release build.
    @Test func `Random batches are correct in every respect`() {
        let seed = UInt64.random(in: .min ... .max)
        print("SectionedModel random batches: seed \(seed)")
        check(soak(seed: seed, batches: 1_400))
        check(soak(seed: seed, batches: 600, operations: 1...1))
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `The batches of a known seed are correct in every respect`(seed: UInt64) {
        check(soak(seed: seed, batches: 300))
    }

    private func check(_ problem: Problem?) {
        #expect(problem == nil, "\(problem.map(\.description) ?? "")")
    }
}

/// Hashes have a new seed in every process, so a result that depends on the order of a dictionary or a set would
/// differ from these recorded figures.
@Suite struct DeterminismTests {
    @Test func `The batches and their forms are the same in every process`() throws {
        var digest: UInt64 = 0
        func feed(_ numbers: [Int]) {
            for number in numbers {
                digest = (digest ^ UInt64(truncatingIfNeeded: number)) &* 0x0000_0100_0000_01B3
            }
        }
        func feed(_ path: SectionPath, _ row: Row) { feed([path.section, path.item, row.id, row.content]) }
        func feed(_ batch: Batch<Row>) {
            for section in batch.sectionDeletions + batch.sectionInsertions { feed([section.index, section.key]) }
            for section in batch.sectionMoves { feed([section.from, section.to, section.key, Int(section.newRank)]) }
            for record in batch.deletions { feed(record.path, record.element) }
            for record in batch.insertions { feed(record.path, record.element) }
            for change in batch.moves + batch.updates {
                feed(change.from, change.old)
                feed(change.to, change.new)
            }
        }
        var generator = RandomSource(seed: 2_026)
        var rows = Rows(keepsChecksum: true)
        var before: Batch<Row>?
        for _ in 0..<200 {
            for _ in 0..<40 {
                let word = Int(generator.next() >> 40)
                if word % 5 == 0 {
                    rows.remove(word % 97)
                } else {
                    rows.put(Row(word % 97, in: word % 7, at: word % 11))
                }
            }
            rows.setRank(Int64(generator.next() % 3), of: Int(generator.next() % 7))
            let batch = try rows.committed()
            feed(batch)
            if let both = try before?.composed(with: batch) { feed(both) }
            before = batch
        }
        #expect(digest == 5_663_715_358_471_783_437)
        #expect(rows.checksum == 4_722_291_607_744_156_053)
    }
}
