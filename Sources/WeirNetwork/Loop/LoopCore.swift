import CWeirLibWebSockets
import Glibc
import WeirWire

/// The state that belongs to a loop's thread. It is used on that thread only, except before the thread starts.
final class LoopCore {
    /// The libwebsockets context; `nil` before the thread makes it and after it is destroyed.
    var context: OpaquePointer?
    /// The virtual host for sockets without their own TLS settings.
    var plainHost: OpaquePointer?
    /// The virtual hosts for client TLS settings, each made on first use.
    var clientHosts: [TLSClientSettings: TLSClientHost] = [:]
    /// The objects of the sockets, by the handle that libwebsockets keeps for each. A handle that is missing here
    /// belongs to a socket whose object is gone. So C code retains nothing, and nothing can be used after it is freed.
    var sockets: [UInt: LoopSocket] = [:]
    /// The sockets that have something to deliver to their handlers.
    var waiting: [LoopSocket] = []
    /// The order in which bytes arrived.
    var arrivals: ArrivalOrder
    /// Connections that received bytes since libwebsockets began to poll. libwebsockets may not have read them.
    private var arrived: [LoopSocket] = []
    /// The last place in the order that is served in this turn.
    private var horizon: UInt64 = 0
    /// The cause of the TLS failure that libwebsockets is about to report.
    var tlsProblem: TLSProblem?
    var timers = TimerQueue()
    /// The moment before which no timer fires; `nil` except after a standstill.
    var timersWait: Moment?
    let descriptors: LoopDescriptors
    let epoch: Int64
    /// The deadline to which the timer descriptor is set.
    var armedDeadline: Moment?
    /// The buffer for the bytes of one read.
    let readBuffer = UnsafeMutableBufferPointer<CChar>.allocate(capacity: EventLoop.transferSize)
    private var lastHandle: UInt = 0

    init(descriptors: LoopDescriptors, epoch: Int64) {
        self.descriptors = descriptors
        self.epoch = epoch
        arrivals = ArrivalOrder(descriptor: descriptors.arrivals)
    }

    deinit { readBuffer.deallocate() }

    /// Returns a number that no other socket of this loop has or had.
    func makeHandle() -> UInt {
        lastHandle += 1
        return lastHandle
    }

    /// Assigns each connection that received bytes its place in the order. Inside a callback.
    func noteArrivals() {
        for (handle, place) in arrivals.take() {
            guard let socket = sockets[handle], socket.arrival == nil else { continue }
            socket.arrival = place
            arrived.append(socket)
        }
    }

    /// Notes that libwebsockets has polled. Returns whether it must poll again before anything is delivered: bytes that
    /// arrived in the meantime may be older than those it read.
    func noteLook() -> Bool {
        horizon = arrivals.count
        defer { arrived.removeAll(keepingCapacity: true) }
        return arrived.contains { !$0.isWaiting && $0.wsi != nil }
    }

    /// Takes the sockets that have something to deliver: those without a place first, then the others in order. Sockets
    /// with bytes that arrived after the first poll stay for the next turn, since older bytes may not have been read.
    func takeWaiting() -> [LoopSocket] {
        let later = waiting.filter { ($0.arrival ?? 0) > horizon }
        let first = waiting.filter { $0.arrival == nil }
        let ordered = waiting.compactMap { socket in
            socket.arrival.flatMap { $0 > horizon ? nil : (place: $0, socket: socket) }
        }
        waiting = later
        return first + ordered.sorted { $0.place < $1.place }.map(\.socket)
    }

