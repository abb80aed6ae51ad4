import Glibc
import Network
import Synchronization

/// How far two processors are from each other: how long it takes until one sees what the other wrote, and that one the answer. Where a machine
/// puts the threads of a process it tells nobody; threads that pass much to each other are as fast as this allows.
final class ProcessorRoundTrip: Sendable {
    private static let trips = 50_000
    /// In nanoseconds: threads that share one processor would wait for each other's turn.
    private static let patience = 1e9
    /// Looks between two at the clock.
    private static let looks = 1 << 16

    /// Of the trip that is asked for; negative once it is answered.
    private let ball = Atomic<Int>(0)
    private let isOver = Atomic<Bool>(false)

    /// In nanoseconds, the mean of many; nil where no two processors are at hand.
    static func measure() -> Double? {
        guard sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1 else { return nil }
        let trip = ProcessorRoundTrip()
        runOnThread(named: "weir-bench-trip") { trip.answer() }
        defer { trip.isOver.store(true, ordering: .releasing) }
        return trip.ask()
    }

    private func ask() -> Double? {
        // The other thread is there with its first answer.
        guard pass(1) else { return nil }
        let watch = Stopwatch()
        for trip in 2...Self.trips where !pass(trip) { return nil }
        return watch.elapsed.seconds * 1e9 / Double(Self.trips - 1)
    }

    /// False when no answer comes.
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

    /// False when it takes too long.
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
