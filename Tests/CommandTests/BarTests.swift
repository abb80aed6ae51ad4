import Testing

@testable import weir_bench

@Suite struct `A benchmark's bar` {
    private let least = Bar(name: "times node", least: 3)

    @Test func `is reached or missed, with the figure and what was asked`() {
        #expect(least.verdict(on: 3.26) == "reached  times node: 3.3, at least 3 asked")
        #expect(least.verdict(on: 2.5) == "MISSED   times node: 2.5, at least 3 asked")
        let both = Bar(name: "start", unit: " ms", least: 0.25, most: 20)
        #expect(both.verdict(on: 20) == "reached  start: 20.0 ms, at least 0.25 and at most 20 asked")
    }

    @Test func `is not missed by a figure that looks as if it reached it`() {
        #expect(least.verdict(on: 2.9973) == "MISSED   times node: 2.997, at least 3 asked")
        #expect(Bar(name: "peak", most: 100).verdict(on: 100.04) == "MISSED   peak: 100.04, at most 100 asked")
    }
}
