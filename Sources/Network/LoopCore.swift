import CLibWebSockets
import Glibc
import Wire

/// What belongs to a loop's thread. Touched on it only, save before the thread starts.
final class LoopCore {
    /// The libwebsockets context; nil before the thread made it and after it is destroyed.
    var context: OpaquePointer?
    /// Where sockets without TLS of their own live.
    var plainHost: OpaquePointer?
    /// A virtual host per way of doing TLS, made when first needed.
    var clientHosts: [TLSClientSettings: TLSClientHost] = [:]
    /// The objects behind the sockets, by the handle libwebsockets keeps for each: a handle that is not here is of a socket
    /// whose object is gone, so nothing is retained for C and nothing can be used after it was freed.
    var sockets: [UInt: LoopSocket] = [:]
    /// Sockets that have something for their handlers.
    var waiting: [LoopSocket] = []
    /// In which order bytes came.
    var arrivals: ArrivalOrder
    /// Connections that got bytes since libwebsockets began to look: it may not have read them.
    private var arrived: [LoopSocket] = []
    /// The last place in the order that is served in this turn.
    private var horizon: UInt64 = 0
    /// Why the TLS connection failed whose failure libwebsockets is about to tell.
    var tlsProblem: TLSProblem?
    var timers = TimerQueue()
    /// No timer fires before this moment; nil usually.
    var timersWait: Moment?
    let descriptors: LoopDescriptors
    let epoch: Int64
    /// The deadline the timer descriptor is set to.
    var armedDeadline: Moment?
    /// Where the bytes of one read stand during it.
    let readBuffer = UnsafeMutableBufferPointer<CChar>.allocate(capacity: EventLoop.transferSize)
    private var lastHandle: UInt = 0

    init(descriptors: LoopDescriptors, epoch: Int64) {
        self.descriptors = descriptors
        self.epoch = epoch
        arrivals = ArrivalOrder(descriptor: descriptors.arrivals)
    }

    deinit { readBuffer.deallocate() }

    /// A number no other socket of this loop has or had.
    func makeHandle() -> UInt {
        lastHandle += 1
        return lastHandle
    }

    /// Gives each connection that got bytes its place in the order. Inside a callback.
    func noteArrivals() {
        for (handle, place) in arrivals.take() {
            guard let socket = sockets[handle], socket.arrival == nil else { continue }
            socket.arrival = place
            arrived.append(socket)
        }
    }

    /// libwebsockets has looked. True when it has to look once more before anything is delivered: something came while it looked, and may be
    /// older than what it read.
    func noteLook() -> Bool {
        horizon = arrivals.count
        defer { arrived.removeAll(keepingCapacity: true) }
        return arrived.contains { !$0.isWaiting && $0.wsi != nil }
    }

    /// Takes the sockets that have something for their handlers: those without a place first, then the others in order. What came
    /// after the first look stays for the next turn: something older may not have been read.
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
            // A value of zero would disarm it; a deadline in the past fires at once.
            let latest = (Int64.max - epoch) / 1000
            let nanoseconds = max(1, epoch + max(0, min(latest, deadline.microseconds)) * 1000)
            setting.it_value.tv_sec = time_t(nanoseconds / 1_000_000_000)
            setting.it_value.tv_nsec = Int(nanoseconds % 1_000_000_000)
        }
        timerfd_settime(descriptors.timer, Int32(TFD_TIMER_ABSTIME), &setting, nil)
    }
}

/// The descriptors that wake the loop: other threads write to one, deadlines make another readable, and so do servers' connections the
/// third, which has the order of their bytes.
///
/// A descriptor of our own, not `lws_cancel_service`: one wake is one callback whatever the number of virtual hosts, and nothing
/// of libwebsockets is called from another thread. A timer on the boot-time clock, not `lws_sul`: exact to the microsecond, and
/// it counts the time the machine sleeps.
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
