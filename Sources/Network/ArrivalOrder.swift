import CLibWebSockets
import Glibc

/// In which order bytes came on the connections of a loop's servers. On the loop's thread.
///
/// libwebsockets asks `poll`, which says what is readable but not since when, and reads in the order of its own table. A server must answer in
/// the order of arrival: a request that came after a WebSocket's message is judged after that message. The kernel's epoll list has that order,
/// since a connection that gets bytes is put at its end.
///
/// The kernel leaves out what was read meanwhile, so the list has to be read before libwebsockets reads a connection. That is why its descriptor
/// is the first in libwebsockets' table: it is readable when any connection is, and is served before them.
///
/// The order is of first bytes: what one connection brought in one turn is served together. Of a connection that is not accepted yet
/// the kernel tells nothing: its bytes came when it was accepted.
struct ArrivalOrder {
    private let descriptor: Int32
    private var events = Array(repeating: epoll_event(), count: 64)
    /// Places given so far.
    private(set) var count: UInt64 = 0

    /// Does not own the descriptor.
    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Counts a connection from now on. The kernel forgets it when its descriptor is closed. One that the kernel does not take (it has limits)
    /// is served before the others.
    func add(_ connection: Int32, handle: UInt) {
        var wanted = epoll_event()
        wanted.events = EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
        wanted.data.u64 = UInt64(handle)
        epoll_ctl(descriptor, EPOLL_CTL_ADD, connection, &wanted)
    }

    /// Gives the connections that got bytes, or their end, since the last call, by their handles, each with its place in the order.
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
