import CLibWebSockets
import Glibc
import Wire

/// A server for a Unix socket that reads lines on an `EventLoop`: the control socket of a running process.
///
/// The socket has mode 0600 and lies in a folder that must be ours with mode 0700. A peer of another user is refused
/// (SO_PEERCRED). Clients may send lines before earlier ones are answered; a client is not read while too many bytes
/// wait for it. A client that is silent for a minute without `mayBeSilent` is closed, and sooner when a new client
/// needs its place.
public final class LocalSocketServer: Sendable {
    /// The longest line accepted, in bytes, without its line feed. An event may contain a file in base64.
    public static let maximumLine = Limits.longestLine
    /// The number of clients at a time. More than this are a mistake, or worse.
    public static let maximumClients = 32
    /// The number of waiting bytes above which a client is not read until it takes them.
    public static let highWater = 1 << 18

    /// An event of one client.
    public enum Event: Sendable {
        /// A line from the client, without its line feed.
        case line([UInt8])
        /// A line longer than `maximumLine`. The client is closed once the bytes that wait for it are written.
        case overlong
        /// The client has closed its writing side but may still read. `LocalClient.finish()` closes it.
        case ended
        /// No bytes wait for the client any more.
        case drained
        /// The client is disconnected. No event follows.
        case gone
    }

    private let loop: EventLoop
    private let core: LocalServerCore

    /// Starts listening at `path`. A stale socket (no process answers) is replaced; a live one is an error. `handler`
    /// is called on the loop. Not from the loop.
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

    /// The time that clients get to read waiting bytes when the server closes.
    private static let farewell: Duration = .milliseconds(500)

    /// Closes the server and removes its socket. Waiting bytes are written if the clients take them within half a
    /// second. Not from the loop.
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
    /// A number that identifies the client among those of one server.
    public let id: UInt
    private let connection: LocalConnection

    init(_ connection: LocalConnection) {
        id = connection.handle
        self.connection = connection
    }

    /// Queues bytes for the client; they must be whole lines.
    public func send(_ bytes: [UInt8]) { connection.send(bytes) }

    /// The number of bytes queued and not yet passed to the kernel.
    public var pendingBytes: Int { connection.pendingBytes }

    /// Sets whether the client may be silent without a time limit.
    public func mayBeSilent(_ isAllowed: Bool) { connection.mayBeSilent(isAllowed) }

    /// Closes the connection once the queued bytes are written.
    public func finish() { connection.finish() }
}

/// The state of a local server that belongs to the loop's thread.
final class LocalServerCore: @unchecked Sendable {
    // Unchecked: all `var`s are used on the loop's thread only.
    typealias Handler = @Sendable (LocalClient, LocalSocketServer.Event) -> Void

    let loop: EventLoop
    private let path: String
    /// The inode of the socket's file, so that no other file is removed.
    private let inode: UInt64
    private(set) var handler: Handler?
    /// The listening socket. The loop retains it while it is open.
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

    /// Makes room for another client by closing the one that is silent for longest. Returns whether there is room.
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

    /// Stops listening and finishes the connections. `done` is called when all are gone.
    func close(_ done: @escaping @Sendable () -> Void) {
        listener?.close()
        onClosed = done
        for connection in connections.values { connection.finish() }
        tellIfClosed()
    }

    /// Cuts the connections that are still open.
    func drop() { for connection in connections.values { connection.drop() } }

    private func tellIfClosed() {
        guard connections.isEmpty, let done = onClosed else { return }
        onClosed = nil
        handler = nil
        done()
    }

    /// Removes the socket's file, unless another file has replaced it. Any thread.
    func removeSocket() {
        var status = stat()
        if lstat(path, &status) == 0, status.st_ino == inode { unlink(path) }
    }
}
