import CWeirLibWebSockets
import Glibc

/// Tracks the order in which bytes arrive on the connections of a loop's servers. On the loop's thread.
///
/// libwebsockets calls `poll`, which reports what is readable but not since when, and reads sockets in the order of its
/// own table. A server must answer in the order of arrival: a request that arrives after a WebSocket message is judged
/// after that message. The kernel's epoll list has that order, since a connection that gets bytes is put at its end.
///
/// The kernel drops entries that are read in the meantime, so the list must be read before libwebsockets reads a
/// connection. That is why the epoll descriptor is the first in libwebsockets' table: it is readable when any
/// connection is, and libwebsockets serves it first.
///
/// The order is that of the first bytes: everything a connection receives in one turn is served together. The kernel
/// reports nothing about a connection that is not accepted yet; its bytes count as arriving when it is accepted.
struct ArrivalOrder {
    private let descriptor: Int32
    private var events = Array(repeating: epoll_event(), count: 64)
    /// The number of places assigned so far.
    private(set) var count: UInt64 = 0

    /// Creates an order that reads from the epoll `descriptor`. It does not own the descriptor.
    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Starts to track a connection. The kernel forgets it when its descriptor is closed. The kernel has limits; a
    /// connection it does not accept is served before the others.
    func add(_ connection: Int32, handle: UInt) {
        var wanted = epoll_event()
        wanted.events = EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
        wanted.data.u64 = UInt64(handle)
        epoll_ctl(descriptor, EPOLL_CTL_ADD, connection, &wanted)
    }

    /// Returns the connections that received bytes, or reached their end, since the last call. Each has its handle and
    /// its place in the order.
    mutating func take() -> [(handle: UInt, place: UInt64)] {
        var taken: [(handle: UInt, place: UInt64)] = []
        var found: Int
        repeat {
            found = Int(epoll_wait(descriptor, &events, Int32(events.count), 0))
            for index in 0..<max(0, found) {
                count += 1
                taken.append((UInt(events[index].data.u64), count))
            }
        } while found == events.count
        return taken
    }
}
