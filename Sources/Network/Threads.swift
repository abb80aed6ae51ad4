import CLibWebSockets
import Glibc

/// Starts a detached thread that runs `body`. Returns `false` when the system refuses a thread.
func startThread(named name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
    guard let thread = startJoinableThread(named: name, body) else { return false }
    pthread_detach(thread)
    return true
}

/// Starts a thread that runs `body`. Returns `nil` when the system refuses a thread. The caller must join it to free
/// its stack.
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

/// Runs a thread. It consumes the reference to the `ThreadBody` that was retained for it.
private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let body = Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
    weir_name_thread(body.name)
    body.run()
    return nil
}
