/// The limit on exchanges that run to one host at a time. The others wait in order.
///
/// libcurl has such a limit itself, but 7.88 forgets a waiting exchange when others end and begin at the same time: it
/// never begins the exchange, which then fails by its timeout.
struct ExchangeQueue {
    private let limit: Int
    private var running: [String: Int] = [:]
    private var waiting: [String: [UInt64]] = [:]

    /// Creates a queue that lets at most `limit` exchanges, and at least 1, run to one host.
    init(limit: Int) { self.limit = max(1, limit) }

    /// Adds an exchange. Returns whether it may begin now.
    mutating func add(_ number: UInt64, to host: String) -> Bool {
        guard running[host, default: 0] < limit else {
            waiting[host, default: []].append(number)
            return false
        }
        running[host, default: 0] += 1
        return true
    }

    /// Notes that a running exchange ended. Returns the waiting exchange that begins in its place, if any.
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

    /// Removes an exchange that waits.
    mutating func remove(_ number: UInt64, from host: String) {
        waiting[host]?.removeAll { $0 == number }
        if waiting[host]?.isEmpty == true { waiting[host] = nil }
    }
}
