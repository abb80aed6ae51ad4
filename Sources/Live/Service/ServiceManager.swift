import Glibc
import Network
import Pipeline
import Wire

/// The service manager that began the process, as far as it wants to be told how it stands: sd_notify(3), without a library.
///
/// What is told are datagrams of `NAME=VALUE` lines. One that cannot be sent is nothing to wait for.
public final class ServiceManager: Sendable {
    private let address: [UInt8]
    /// How often it wants to hear that the process is alive; nil where it does not.
    public let watchdog: Duration?

    /// Tells the manager at that socket: a path, or `@` and an abstract name. Nil where the name is none.
    public init?(socket name: String, watchdog: Duration? = nil) {
        guard name.hasPrefix("/") || name.hasPrefix("@"), name.utf8.count > 1,
            name.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path)
        else { return nil }
        address = name.hasPrefix("@") ? [0] + name.utf8.dropFirst() : Array(name.utf8)
        self.watchdog = watchdog
    }

    /// The manager that the environment names, for this process; nil where there is none. The variables are taken out: programs that are
    /// started are not the service.
    public static func takeFromEnvironment() -> ServiceManager? {
        func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
        defer { for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] { unsetenv(name) } }
        guard let socket = value("NOTIFY_SOCKET") else { return nil }
        let isMeant = value("WATCHDOG_PID").map { Int32($0) == getpid() } ?? true
        let span = value("WATCHDOG_USEC").flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil }
        return ServiceManager(socket: socket, watchdog: isMeant ? span.map { .microseconds($0) } : nil)
    }

    /// Tells how the process stands, such as `READY=1`; a line each. Any thread.
    func tell(_ lines: String...) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var place = sockaddr_un()
        place.sun_family = sa_family_t(AF_UNIX)
        let text = Array(lines.joined(separator: "\n").utf8)
        let start = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2
        withUnsafeMutableBytes(of: &place) { $0[start...].copyBytes(from: address) }
        // The length says where an abstract name ends, and takes the zero of a path with it.
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

// How a tail stands, for the service manager.
extension Tail {
    /// Feeds the watchdog from here on, as long as the loop runs: twice as often as the manager wants it.
    func startService() {
        guard let service = configuration.manager, let span = service.watchdog else { return }
        service.tell("WATCHDOG=1")
        feeding = loop.schedule(at: loop.now + span / 2) { [weak self] in
            self?.assumeIsolated { $0.startService() }
        }
    }

    /// The connection is another than it was. The first time that the session stands the service is ready.
    func tellService(of change: ConnectionReport) {
        guard let service = configuration.manager else { return }
        switch change {
        case .connecting: break
        case .ready:
            service.tell("READY=1", "STATUS=connected to \(configuration.server.host)")
        case .lost(let why, _): service.tell("STATUS=no connection: \(why.filter { !$0.isNewline }.prefix(200))")
        }
    }

    /// Tells the manager that a reload begins, which is the recording's next segment, and that it is over.
    func tellServiceOfReload(_ body: () -> Void) {
        let now = MachineClock.monotonic.microseconds
        configuration.manager?.tell("RELOADING=1", "MONOTONIC_USEC=\(now)")
        body()
        configuration.manager?.tell("READY=1")
    }
}
