/// A computation that touches no memory. Its slowest runs show what the machine itself contributes, above all its timer
/// interrupts. Any other work of the same length suffers the same delays.
struct PlainComputation {
    private var state: UInt64 = 1
    /// The number of steps in one run.
    private let steps: Int

    /// Creates a computation that takes about this many nanoseconds.
    init(nanoseconds: Double) {
        let trial = 1_000_000
        var computation = PlainComputation(steps: trial)
        let start = Clock.thread.nanoseconds
        computation.run()
        let took = Clock.thread.nanoseconds - start
        self.init(steps: max(1, Int(nanoseconds / took * Double(trial))))
    }

    private init(steps: Int) { self.steps = steps }

    /// Returns the nanoseconds of each of `count` runs, by the thread's clock.
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
