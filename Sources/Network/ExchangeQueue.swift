/// Which exchanges run and which wait: so many to one host at a time, the others in order.
///
/// libcurl has such a limit itself, but 7.88 forgets an exchange that waits when ends and beginnings of others meet: it is never
/// begun, and fails when its time is over.
struct ExchangeQueue {
    private let limit: Int
    private var running: [String: Int] = [:]
    private var waiting: [String: [UInt64]] = [:]

    /// At most `limit`, and 1 at least, run to one host.
    init(limit: Int) { self.limit = max(1, limit) }

    /// Adds an exchange; whether it may begin now.
    mutating func add(_ number: UInt64, to host: String) -> Bool {
        guard running[host, default: 0] < limit else {
            waiting[host, default: []].append(number)
            return false
        }
        running[host, default: 0] += 1
        return true
    }

    /// An exchange that ran has ended; the one that takes its place and begins now.
    mutating func ended(at host: String) -> UInt64? {
        if let next = waiting[host]?.first {
            waiting[host]?.removeFirst()
            if waiting[host]?.isEmpty == true { waiting[host] = nil }
            return next
        }
        let left = running[host, default: 1] - 1
        running[host] = left > 0 ? left : nil
        return nil
    }

    /// An exchange that waits is given up.
    mutating func remove(_ number: UInt64, from host: String) {
        waiting[host]?.removeAll { $0 == number }
        if waiting[host]?.isEmpty == true { waiting[host] = nil }
    }
}
