import CWeirLibWebSockets
import Glibc
import WeirThreads

/// The result of resolving a host.
enum Resolution: Sendable {
    /// The numeric addresses, in the order the system prefers.
    case addresses([String])
    /// The reason for a failure, in the system's words.
    case failed(String)
}

/// Resolves a host on a new thread, since `getaddrinfo` may block for any time. A numeric address needs no thread.
/// `completion` may be called on the calling thread.
func resolve(_ host: String, completion: @escaping @Sendable (Resolution) -> Void) {
    if let numeric = lookUp(host, flags: AI_NUMERICHOST) {
        completion(numeric)
        return
    }
    let started = startThread(named: "weir-resolve") {
        completion(lookUp(host, flags: 0) ?? .failed("Name or service not known"))
    }
    if !started { completion(.failed("the system refuses a new thread")) }
}

/// Resolves a host with the system's resolver. Returns `nil` when `flags` requires a numeric address and the host is
/// not one. Blocks.
func lookUp(_ host: String, flags: Int32) -> Resolution? {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = flags
    var list: UnsafeMutablePointer<addrinfo>?
    let failure = getaddrinfo(host, nil, &hints, &list)
    guard failure == 0 else {
        if flags == AI_NUMERICHOST { return nil }
        return .failed(failure == EAI_SYSTEM ? systemMessage(errno) : String(cString: gai_strerror(failure)))
    }
    defer { freeaddrinfo(list) }
    var addresses: [String] = []
    var next = list
    while let entry = next {
        next = entry.pointee.ai_next
        if let text = numericText(entry.pointee), !addresses.contains(text) { addresses.append(text) }
    }
    return .addresses(addresses)
}

private func numericText(_ entry: addrinfo) -> String? {
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let failure = getnameinfo(entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
    guard failure == 0 else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// The result of an attempt to connect.
enum ConnectResult {
    case connected
    /// The attempt failed, with the reason in the system's words.
    case refused(String)
    /// The attempt had no result in time, or could not be made.
    case silent
}

/// Tries to connect, to find the reason of a failure that libwebsockets does not report. Returns the system's words, or
/// `nil` when the connection now succeeds or has no result within a second. Blocks.
func connectProblem(address: String, port: UInt16) -> String? {
    guard case .refused(let why) = connectResult(address: address, port: port, milliseconds: 1000) else { return nil }
    return why
}

/// Connects to a numeric address and disconnects. Blocks.
func connectResult(address: String, port: UInt16, milliseconds: Int32) -> ConnectResult {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(address, String(port), &hints, &list) == 0, let entry = list?.pointee else { return .silent }
    defer { freeaddrinfo(list) }
    let descriptor = socket(
        entry.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return .refused(systemMessage(errno)) }
    defer { close(descriptor) }
    guard connect(descriptor, entry.ai_addr, entry.ai_addrlen) != 0 else { return .connected }
    guard errno == EINPROGRESS else { return .refused(systemMessage(errno)) }
    var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard poll(&wait, 1, milliseconds) == 1 else { return .silent }
    var problem: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &problem, &size)
    return problem == 0 ? .connected : .refused(systemMessage(problem))
}

/// An IPv4 or IPv6 address as bytes, so that different spellings compare equal.
struct NumericAddress: Hashable {
    /// The address in network order: 4 or 16 bytes.
    let bytes: [UInt8]

    /// Parses an address. Returns `nil` when the text is not one.
    init?(_ text: String) {
        var four = [UInt8](repeating: 0, count: 4)
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = four
            return
        }
        var sixteen = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, text, &sixteen) == 1 else { return nil }
        // An IPv4 address in IPv6 form (RFC 4291, 2.5.5.2) equals the plain address.
        let isMapped = sixteen.prefix(10).allSatisfy { $0 == 0 } && sixteen[10] == 0xff && sixteen[11] == 0xff
        bytes = isMapped ? Array(sixteen[12...]) : sixteen
    }

    /// Whether this is a loopback address, which means this machine on every machine.
    var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }

    /// Returns whether the first `bits` bits equal those of `range`.
    func isIn(_ range: NumericAddress, bits: Int) -> Bool {
        guard bytes.count == range.bytes.count, (0...bytes.count * 8).contains(bits) else { return false }
        for (index, (byte, other)) in zip(bytes, range.bytes).enumerated() {
            let left = min(8, max(0, bits - index * 8))
            let mask = UInt8(truncatingIfNeeded: 0xff << (8 - left))
            guard byte & mask == other & mask else { return false }
        }
        return true
    }
}

/// The first steps of a connection, one at a time, to find out which of them fails. Each step blocks: call it on a
/// helper thread.
package enum NetworkProbe {
    /// The reason why a step failed, in the system's words.
    package struct Problem: Error, Hashable, Sendable {
        /// The reason as one line for people.
        package var message: String
    }

    /// Returns the numeric addresses of a host, in the order the system prefers.
    package static func addresses(of host: String) throws(Problem) -> [String] {
        switch lookUp(host, flags: 0) {
        case .addresses(let addresses)? where !addresses.isEmpty: return addresses
        case .failed(let why)?: throw Problem(message: why)
        case .addresses, nil: throw Problem(message: "no address")
        }
    }

    /// Connects to the first reachable address, disconnects, and returns that address. `patience` limits each attempt.
    package static func connect(to addresses: [String], port: UInt16, patience: Duration) throws(Problem) -> String {
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
