import ModelOracle
import Testing

@Suite struct RandomBatchTests {
    @Test func `Ten thousand random batches are right in every respect`() {
        let seed = UInt64.random(in: .min ... .max)
        print("SectionedModel random batches: seed \(seed)")
        check(soak(seed: seed, batches: 7_000))
        check(soak(seed: seed, batches: 3_000, operations: 1...1))
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `The batches of a known seed are right in every respect`(seed: UInt64) {
        check(soak(seed: seed, batches: 300))
    }

    private func check(_ problem: Problem?) {
        #expect(problem == nil, "\(problem.map(\.description) ?? "")")
    }
}
