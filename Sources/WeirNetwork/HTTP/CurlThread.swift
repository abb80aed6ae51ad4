import CWeirCurl
import CWeirLibWebSockets
import Glibc
import WeirThreads
import WeirWire

/// The commands that the HTTP client queues for its thread.
struct CurlInbox {
    /// A command about one exchange, identified by its number.
    enum Command {
        case start(UInt64, HTTPRequest, HTTPReceiver)
        case cancel(UInt64)
        /// Resumes an exchange whose receiver of pieces has room again.
        case resume(UInt64)
        /// Ends the hold of an exchange's large body: its receiver has released it.
        case letGo(UInt64)
    }
    var commands: [Command] = []
    /// Whether the client is shut down. No exchange is answered after that, and new commands are dropped.
    var isClosed = false
    private var lastNumber: UInt64 = 0

    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    mutating func add(_ command: Command) {
        if !isClosed { commands.append(command) }
    }
}

/// libcurl's multi handle and the settings for its exchanges. Other threads may call only `wake`.
final class CurlMulti: @unchecked Sendable {
    // Unchecked: `handle` and `connectionsPerHost` are constant. libcurl allows `curl_multi_wakeup` from any thread;
    // everything else is called on one thread.
    let handle: UnsafeMutableRawPointer
    let connectionsPerHost: Int
    private let isAlive = Monitor(true)

    static let isPrepared: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    init(connectionsPerHost: Int) throws(NetworkError) {
        guard Self.isPrepared, let multi = curl_multi_init() else { throw .cannotStart("libcurl cannot be started") }
        weir_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, max(16, 2 * connectionsPerHost))
        handle = multi
        self.connectionsPerHost = connectionsPerHost
    }

    /// Makes a waiting poll return. Any thread.
    func wake() {
        isAlive.change { isAlive in
            if isAlive { curl_multi_wakeup(handle) }
        }
    }

    /// Destroys the multi handle. Call it on the thread that ran it, with no exchange left.
    func cleanUp() {
        isAlive.change { $0 = false }
        curl_multi_cleanup(handle)
    }
}

/// Decides when exchanges are out of time. Times are passed in, in nanoseconds.
///
/// A deadline that is very late means that the process stood still (`EventLoop.standstill`). In that case the bytes
/// waiting in the sockets are read before any exchange is timed out.
struct DeadlineJudge {
    /// No exchange is out of time before this moment.
    private var judgesFrom: Int64 = 0

    /// Checks the earliest deadline for a standstill. Call this before judging any deadline.
    mutating func look(at due: Int64?, now: Int64) {
        guard let due, judgesFrom < due, now - due > EventLoop.standstill.microseconds * 1000 else { return }
        judgesFrom = now + EventLoop.readingTime.microseconds * 1000
    }

    /// Returns the time at which an exchange with this deadline is out of time.
    func end(of deadline: Int64) -> Int64 { max(deadline, judgesFrom) }
}

/// The body of the thread that runs libcurl.
final class CurlThread: @unchecked Sendable {
    // Unchecked: `exchanges`, `queue`, `large` and `judge` are used on the thread only; the rest is constant.
    private let multi: CurlMulti
    private let inbox: Monitor<CurlInbox>
    private let loop: EventLoop
    /// The exchanges that run or wait, by number.
    private var exchanges: [UInt64: CurlExchange] = [:]
    private var queue: ExchangeQueue
    private var large = LargeBodies()
    private var judge = DeadlineJudge()

    init(multi: CurlMulti, inbox: Monitor<CurlInbox>, loop: EventLoop) {
        self.multi = multi
        queue = ExchangeQueue(limit: multi.connectionsPerHost)
        self.inbox = inbox
        self.loop = loop
    }

    /// Runs until the client is shut down.
    func run() {
        while takeCommands() {
            var running: Int32 = 0
            curl_multi_perform(multi.handle, &running)
            finishEnded()
            // libcurl shortens the wait to its own next deadline, and `wake` ends it.
            curl_multi_poll(multi.handle, nil, 0, expire(), nil)
        }
        for exchange in exchanges.values {
            if case .pieces(let stream) = exchange.receiver { stream.silence() }
            remove(exchange)
        }
        exchanges = [:]
        multi.cleanUp()
    }

