import Glibc
package import WeirWire

/// A value protected by a lock. Threads can wait for it to change.
///
/// It uses `pthread_mutex`, because `Synchronization.Mutex` gives false reports under the thread sanitizer on Linux.
package final class Monitor<Value: ~Copyable>: @unchecked Sendable {
    // Unchecked: `value` is used only between lock and unlock of `mutex`; neither `mutex` nor `condition` moves.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var value: Value

    /// Creates a monitor that protects `value`.
    package init(_ value: consuming sending Value) {
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        // Deadlines do not move when the wall clock is set.
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
        self.value = value
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Changes the value and wakes all waiting threads. Any thread; `body` must not block.
    package func change<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(mutex)
        }
        return try body(&value)
    }

    /// Reads the value without waking any thread. Any thread; `body` must not block.
    package func look<Result>(_ body: (borrowing Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(value)
    }

    /// Blocks the calling thread until `body` returns a result. `body` is called at once and after each change.
    package func wait<Result>(_ body: (inout Value) -> Result?) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&value) { return result }
            pthread_cond_wait(condition, mutex)
        }
    }

    /// Blocks the calling thread until `body` returns a result, or until `moment` of the monotonic clock. `body` is
    /// called at once, after each change, and a last time at `moment`. Returns `nil` if it never had a result.
    package func wait<Result>(until moment: Moment, _ body: (inout Value) -> Result?) -> Result? {
        var time = timespec()
        time.tv_sec = Int(moment.microseconds / 1_000_000)
        time.tv_nsec = Int(moment.microseconds % 1_000_000) * 1000
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&value) { return result }
            if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { return body(&value) }
        }
    }
}