    /// Sets the timer descriptor to the earliest deadline.
    func armTimer() {
        let deadline = timers.nextDeadline().map { max($0, timersWait ?? $0) }
        guard deadline != armedDeadline else { return }
        armedDeadline = deadline
        var setting = itimerspec()
        if let deadline {
            // A value of zero would disarm the timer. A deadline in the past fires at once.
            let latest = (Int64.max - epoch) / 1000
            let nanoseconds = max(1, epoch + max(0, min(latest, deadline.microseconds)) * 1000)
            setting.it_value.tv_sec = time_t(nanoseconds / 1_000_000_000)
            setting.it_value.tv_nsec = Int(nanoseconds % 1_000_000_000)
        }
        timerfd_settime(descriptors.timer, Int32(TFD_TIMER_ABSTIME), &setting, nil)
    }
}

/// The descriptors that wake the loop. Other threads write to `event`, deadlines make `timer` readable, and bytes on
/// the servers' connections make `arrivals` readable, which has their order.
///
/// The loop uses its own descriptor instead of `lws_cancel_service`: one wake-up is one callback whatever the number of
/// virtual hosts, and no other thread calls libwebsockets. It uses a timer on the boot-time clock instead of `lws_sul`:
/// that timer is exact to the microsecond and counts the time the machine sleeps.
struct LoopDescriptors {
    let event: Int32
    let timer: Int32
    let arrivals: Int32

    init() throws(NetworkError) {
        event = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard event >= 0 else { throw .cannotStart("eventfd: \(systemMessage(errno))") }
        timer = timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
        guard timer >= 0 else {
            let message = systemMessage(errno)
            Glibc.close(event)
            throw .cannotStart("timerfd: \(message)")
        }
        arrivals = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard arrivals >= 0 else {
            let message = systemMessage(errno)
            Glibc.close(event)
            Glibc.close(timer)
            throw .cannotStart("epoll: \(message)")
        }
    }

    func close() {
        Glibc.close(event)
        Glibc.close(timer)
        Glibc.close(arrivals)
    }
}

/// A queue of closures ordered by deadline. Closures with the same deadline keep the order in which they were
/// scheduled.
struct TimerQueue {
    /// The key by which a timer is ordered.
    private struct Entry {
        var deadline: Moment
        var number: UInt64

        func precedes(_ other: Entry) -> Bool {
            deadline != other.deadline ? deadline < other.deadline : number < other.number
        }
    }

    /// A binary heap. Entries of cancelled timers stay until they reach the front or become too many.
    private var heap: [Entry] = []
    private var work: [UInt64: @Sendable () -> Void] = [:]
    private var lastNumber: UInt64 = 0

    /// Adds a closure. Returns the number that cancels it.
    mutating func insert(at deadline: Moment, _ body: @escaping @Sendable () -> Void) -> UInt64 {
        lastNumber += 1
        work[lastNumber] = body
        heap.append(Entry(deadline: deadline, number: lastNumber))
        siftUp(from: heap.count - 1)
        return lastNumber
    }

    /// Removes a closure that has not run.
    mutating func cancel(_ number: UInt64) {
        guard work.removeValue(forKey: number) != nil else { return }
        if heap.count > 64, heap.count > 2 * work.count { compact() }
    }

    /// Returns the earliest deadline, or `nil` when the queue is empty.
    mutating func nextDeadline() -> Moment? {
        dropCancelled()
        return heap.first?.deadline
    }

    /// Removes and returns the earliest closure that is due at `now`.
    mutating func popDue(at now: Moment) -> (@Sendable () -> Void)? {
        dropCancelled()
        guard let first = heap.first, first.deadline <= now else { return nil }
        removeFirst()
        return work.removeValue(forKey: first.number)
    }

    private mutating func dropCancelled() {
        while let first = heap.first, work[first.number] == nil { removeFirst() }
    }

    private mutating func compact() {
        let kept = heap.filter { work[$0.number] != nil }
        // A sorted array is a heap.
        heap = kept.sorted { $0.precedes($1) }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        siftDown()
    }

    private mutating func siftUp(from start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].precedes(heap[parent]) else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].precedes(heap[least]) { least = child }
            }
            guard least != parent else { return }
            heap.swapAt(least, parent)
            parent = least
        }
    }
}
