import CLibWebSockets
import Glibc
import Wire

/// Serves a Unix socket line by line on an `EventLoop`: the control socket of a running process.
///
/// The socket is made 0600 in a folder that must be 0700 and ours; a peer of another user is refused (SO_PEERCRED). Lines may be sent
/// ahead of their answers; a client is not read while too much waits for it. A client that is silent for a minute, with nothing
/// under way, is closed, and sooner when there is no room for another.
public final class LocalSocketServer: Sendable {
    /// Longest line taken, in bytes, without its line feed: an event may bring a file along, in base64.
    public static let maximumLine = Limits.longestLine
    /// More than so many clients are a mistake, or worse.
    public static let maximumClients = 32
    /// A client for which more bytes wait is not read until it has taken them.
    public static let highWater = 1 << 18

    /// What a client does.
    public enum Event: Sendable {
        /// It sent a line; here without its line feed.
        case line([UInt8])
        /// It sends a line that is longer than any may be: it is closed once what waits for it is written.
        case overlong
        /// It sends no more, and may still read; `LocalClient.finish()` closes it.
        case ended
        /// Nothing waits for it any more.
        case drained
        /// It is gone. Nothing follows.
        case gone
    }

    private let loop: EventLoop
    private let core: LocalServerCore

    /// Listens at `path`; a stale socket (nobody answers) is replaced, a live one is an error. Not from the loop.
    /// `handler` is called on the loop.
    public init(
        on loop: EventLoop, path: String, handler: @escaping @Sendable (LocalClient, Event) -> Void
    ) throws(NetworkError) {
        let socket = try listen(path: path)
        let core = LocalServerCore(loop: loop, path: path, inode: socket.inode, handler: handler)
        guard loop.perform({ core.open(socket.descriptor) }) == true else {
            unlink(path)
            throw .cannotListen(address: path, message: "the event loop does not take the socket")
        }
        self.loop = loop
        self.core = core
    }

    /// How long clients may take to read what waits for them when the server closes.
    private static let farewell: Duration = .milliseconds(500)

    /// Closes and removes the socket. What waits for clients is written, as far as they take it soon. Not from the loop.
    public func close() {
        let (core, loop) = (self.core, self.loop)
        core.removeSocket()
        let isClosed = Monitor(false)
        loop.run {
            core.close { isClosed.change { $0 = true } }
            _ = loop.schedule(at: loop.now + Self.farewell) { core.drop() }
        }
        isClosed.wait { $0 ? () : nil }
    }
}

/// A client of a local server. On the loop's thread.
public final class LocalClient: Sendable {
    /// Tells clients of one server apart.
    public let id: UInt
    private let connection: LocalConnection

    init(_ connection: LocalConnection) {
        id = connection.handle
        self.connection = connection
    }

    /// Queues bytes: whole lines.
    public func send(_ bytes: [UInt8]) { connection.send(bytes) }

    /// Bytes queued and not yet given to the kernel.
    public var pendingBytes: Int { connection.pendingBytes }

    /// Whether it may be silent for as long as it likes.
    public func mayBeSilent(_ isAllowed: Bool) { connection.mayBeSilent(isAllowed) }

    /// Closes the connection when all is written.
    public func finish() { connection.finish() }
}

/// What belongs to a local server on the loop's thread.
final class LocalServerCore: @unchecked Sendable {
    // Unchecked: all `var`s are touched on the loop's thread only.
    typealias Handler = @Sendable (LocalClient, LocalSocketServer.Event) -> Void

    let loop: EventLoop
    private let path: String
    /// The socket's file, to remove no other.
    private let inode: UInt64
    private(set) var handler: Handler?
    /// Held by the loop while it is open.
    private weak var listener: ListeningSocket?
    private var connections: [UInt: LocalConnection] = [:]
    private var onClosed: (@Sendable () -> Void)?

    init(loop: EventLoop, path: String, inode: UInt64, handler: @escaping Handler) {
        self.loop = loop
        self.path = path
        self.inode = inode
        self.handler = handler
    }

    func open(_ descriptor: Int32) -> Bool {
        let listener = ListeningSocket(loop: loop, descriptor: descriptor) { [self] in accept($0) }
        self.listener = listener
        return listener != nil
    }

    private func accept(_ descriptor: Int32) {
        guard peerUser(of: descriptor) == geteuid(), makeRoom() else {
            Glibc.close(descriptor)
            return
        }
        guard let connection = LocalConnection(server: self, descriptor: descriptor) else { return }
        connections[connection.handle] = connection
    }

    /// Whether there is room for another client: the one that is silent for longest goes.
    private func makeRoom() -> Bool {
        guard connections.count >= LocalSocketServer.maximumClients else { return true }
        let idle = connections.values.filter(\.isIdle)
        guard let longest = idle.min(by: { ($0.lastActivity, $0.handle) < ($1.lastActivity, $1.handle) }) else {
            return false
        }
        connections[longest.handle] = nil
        longest.giveWay()
        return true
    }

    func forget(_ connection: LocalConnection) {
        connections[connection.handle] = nil
        tellIfClosed()
    }

    /// Accepts nobody any more, and tells when everybody is gone.
    func close(_ done: @escaping @Sendable () -> Void) {
        listener?.close()
        onClosed = done
        for connection in connections.values { connection.finish() }
        tellIfClosed()
    }

    /// Cuts off who is left.
    func drop() { for connection in connections.values { connection.drop() } }

    private func tellIfClosed() {
        guard connections.isEmpty, let done = onClosed else { return }
        onClosed = nil
        handler = nil
        done()
    }

    /// Removes the socket's file, unless another took its place. Any thread.
    func removeSocket() {
        var status = stat()
        if lstat(path, &status) == 0, status.st_ino == inode { unlink(path) }
    }
}
