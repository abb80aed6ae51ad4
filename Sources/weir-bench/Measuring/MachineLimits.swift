import Glibc
import Synchronization
import WeirNetwork
import WeirThreads

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

/// Measures the distance between two processors: the time until one sees what the other wrote and the other sees the
/// answer. A machine does not reveal where it puts the threads of a process, and threads that exchange much data cannot
/// be faster than this.
final class ProcessorRoundTrip: Sendable {
    private static let trips = 50_000
    /// The longest wait in nanoseconds. Threads that share one processor would wait for each other's time slice.
    private static let patience = 1e9
    /// The number of checks between two readings of the clock.
    private static let looks = 1 << 16

    /// The number of the requested trip; negative once it is answered.
    private let ball = Atomic<Int>(0)
    private let isOver = Atomic<Bool>(false)

    /// Returns the mean time of a round trip in nanoseconds, or `nil` when no two processors are available.
    static func measure() -> Double? {
        guard sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1 else { return nil }
        let trip = ProcessorRoundTrip()
        runOnThread(named: "weir-bench-trip") { trip.answer() }
        defer { trip.isOver.store(true, ordering: .releasing) }
        return trip.ask()
    }

    private func ask() -> Double? {
        // The first answer shows that the other thread is running.
        guard pass(1) else { return nil }
        let watch = Stopwatch()
        for trip in 2...Self.trips where !pass(trip) { return nil }
        return watch.elapsed.seconds * 1e9 / Double(Self.trips - 1)
    }

    /// Performs one trip. Returns false when no answer arrives.
    private func pass(_ trip: Int) -> Bool {
        ball.store(trip, ordering: .releasing)
        return wait { ball.load(ordering: .acquiring) == -trip }
    }

    private func answer() {
        while wait(until: { isOver.load(ordering: .relaxed) || ball.load(ordering: .acquiring) > 0 }),
            !isOver.load(ordering: .relaxed)
        {
            ball.store(-ball.load(ordering: .relaxed), ordering: .releasing)
        }
    }

    /// Waits for a condition. Returns false when it takes too long.
    private func wait(until isReached: () -> Bool) -> Bool {
        var end: Double?
        while true {
            for _ in 0..<Self.looks where isReached() { return true }
            let now = Clock.wall.nanoseconds
            if now > end ?? .infinity { return false }
            end = end ?? now + Self.patience
        }
    }
}
