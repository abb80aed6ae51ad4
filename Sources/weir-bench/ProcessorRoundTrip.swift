import Glibc
import Network
import Synchronization

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
