import CLibWebSockets
import Glibc
import Wire

/// Serves a Unix socket line by line on an `EventLoop`: the control socket of a running process.
///
/// The socket is made 0600 in a folder that must be 0700 and ours; a peer of another user is refused (SO_PEERCRED). The lines of
/// one connection are answered one after the other; a connection that is silent for a minute is closed.
public final class LocalSocketServer: Sendable {
    /// Longest line taken, in bytes, without its line feed.
    public static let maximumLine = 1 << 16

    private let loop: EventLoop
    private let core: LocalServerCore

    /// Listens at `path`; a stale socket (nobody answers) is replaced, a live one is an error. Not from the loop.
    /// `handler` is called on the loop with each line (no line feed, 64 KiB at most); call `reply` with one line, once, on the loop.
    public init(
        on loop: EventLoop, path: String,
        handler: @escaping @Sendable (_ line: [UInt8], _ reply: @escaping @Sendable ([UInt8]) -> Void) -> Void
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

    /// Closes and removes the socket. Not from the loop.
    public func close() {
        let core = self.core
        _ = loop.perform { core.close() }
        core.removeSocket()
    }
}

/// What belongs to a local server on the loop's thread.
final class LocalServerCore: @unchecked Sendable {
    // Unchecked: all `var`s are touched on the loop's thread only.
    typealias Handler = @Sendable (_ line: [UInt8], _ reply: @escaping @Sendable ([UInt8]) -> Void) -> Void

    let loop: EventLoop
    private let path: String
    /// The socket's file, to remove no other.
    private let inode: UInt64
    private(set) var handler: Handler?
    /// Held by the loop while it is open.
    private weak var listener: ListeningSocket?
    private var connections: [UInt: LocalConnection] = [:]

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
        // A control socket has few users; more than these are a mistake or worse.
        guard connections.count < 32, peerUser(of: descriptor) == geteuid() else {
            Glibc.close(descriptor)
            return
        }
        guard let connection = LocalConnection(server: self, descriptor: descriptor) else { return }
        connections[connection.handle] = connection
    }

    func forget(_ connection: LocalConnection) {
        connections[connection.handle] = nil
    }

    func close() {
        listener?.close()
        for connection in connections.values { connection.drop() }
        handler = nil
    }

    /// Removes the socket's file, unless another took its place. Any thread.
    func removeSocket() {
        var status = stat()
        if lstat(path, &status) == 0, status.st_ino == inode { unlink(path) }
    }
}

/// One connection of a local server: a line, its answer, the next line.
final class LocalConnection: StreamSocket, @unchecked Sendable {
    // Unchecked: see `LoopSocket`.
    private enum State {
        case reading, answering, done
    }

    private let server: LocalServerCore
    private var state = State.reading
    private var bytes: [UInt8] = []
    private var timer: LoopTimer?

    init?(server: LocalServerCore, descriptor: Int32) {
        self.server = server
        super.init(loop: server.loop, host: server.loop.core.plainHost, descriptor: descriptor)
        setTimer()
    }

    private func setTimer() {
        timer?.cancel()
        timer = loop.schedule(at: loop.now + .seconds(60)) { [weak self] in self?.drop() }
    }

    override func received(_ piece: UnsafeRawBufferPointer) {
        guard state != .done else { return }
        bytes.append(contentsOf: piece)
        needsDelivery()
    }

    override func gone() {
        state = .done
        timer?.cancel()
        server.forget(self)
    }

    override func silence() {
        super.silence()
        state = .done
        server.forget(self)
    }

    override func deliver() {
        guard state == .reading else { return }
        guard let end = bytes.firstIndex(of: 0x0a) else {
            if bytes.count > LocalSocketServer.maximumLine { refuse() }
            return
        }
        guard end <= LocalSocketServer.maximumLine else {
            refuse()
            return
        }
        let line = Array(bytes[..<end])
        bytes.removeSubrange(...end)
        state = .answering
        timer?.cancel()
        setReading(false)
        server.handler?(line) { [weak self] answer in self?.reply(answer) }
    }

    private func reply(_ answer: [UInt8]) {
        loop.preconditionOnLoop()
        guard state == .answering else { return }
        precondition(!answer.contains(0x0a), "an answer on a local socket is one line")
        write { output in
            output.append(answer[...])
            output.append([0x0a])
        }
        state = .reading
        setTimer()
        setReading(true)
        needsDelivery()
    }

    /// A line that is too long has no answer: what follows it cannot be told from it.
    private func refuse() {
        state = .done
        bytes = []
        endAfterWriting()
    }
}
