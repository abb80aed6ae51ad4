import Testing
import WeirWire

@Suite struct BackoffTests {
    @Test func `delays keep their jitter at the cap, and no number of failures shortens them`() {
        let backoff = Backoff(base: .milliseconds(500), cap: .seconds(10))
        var random = RandomSource(seed: 42)
        for failures in [1, 2, 5, 10, 64, 1015, 100_000] {
            let delays = (0..<200).map { _ in backoff.delay(afterFailures: failures, using: &random) }
            let longest = min(
                Duration.milliseconds(500) * Double(sign: .plus, exponent: min(failures, 40) - 1, significand: 1),
                .seconds(10))
            #expect(delays.allSatisfy { $0 >= longest / 2 && $0 <= longest })
            #expect(Set(delays).count > 100)
        }
    }

    @Test func `no base, cap or number of failures overflows`() {
        var random = RandomSource(seed: 1)
        let extremes: [Duration] = [.zero, .microseconds(1), .microseconds(Int64.max), .microseconds(Int64.min)]
        for base in extremes {
            for cap in extremes {
                for failures in [Int.min, 0, 1, 2, 62, 63, 64, 1000] {
                    let delay = Backoff(base: base, cap: cap).delay(afterFailures: failures, using: &random)
                    #expect(delay >= .zero && delay <= max(cap, .microseconds(1)))
                }
            }
        }
    }
}
