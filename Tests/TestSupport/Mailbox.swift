import Glibc
import Network
public import Testing

/// What was told on another thread, and a way to wait for it.
public final class Mailbox<Element: Sendable>: @unchecked Sendable {
    // Unchecked: `items` is touched only under `mutex`.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var items: [Element] = []

    /// An empty mailbox.
    public init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Tells something. Any thread.
    public func put(_ item: Element) { put([item]) }

    /// Tells several things. Any thread.
    public func put(_ more: [Element]) {
        pthread_mutex_lock(mutex)
        items += more
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Forgets what was told so far.
    public func removeAll() {
        pthread_mutex_lock(mutex)
        items = []
        pthread_mutex_unlock(mutex)
    }

    /// What was told so far.
    public var all: [Element] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return items
    }

    /// Waits until what was told satisfies `isDone`; the test fails when that takes longer than `seconds`.
    ///
    /// Blocks the thread: for tests that are not `async`. In an `async` one the other overload is taken, which leaves the few
    /// threads of the concurrency pool to whatever the test waits for.
    @discardableResult
    public func wait(
        seconds: Int = 120, sourceLocation: SourceLocation = #_sourceLocation, until isDone: ([Element]) -> Bool
    ) -> [Element] {
        let (items, isInTime) = block(seconds: seconds, until: isDone)
        if !isInTime { report(items, after: seconds, sourceLocation) }
        return items
    }

    /// Waits until what was told satisfies `isDone`; the test fails when that takes longer than `seconds`.
    @discardableResult
    public func wait(
        seconds: Int = 120, sourceLocation: SourceLocation = #_sourceLocation,
        until isDone: @escaping @Sendable ([Element]) -> Bool
    ) async -> [Element] {
        let (items, isInTime) = await withCheckedContinuation { continuation in
            runOnThread(named: "weir-wait") {
                continuation.resume(returning: self.block(seconds: seconds, until: isDone))
            }
        }
        if !isInTime { report(items, after: seconds, sourceLocation) }
        return items
    }

    private func block(seconds: Int, until isDone: ([Element]) -> Bool) -> (items: [Element], isInTime: Bool) {
        var deadline = timespec()
        clock_gettime(CLOCK_REALTIME, &deadline)
        deadline.tv_sec += seconds
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !isDone(items) {
            if pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { return (items, isDone(items)) }
        }
        return (items, true)
    }

    private func report(_ items: [Element], after seconds: Int, _ sourceLocation: SourceLocation) {
        Issue.record(
            "nothing more within \(seconds) s; so far \(items.count): \(items.suffix(3))",
            sourceLocation: sourceLocation)
    }

    /// Waits for the first item, as the blocking `wait` does.
    public func first(seconds: Int = 120, sourceLocation: SourceLocation = #_sourceLocation) throws -> Element {
        try #require(wait(seconds: seconds, sourceLocation: sourceLocation) { !$0.isEmpty }.first)
    }

    /// Waits for the first item.
    public func first(seconds: Int = 120, sourceLocation: SourceLocation = #_sourceLocation) async throws -> Element {
        try #require(await wait(seconds: seconds, sourceLocation: sourceLocation) { !$0.isEmpty }.first)
    }
}
