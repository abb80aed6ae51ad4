public import WeirNetwork
import WeirThreads
package import WeirWire

/// A relay between clients and an HTTP server. It forwards requests, records the exchanges, and can delay answers.
public final class HTTPRelay: HTTPServerHandler {
    /// A request that the server has answered.
    public struct Exchange: Sendable {
        /// The method of the request, and the path with its query.
        public var method: String, target: String
        /// The bearer token of the `Authorization` header.
        public var token: String?
        /// The body of the request.
        public var body: [UInt8]
        /// The status and body of the server's answer.
        public var status: Int, answer: [UInt8]
    }

    /// Returns whether the relay may now pass on the answer to the exchange with this index.
    public typealias Rule = @Sendable (_ index: Int, _ all: [Exchange]) -> Bool

    private struct Waiting {
        var index: Int
        var respond: @Sendable () -> Void
    }

    /// All exchanges so far, whether or not their answers are delayed.
    public let exchanges = Mailbox<Exchange>()
    private let rule = Monitor<Rule> { _, _ in true }
    private let loss = Monitor<@Sendable (Exchange) -> Bool> { _ in false }
    /// The answers that are delayed.
    private let waiting = Monitor<[Waiting]>([])
    private let target: URLParts
    private let loop: EventLoop
    private let client: HTTPClient
    private let listeners = Monitor<[HTTPServer]>([])

    /// Listens on several ports, for clients that use several services, and forwards everything to one server.
    public init(to server: String, listeners count: Int = 1) throws {
        target = try URLParts(parsing: server)
        loop = try EventLoop(name: "weir-relay")
        client = try HTTPClient(answeringOn: loop)
        let made = try (0..<count).map { _ in try HTTPServer(on: loop, handler: self) }
        listeners.change { $0 = made }
    }

    /// The URLs of the relay, one for each port.
    public var urls: [String] { listeners.look { $0.map { "http://127.0.0.1:\($0.port)" } } }

    /// Delays answers until `rule` lets them pass. The rule is evaluated after each exchange.
    public func hold(unless rule: @escaping Rule) { self.rule.change { $0 = rule } }

    /// Loses the first answer for which `rule` holds: the client receives 502 instead.
    public func loseFirst(where rule: @escaping @Sendable (Exchange) -> Bool) { loss.change { $0 = rule } }

    /// Cuts all connections and ends the threads.
    public func close() {
        for listener in listeners.change({ $0 }) { listener.close() }
        client.shutDown()
        loop.shutDown()
    }

    /// Forwards the request to the server.
    package func handle(_ request: ServerRequest, respond: @escaping @Sendable (HTTPResponse) -> Void) {
        var url = target
        (url.path, url.query) = (request.path, request.query)
        let headers = request.headers.filter { ["authorization", "content-type"].contains($0.name) }
        var copy = HTTPRequest(method: request.method, url: url, headers: headers, body: request.body)
        copy.isRepeatable = request.method == "GET"
        let target = url.target
        client.send(copy) { [self] result in
            var response = (try? result.get()) ?? HTTPResponse(status: 502)
            let token = request.header("authorization").map { String($0.trimmingPrefix("Bearer ")) }
            let exchange = Exchange(
                method: request.method, target: target, token: token, body: request.body, status: response.status,
                answer: response.body)
            let isLost = loss.change { rule in
                guard rule(exchange) else { return false }
                rule = { _ in false }
                return true
            }
            if isLost { response = HTTPResponse(status: 502) }
            exchanges.put(exchange)
            let (all, rule) = (exchanges.all, rule.look { $0 })
            let ready = waiting.change { waiting in
                waiting.append(Waiting(index: all.count - 1) { [response] in respond(response) })
                let ready = waiting.filter { rule($0.index, all) }
                waiting.removeAll { rule($0.index, all) }
                return ready
            }
            for answer in ready { answer.respond() }
        }
    }

    /// Refuses every WebSocket with 404.
    package func refuses(_ upgrade: ServerRequest) -> HTTPResponse? { HTTPResponse(status: 404) }
    /// Never called, since upgrades are refused.
    package func opened(_ socket: ServerWebSocket, _ upgrade: ServerRequest) {}
    /// Never called, since upgrades are refused.
    package func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket) {}
    /// Never called, since upgrades are refused.
    package func closed(_ socket: ServerWebSocket, _ close: WebSocketClose) {}
}
