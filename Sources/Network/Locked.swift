import CLibWebSockets
import Glibc

/// A value and the lock that guards it, for the edges where threads meet.
///
/// `pthread_mutex`, since `Synchronization.Mutex` gives false reports under the thread sanitizer on Linux.
final class Locked<Value>: @unchecked Sendable {
    // Unchecked: `value` is touched only between lock and unlock of `mutex`, and `mutex` does not move.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    init(_ value: Value) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        self.value = value
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&value)
    }
}

/// A value set once by one thread and waited for by another.
final class Promised<Value>: @unchecked Sendable {
    // Unchecked: `value` is touched only under `mutex`; neither `mutex` nor `condition` moves.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var value: Value?

    init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Sets the value; a second one is ignored.
    func set(_ value: Value) {
        pthread_mutex_lock(mutex)
        if self.value == nil { self.value = value }
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Blocks the calling thread until the value is there.
    func wait() -> Value {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let value { return value }
            pthread_cond_wait(condition, mutex)
        }
    }
}

/// Starts a thread that runs `body`, and is gone with it; false when the system has none to give.
func startThread(named name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
    guard let thread = startJoinableThread(named: name, body) else { return false }
    pthread_detach(thread)
    return true
}

/// Starts a thread that runs `body`; nil when the system has none to give. Its stack is kept until the caller joins it.
func startJoinableThread(named name: String, _ body: @escaping @Sendable () -> Void) -> pthread_t? {
    let box = Unmanaged.passRetained(ThreadBody(name: name, run: body))
    var thread = pthread_t()
    let failed = pthread_create(&thread, nil, runThread, box.toOpaque())
    guard failed == 0 else {
        box.release()
        return nil
    }
    return thread
}

private final class ThreadBody: Sendable {
    let name: String
    let run: @Sendable () -> Void
    init(name: String, run: @escaping @Sendable () -> Void) {
        self.name = name
        self.run = run
    }
}

/// The thread owns the box that was retained for it.
private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let body = Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
    weir_name_thread(body.name)
    body.run()
    return nil
}
