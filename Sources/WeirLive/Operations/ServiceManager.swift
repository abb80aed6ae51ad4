import Glibc
import WeirNetwork
import WeirPipeline
import WeirThreads
import WeirWire

/// The service manager that started the process, such as systemd. It receives the state of the process: sd_notify(3), without a library.
///
/// A message is a datagram of `NAME=VALUE` lines. A datagram that cannot be sent is dropped, so that the process never waits for the
/// manager.
package final class ServiceManager: Sendable {
    private let address: [UInt8]
    /// The watchdog's timeout, within which the manager expects a message; `nil` without a watchdog.
    package let watchdog: Duration?

    /// Creates a manager with a socket: a path, or `@` and an abstract name. Returns `nil` if the name is not valid.
    package init?(socket name: String, watchdog: Duration? = nil) {
        guard name.hasPrefix("/") || name.hasPrefix("@"), name.utf8.count > 1,
            name.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path)
        else { return nil }
        address = name.hasPrefix("@") ? [0] + name.utf8.dropFirst() : Array(name.utf8)
        self.watchdog = watchdog
    }

    /// Returns the manager that the environment names for this process; `nil` if it names none. Removes the variables, because the programs
    /// that the process starts are not the service.
    package static func takeFromEnvironment() -> ServiceManager? {
        func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
        defer { for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] { unsetenv(name) } }
        guard let socket = value("NOTIFY_SOCKET") else { return nil }
        let isMeant = value("WATCHDOG_PID").map { Int32($0) == getpid() } ?? true
        let span = value("WATCHDOG_USEC").flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil }
        return ServiceManager(socket: socket, watchdog: isMeant ? span.map { .microseconds($0) } : nil)
    }

    /// Sends lines such as `READY=1` to the manager. Any thread.
    func tell(_ lines: String...) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var place = sockaddr_un()
        place.sun_family = sa_family_t(AF_UNIX)
        let text = Array(lines.joined(separator: "\n").utf8)
        let start = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2
        withUnsafeMutableBytes(of: &place) { $0[start...].copyBytes(from: address) }
        // An abstract name ends with the length of the address. A path includes its zero byte.
        let length = socklen_t(start + address.count + (address[0] == 0 ? 0 : 1))
        withUnsafePointer(to: &place) { place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                _ = sendto(
                    descriptor, text, text.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), place,
                    length)
            }
        }
    }
}

// Reports the state of a tail to the service manager.
extension TailEngine {
    /// Feeds the watchdog while the loop runs, at twice the rate that the manager expects.
    func startService() {
        guard let service = configuration.manager, let span = service.watchdog else { return }
        service.tell("WATCHDOG=1")
        operations.feeding = loop.schedule(at: loop.now + span / 2) { [weak self] in
            self?.assumeIsolated { $0.startService() }
        }
    }

    /// Reports a change of the connection. The service is ready when the session is ready for the first time.
    func tellService(of change: ConnectionReport) {
        guard let service = configuration.manager else { return }
        switch change {
        case .connecting: break
        case .ready:
            service.tell("READY=1", "STATUS=connected to \(configuration.server.host)")
        case .lost(let why, _): service.tell("STATUS=no connection: \(why.filter { !$0.isNewline }.prefix(200))")
        }
    }

    /// Reports the start and the end of a reload. A reload starts the recording's next segment.
    func tellServiceOfReload(_ body: () -> Void) {
        let now = MachineClock.monotonic.microseconds
        configuration.manager?.tell("RELOADING=1", "MONOTONIC_USEC=\(now)")
        body()
        configuration.manager?.tell("READY=1")
    }
}

/// Lines for the journal of systemd, if standard error goes there. A line begins with its priority. It has no time, since the journal
/// stores one.
enum JournalStream {
    /// Whether a descriptor goes to the journal, according to `JOURNAL_STREAM` (systemd.exec(5)).
    static func isBehind(_ descriptor: Int32) -> Bool {
        guard let text = getenv("JOURNAL_STREAM") else { return false }
        let numbers = String(cString: text).split(separator: ":").map { UInt64($0) }
        var facts = stat()
        guard numbers.count == 2, fstat(descriptor, &facts) == 0 else { return false }
        return numbers[0] == UInt64(facts.st_dev) && numbers[1] == UInt64(facts.st_ino)
    }
}
