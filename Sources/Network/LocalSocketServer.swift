/// Serves a Unix socket line by line on an `EventLoop`: the control socket of a running process.
///
/// The socket is made 0600 in a folder that must be 0700 and ours; a peer of another user is refused (SO_PEERCRED).
public final class LocalSocketServer: Sendable {
    /// Listens at `path`; a stale socket (nobody answers) is replaced, a live one is an error.
    /// `handler` is called on the loop with each line (no line feed, 64 KiB at most); call `reply` with one line, once, on the loop.
    public init(
        on loop: EventLoop, path: String,
        handler: @escaping @Sendable (_ line: [UInt8], _ reply: @escaping @Sendable ([UInt8]) -> Void) -> Void
    ) throws(NetworkError) { fatalError("stub") }
    /// Closes and removes the socket. Not from the loop.
    public func close() { fatalError("stub") }
}

/// One blocking exchange with a control socket, for the command line.
public enum LocalSocketClient {
    /// Connects, sends one line, waits up to `timeout` for one line, closes.
    public static func ask(path: String, line: [UInt8], timeout: Duration = .seconds(5)) throws(NetworkError) -> [UInt8]
    { fatalError("stub") }
}
