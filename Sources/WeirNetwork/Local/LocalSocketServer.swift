import CWeirLibWebSockets
import Glibc
import WeirThreads
import WeirWire

/// A server for a Unix socket that reads lines on an `EventLoop`: the control socket of a running process.
///
/// The socket has mode 0600 and lies in a folder that must be ours with mode 0700. A peer of another user is refused
/// (SO_PEERCRED). Clients may send lines before earlier ones are answered; a client is not read while too many bytes
/// wait for it. A client that is silent for a minute without `mayBeSilent` is closed, and sooner when a new client
/// needs its place.
package final class LocalSocketServer: Sendable {
    /// The longest line accepted, in bytes, without its line feed. An event may contain a file in base64.
    package static let maximumLine = Limits.longestLine
    /// The number of clients at a time. More than this are a mistake, or worse.
    package static let maximumClients = 32
    /// The number of waiting bytes above which a client is not read until it takes them.
    package static let highWater = 1 << 18

    /// An event of one client.
    package enum Event: Sendable {
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
    package init(
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
    package func close() {
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
package final class LocalClient: Sendable {
    /// A number that identifies the client among those of one server.
    package let id: UInt
    private let connection: LocalConnection

    init(_ connection: LocalConnection) {
        id = connection.handle
        self.connection = connection
    }

    /// Queues bytes for the client; they must be whole lines.
    package func send(_ bytes: [UInt8]) { connection.send(bytes) }

    /// The number of bytes queued and not yet passed to the kernel.
    package var pendingBytes: Int { connection.pendingBytes }

    /// Sets whether the client may be silent without a time limit.
    package func mayBeSilent(_ isAllowed: Bool) { connection.mayBeSilent(isAllowed) }

    /// Closes the connection once the queued bytes are written.
    package func finish() { connection.finish() }
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

/// One client's connection to a local server. It reads lines and writes bytes.
///
/// It uses libwebsockets' raw *file* role and reads and writes by itself. The socket role treats the end of a client's
/// input as the end of the connection, so a client that sends its requests and then closes its side (`nc -U -N`) would
/// get no answer.
final class LocalConnection: LoopSocket, @unchecked Sendable {
    // Unchecked: see `LoopSocket`.
    private enum State {
        /// The connection accepts lines. → ended, finishing, gone
        case open
        /// The client has closed its writing side. → finishing, gone
        case ended
        /// The queued bytes are written, then the connection is closed. → gone
        case finishing
        case gone
    }

    /// The time a client may be silent.
    private static let patience: Duration = .seconds(60)

    private let server: LocalServerCore
    private let descriptor: Int32
    private var state = State.open
    private var incoming: [UInt8] = []
    /// The index from which the next line feed is searched. A long line arrives in many pieces.
    private var searched = 0
    private var hasEnded = false
    private var outgoing = OutgoingBytes()
    /// Whether the owner gets `drained` once no bytes wait.
    private var tellsDrained = false
    private var isPolled = true
    private var isPatient = false
    private var makesWay = false
    private var hasToldGone = false
    private(set) var lastActivity: Moment
    private var timer: LoopTimer?

    init?(server: LocalServerCore, descriptor: Int32) {
        self.server = server
        self.descriptor = descriptor
        lastActivity = server.loop.now
        super.init(loop: server.loop)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        guard adopt(descriptor) else { return nil }
        setTimer(at: lastActivity + Self.patience)
    }

    // MARK: - The owner's

    var pendingBytes: Int { outgoing.count }

    /// Whether the connection may be closed for being silent.
    var isIdle: Bool { !isPatient && !makesWay }

    func mayBeSilent(_ isAllowed: Bool) {
        isPatient = isAllowed
        lastActivity = loop.now
    }

    func send(_ bytes: [UInt8]) {
        switch state {
        case .open, .ended: break
        case .finishing, .gone: return
        }
        outgoing.append(bytes[...])
        tellsDrained = true
        applyReading()
        needsWriting()
    }

    func finish() {
        switch state {
        case .open, .ended: state = .finishing
        case .finishing, .gone: return
        }
        applyReading()
        if outgoing.isEmpty { needsDelivery() } else { needsWriting() }
    }

    /// Closes the connection to make room for another client. May be called inside a callback of another socket.
    func giveWay() {
        makesWay = true
        needsDelivery()
    }

    /// Cuts the connection. Must not be called in a callback.
    func drop() {
        cut()
        end()
    }

    // MARK: - libwebsockets

    override func callback(_ call: SocketCall) -> Int32 {
        switch call.reason {
        case LWS_CALLBACK_RAW_RX_FILE: read()
        case LWS_CALLBACK_RAW_WRITEABLE_FILE: return write() ? 0 : -1
        case LWS_CALLBACK_RAW_CLOSE_FILE, LWS_CALLBACK_WSI_DESTROY:
            guard wsi != nil else { return 0 }
            wsi = nil
            loop.core.sockets[handle] = nil
            needsDelivery()
        default: break
        }
        return 0
    }

    private func read() {
        let count = withUnsafeTemporaryAllocation(byteCount: EventLoop.transferSize, alignment: 1) { buffer in
            let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { incoming += buffer[..<count] }
            return count
        }
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        if count <= 0 { hasEnded = true }
        applyReading()
        needsDelivery()
    }

    /// Writes queued bytes. Returns `false` when the connection is broken.
    private func write() -> Bool {
        let descriptor = descriptor
        var failure: Int32 = 0
        let sent = outgoing.take(atMost: EventLoop.transferSize) { bytes in
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
            if count < 0 { failure = errno }
            return count
        }
        if sent > 0 { lastActivity = loop.now }
        if sent < 0, failure != EAGAIN, failure != EINTR { return false }
        applyReading()
        // Writing can be requested again only later: what libwebsockets does after this callback would cancel the
        // request.
        needsDelivery()
        return true
    }

    /// Updates whether the socket is polled. The client is not read while too many bytes wait for it, so that they do
    /// not grow, nor while too much of its input waits.
    private func applyReading() {
        let isOpen = if case .open = state { true } else { false }
        let isWanted =
            isOpen && !hasEnded && outgoing.count <= LocalSocketServer.highWater
            && incoming.count <= LocalSocketServer.maximumLine
        guard isWanted != isPolled, let wsi else { return }
        isPolled = isWanted
        lws_rx_flow_control(wsi, isWanted ? 1 : 0)
    }

    // MARK: - Outside of callbacks

    override func deliver() {
        if makesWay { return drop() }
        deliverLines()
        if wsi == nil { return end() }
        if !outgoing.isEmpty {
            needsWriting()
        } else {
            if case .finishing = state { return drop() }
            if tellsDrained {
                tellsDrained = false
                tell(.drained)
            }
        }
        applyReading()
    }

    private func deliverLines() {
        var start = incoming.startIndex
        while case .open = state, outgoing.count <= LocalSocketServer.highWater,
            let end = nextLineFeed()
        {
            let line = Array(incoming[start..<end])
            start = end + 1
            searched = start
            lastActivity = loop.now
            tell(line.count <= LocalSocketServer.maximumLine ? .line(line) : .overlong)
            if line.count > LocalSocketServer.maximumLine { finish() }
        }
        incoming.removeSubrange(..<start)
        searched -= start
        if incoming.isEmpty, start > EventLoop.transferSize { incoming = [] }
        guard case .open = state, nextLineFeed() == nil else { return }
        if incoming.count > LocalSocketServer.maximumLine {
            // The rest of an overlong line cannot be distinguished from the next line.
            tell(.overlong)
            finish()
        } else if hasEnded {
            let rest = incoming
            incoming = []
            searched = 0
            // A client's last line may lack a line feed.
            if !rest.isEmpty { tell(.line(rest)) }
            if case .open = state { state = .ended }
            tell(.ended)
        }
    }

    private func nextLineFeed() -> Int? {
        let end = incoming[searched...].firstIndex(of: 0x0a)
        searched = end ?? incoming.count
        return end
    }

    private func tell(_ event: LocalSocketServer.Event) { server.handler?(LocalClient(self), event) }

    /// Cleans up after the connection is gone, and sends `gone` once.
    private func end() {
        state = .gone
        timer?.cancel()
        timer = nil
        server.forget(self)
        forget()
        outgoing.removeAll()
        incoming = []
        if !hasToldGone {
            hasToldGone = true
            tell(.gone)
        }
    }

    override func silence() {
        wsi = nil
        state = .gone
        hasToldGone = true
        server.forget(self)
    }

    private func setTimer(at due: Moment) {
        timer = loop.schedule(at: due) { [weak self] in self?.lookForSilence() }
    }

    private func lookForSilence() {
        let now = loop.now
        if !isPatient, now - lastActivity >= Self.patience { return drop() }
        setTimer(at: (isPatient ? now : lastActivity) + Self.patience)
    }
}
