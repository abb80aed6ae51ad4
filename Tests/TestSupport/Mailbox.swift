import Glibc
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

    /// What was told so far.
    public var all: [Element] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return items
    }

    /// Waits until what was told satisfies `isDone`; the test fails when that takes longer than `seconds`.
    @discardableResult
    public func wait(
        seconds: Int = 30, sourceLocation: SourceLocation = #_sourceLocation, until isDone: ([Element]) -> Bool
    ) -> [Element] {
        var deadline = timespec()
        clock_gettime(CLOCK_REALTIME, &deadline)
        deadline.tv_sec += seconds
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !isDone(items) {
            if pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT {
                Issue.record(
                    "nothing more within \(seconds) s; so far \(items.count): \(items.suffix(3))",
                    sourceLocation: sourceLocation)
                return items
            }
        }
        return items
    }

    /// Waits for the first item.
    public func first(seconds: Int = 30, sourceLocation: SourceLocation = #_sourceLocation) throws -> Element {
        try #require(wait(seconds: seconds, sourceLocation: sourceLocation) { !$0.isEmpty }.first)
    }
}
