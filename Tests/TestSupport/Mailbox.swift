import Glibc
public import Testing
import WeirNetwork
import WeirThreads

/// A thread-safe list of items, with a way to wait for them.
public final class Mailbox<Element: Sendable>: @unchecked Sendable {
    // Unchecked: `items` is accessed only under `mutex`.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var items: [Element] = []

    /// Creates a mailbox without items.
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

    /// Appends an item. Callable from any thread.
    public func put(_ item: Element) { put([item]) }

    /// Appends several items. Callable from any thread.
    public func put(_ more: [Element]) {
        pthread_mutex_lock(mutex)
        items += more
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Removes all items received so far.
    public func removeAll() {
        pthread_mutex_lock(mutex)
        items = []
        pthread_mutex_unlock(mutex)
    }

    /// The items received so far.
    public var all: [Element] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return items
    }

    /// Waits until the items satisfy `isDone`. The test fails if that takes longer than `seconds`.
    ///
    /// This blocks the thread and is meant for tests that are not `async`. An `async` test uses the other overload,
    /// which leaves the few threads of the concurrency pool to the code that the test waits for.
    @discardableResult
    public func wait(
        seconds: Int = 120, sourceLocation: SourceLocation = #_sourceLocation, until isDone: ([Element]) -> Bool
    ) -> [Element] {
        let (items, isInTime) = block(seconds: seconds, until: isDone)
        if !isInTime { report(items, after: seconds, sourceLocation) }
        return items
    }

    /// Waits until the items satisfy `isDone`. The test fails if that takes longer than `seconds`.
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

    /// Waits for the first item. Blocks the thread, as the blocking `wait` does.
    public func first(seconds: Int = 120, sourceLocation: SourceLocation = #_sourceLocation) throws -> Element {
        try #require(wait(seconds: seconds, sourceLocation: sourceLocation) { !$0.isEmpty }.first)
    }

    /// Waits for the first item without blocking the thread.
    public func first(seconds: Int = 120, sourceLocation: SourceLocation = #_sourceLocation) async throws -> Element {
        try #require(await wait(seconds: seconds, sourceLocation: sourceLocation) { !$0.isEmpty }.first)
    }
}