    /// Performs the queued commands. Returns `false` when the client is shut down.
    private func takeCommands() -> Bool {
        let (commands, isClosed) = inbox.change { inbox in
            defer { inbox.commands = [] }
            return (inbox.commands, inbox.isClosed)
        }
        guard !isClosed else { return false }
        for command in commands {
            switch command {
            case .start(let number, let request, let receiver):
                let exchange = CurlExchange(number: number, request: request, receiver: receiver) { [unowned self] in
                    large.takeTurn(number)
                }
                start(exchange)
            case .cancel(let number):
                guard let exchange = exchanges[number] else { continue }
                end(exchange, .failure(HTTPFailure(kind: .cancelled, message: "cancelled")))
            case .resume(let number):
                exchanges[number].map { _ = curl_easy_pause($0.easy, CURLPAUSE_CONT) }
            case .letGo(let number): leave(number)
            }
        }
        return true
    }

    private func start(_ exchange: CurlExchange) {
        if let problem = exchange.setUp() {
            answer(exchange, .failure(HTTPFailure(kind: .protocolError, message: problem)))
            exchange.free()
            return
        }
        exchanges[exchange.number] = exchange
        if queue.add(exchange.number, to: exchange.host) { begin(exchange) }
    }

    private func begin(_ exchange: CurlExchange) {
        exchange.begin()
        let code = curl_multi_add_handle(multi.handle, exchange.easy)
        guard code == CURLM_OK else {
            end(
                exchange,
                .failure(HTTPFailure(kind: .protocolError, message: String(cString: curl_multi_strerror(code)))))
            return
        }
    }

    /// Ends the exchanges that are out of time. Returns the milliseconds until the next deadline, 60 seconds at most.
    private func expire() -> Int32 {
        let now = bootTime()
        judge.look(at: exchanges.values.compactMap(\.deadline).min(), now: now)
        var next: Int64 = 60_000
        for exchange in exchanges.values {
            guard let deadline = exchange.deadline.map(judge.end(of:)) else { continue }
            if deadline <= now {
                end(exchange, .failure(exchange.isOutOfTime))
                next = 0
            } else {
                next = min(next, (deadline - now) / 1_000_000 + 1)
            }
        }
        return Int32(next)
    }

    private func finishEnded() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi.handle, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            let code = weir_curl_message_result(message)
            var number: UnsafeMutableRawPointer?
            weir_curl_get_pointer(easy, CURLINFO_PRIVATE, &number)
            guard let exchange = exchanges[UInt64(UInt(bitPattern: number))] else { continue }
            if exchange.metDeadConnectionsOnly(code) {
                curl_multi_remove_handle(multi.handle, easy)
                exchange.takeNewConnection()
                begin(exchange)
            } else {
                finish(exchange, code)
            }
        }
    }

    /// Ends an exchange that libcurl has completed. A compressed body that may become large waits for its turn to be
    /// inflated.
    private func finish(_ exchange: CurlExchange, _ code: CURLcode) {
        guard code != CURLE_OK || exchange.mayBeInflated() else { return }
        end(exchange, exchange.result(code))
    }

    /// Gives up the turn to be large, and continues the exchange that gets it next.
    private func leave(_ number: UInt64) {
        guard let next = large.leave(number) else { return }
        guard let exchange = exchanges[next] else { return leave(next) }
        if exchange.isComplete { finish(exchange, CURLE_OK) } else { curl_easy_pause(exchange.easy, CURLPAUSE_CONT) }
    }

    private func end(_ exchange: CurlExchange, _ result: Result<HTTPResponse, HTTPFailure>) {
        exchanges[exchange.number] = nil
        let hadBegun = exchange.hasBegun
        remove(exchange)
        answer(exchange, holding(exchange, result))
        if !hadBegun {
            queue.remove(exchange.number, from: exchange.host)
        } else if let next = queue.ended(at: exchange.host).flatMap({ exchanges[$0] }) {
            begin(next)
        }
    }

    /// Returns the result, with a hold when its body is large. Without a large body, the turn passes to the next
    /// exchange.
    private func holding(
        _ exchange: CurlExchange, _ result: Result<HTTPResponse, HTTPFailure>
    ) -> Result<HTTPResponse, HTTPFailure> {
        let number = exchange.number
        guard case .success(var response) = result, response.body.count > LargeBodies.small else {
            leave(number)
            return result
        }
        response.hold = HTTPBodyHold { [inbox, multi] in
            inbox.change { $0.add(.letGo(number)) }
            multi.wake()
        }
        return .success(response)
    }

    private func remove(_ exchange: CurlExchange) {
        if exchange.hasBegun { curl_multi_remove_handle(multi.handle, exchange.easy) }
        exchange.free()
    }

    private func answer(_ exchange: CurlExchange, _ result: Result<HTTPResponse, HTTPFailure>) {
        switch exchange.receiver {
        case .whole(let completion):
            let inbox = self.inbox
            loop.run {
                guard !inbox.change({ $0.isClosed }) else { return }
                completion(result)
            }
        case .pieces(let stream):
            switch result {
            case .success: stream.put(.end)
            case .failure(let failure): stream.put(.failed(failure))
            }
        }
    }
}

