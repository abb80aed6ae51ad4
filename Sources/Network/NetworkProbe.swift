import Glibc

/// The first steps of a connection, one at a time, for who wants to know which of them fails. Each blocks: call it on a helper thread.
public enum NetworkProbe {
    /// Why a step failed, in the system's words.
    public struct Problem: Error, Hashable, Sendable {
        /// One line for people.
        public var message: String
    }

    /// The numeric addresses of a host, in the order the system prefers.
    public static func addresses(of host: String) throws(Problem) -> [String] {
        switch lookUp(host, flags: 0) {
        case .addresses(let addresses)? where !addresses.isEmpty: return addresses
        case .failed(let why)?: throw Problem(message: why)
        case .addresses, nil: throw Problem(message: "no address")
        }
    }

    /// Connects to the first of the addresses that can be connected to, and closes again; gives that address.
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
    /// In milliseconds, as `poll` wants them.
    fileprivate var wholeMilliseconds: Int32 {
        Int32(clamping: components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)
    }
}
