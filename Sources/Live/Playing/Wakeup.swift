import Glibc

/// Wakes a thread that waits for descriptors. Any thread may wake it; the waiting thread clears the signal.
final class Wakeup: Sendable {
    /// A descriptor that is readable after a wake-up; -1 if the system could not create a pipe, and then no thread is
    /// woken.
    let descriptor: Int32
    /// The end of the pipe to write to. A byte written here wakes the thread.
    let writeEnd: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        if pipe(&ends) == 0 {
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
        }
        (descriptor, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        if descriptor >= 0 {
            close(descriptor)
            close(writeEnd)
        }
    }

    /// Wakes the waiting thread, or the next one that waits.
    func wake() {
        var byte: UInt8 = 1
        _ = write(writeEnd, &byte, 1)
    }

    /// Waits until one of `descriptors` is readable, `wake()` is called, or `timeout` microseconds have passed; `nil`
    /// waits without a limit. A signal may end the wait as well.
    ///
    /// - Returns: `true` if the wait ended, at least in part, because of `wake()`.
    func wait(for descriptors: [Int32], timeout: Int64?) -> Bool {
        var watched = ([descriptor] + descriptors).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let span = timeout.map { min(max($0, 0), 3_600_000_000) }
        if let span, span < 1000 {
            // poll(2) counts whole milliseconds.
            usleep(UInt32(span))
        }
        _ = poll(&watched, nfds_t(watched.count), span.map { Int32($0 / 1000) } ?? -1)
        var bytes = [UInt8](repeating: 0, count: 64)
        return watched[0].revents != 0 && read(descriptor, &bytes, bytes.count) > 0
    }
}
