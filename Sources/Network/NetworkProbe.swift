import Glibc

/// The first steps of a connection, one at a time, to find out which of them fails. Each step blocks: call it on a
/// helper thread.
public enum NetworkProbe {
    /// The reason why a step failed, in the system's words.
    public struct Problem: Error, Hashable, Sendable {
        /// The reason as one line for people.
        public var message: String
    }

    /// Returns the numeric addresses of a host, in the order the system prefers.
    public static func addresses(of host: String) throws(Problem) -> [String] {
        switch lookUp(host, flags: 0) {
        case .addresses(let addresses)? where !addresses.isEmpty: return addresses
        case .failed(let why)?: throw Problem(message: why)
        case .addresses, nil: throw Problem(message: "no address")
        }
    }

    /// Connects to the first reachable address, disconnects, and returns that address. `patience` limits each attempt.
    public static func connect(to addresses: [String], port: UInt16, patience: Duration) throws(Problem) -> String {
        var problems: [String] = []
        for address in addresses {
            switch connectResult(address: address, port: port, milliseconds: patience.wholeMilliseconds) {
            case .connected: return address
            case .refused(let why): problems.append(why)
            case .silent: problems.append("no answer in \(patience.wholeMilliseconds / 1000) s")
            }
        }
        throw Problem(message: problems.first ?? "no address")
    }
}

extension Duration {
    /// The duration in whole milliseconds, as `poll` expects it.
    fileprivate var wholeMilliseconds: Int32 {
        Int32(clamping: components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)
    }
}