/// The limit on exchanges that run to one host at a time. The others wait in order.
///
/// libcurl has such a limit itself, but 7.88 forgets a waiting exchange when others end and begin at the same time: it
/// never begins the exchange, which then fails by its timeout.
struct ExchangeQueue {
    private let limit: Int
    private var running: [String: Int] = [:]
    private var waiting: [String: [UInt64]] = [:]

    /// Creates a queue that lets at most `limit` exchanges, and at least 1, run to one host.
    init(limit: Int) { self.limit = max(1, limit) }

    /// Adds an exchange. Returns whether it may begin now.
    mutating func add(_ number: UInt64, to host: String) -> Bool {
        guard running[host, default: 0] < limit else {
            waiting[host, default: []].append(number)
            return false
        }
        running[host, default: 0] += 1
        return true
    }

    /// Notes that a running exchange ended. Returns the waiting exchange that begins in its place, if any.
    mutating func ended(at host: String) -> UInt64? {
        if let next = waiting[host]?.first {
            waiting[host]?.removeFirst()
            if waiting[host]?.isEmpty == true { waiting[host] = nil }
            return next
        }
        let left = running[host, default: 1] - 1
        running[host] = left > 0 ? left : nil
        return nil
    }

    /// Removes an exchange that waits.
    mutating func remove(_ number: UInt64, from host: String) {
        waiting[host]?.removeAll { $0 == number }
        if waiting[host]?.isEmpty == true { waiting[host] = nil }
    }
}

/// The turns for large bodies. Only one exchange at a time may hold a body of more than `small` bytes in memory, from
/// its arrival until the receiver releases it. The others wait in order, and their servers are not read.
struct LargeBodies {
    /// The size of a body that any exchange may hold, in bytes.
    static let small = 1 << 20
    /// The greatest factor by which inflating can enlarge a compressed body.
    static let ratio = 1032

    private var holder: UInt64?
    private var waiting: [UInt64] = []

    /// Returns whether it is the exchange's turn. If not, the exchange joins the queue.
    mutating func takeTurn(_ number: UInt64) -> Bool {
        if holder == nil { holder = number }
        if holder != number, !waiting.contains(number) { waiting.append(number) }
        return holder == number
    }

    /// Notes that an exchange has no large body, or none any more. Returns the exchange whose turn begins, if any.
    mutating func leave(_ number: UInt64) -> UInt64? {
        waiting.removeAll { $0 == number }
        guard holder == number else { return nil }
        holder = waiting.isEmpty ? nil : waiting.removeFirst()
        return holder
    }
}

/// The memory of a large body. While any reference to it remains, no other large body is read.
package final class HTTPBodyHold: Sendable {
    private let release: @Sendable () -> Void

    init(_ release: @escaping @Sendable () -> Void) { self.release = release }

    deinit { release() }
}
