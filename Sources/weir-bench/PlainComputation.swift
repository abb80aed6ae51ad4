/// A computation that touches no memory: the slowest of its runs are the machine's doing, its timer's above all, and so is as much of the
/// slowest runs of anything else that takes as long.
struct PlainComputation {
    private var state: UInt64 = 1
    /// Steps of a run.
    private let steps: Int

    /// One that takes about so many nanoseconds.
    init(nanoseconds: Double) {
        let trial = 1_000_000
        var computation = PlainComputation(steps: trial)
        let start = Clock.thread.nanoseconds
        computation.run()
        let took = Clock.thread.nanoseconds - start
        self.init(steps: max(1, Int(nanoseconds / took * Double(trial))))
    }

    private init(steps: Int) { self.steps = steps }

    /// The nanoseconds of each of so many runs, by the thread's clock.
    mutating func times(_ count: Int) -> [Double] {
        (0..<count).map { _ in
            let start = Clock.thread.nanoseconds
            run()
            return Clock.thread.nanoseconds - start
        }
    }

    @inline(never)
    private mutating func run() {
        for _ in 0..<steps { state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407 }
    }
}
