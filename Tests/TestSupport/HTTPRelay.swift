public import Network
public import Wire

/// Stands between clients and an HTTP server: passes requests on, keeps what was asked and answered, and can hold answers back.
public final class HTTPRelay: HTTPServerHandler {
    /// A request that the server answered.
    public struct Exchange: Sendable {
        /// The method, and the path with its query.
        public var method: String, target: String
        /// The token of the `Authorization` header.
        public var token: String?
        /// The body of the request.
        public var body: [UInt8]
        /// The server's answer.
        public var status: Int, answer: [UInt8]
    }

    /// Says whether the answer to one of all exchanges, by its index, is given now.
    public typealias Rule = @Sendable (_ index: Int, _ all: [Exchange]) -> Bool

    private struct Waiting {
        var index: Int
        var respond: @Sendable () -> Void
    }

    /// What the server answered so far, held back or not.
    public let exchanges = Mailbox<Exchange>()
    private let rule = Monitor<Rule> { _, _ in true }
    private let loss = Monitor<@Sendable (Exchange) -> Bool> { _ in false }
    /// Answers that are not given yet.
    private let waiting = Monitor<[Waiting]>([])
    private let target: URLParts
    private let loop: EventLoop
    private let client: HTTPClient
    private let listeners = Monitor<[HTTPServer]>([])

    /// Listens at several ports, for clients that know several services, and passes everything on to one server.
    public init(to server: String, listeners count: Int = 1) throws {
        target = try URLParts(parsing: server)
        loop = try EventLoop(name: "weir-relay")
        client = try HTTPClient(answeringOn: loop)
        let made = try (0..<count).map { _ in try HTTPServer(on: loop, handler: self) }
        listeners.change { $0 = made }
    }

    /// Where it listens.
    public var urls: [String] { listeners.look { $0.map { "http://127.0.0.1:\($0.port)" } } }

    /// Answers that the rule does not let through wait until it does; it is asked again after each exchange.
    public func hold(unless rule: @escaping Rule) { self.rule.change { $0 = rule } }

    /// The first answer for which the rule holds is lost: the client gets 502 in its place.
    public func loseFirst(where rule: @escaping @Sendable (Exchange) -> Bool) { loss.change { $0 = rule } }

    /// Cuts every connection and ends its threads.
    public func close() {
        for listener in listeners.change({ $0 }) { listener.close() }
        client.shutDown()
        loop.shutDown()
    }

    /// Asks the server the same.
    public func handle(_ request: ServerRequest, respond: @escaping @Sendable (HTTPResponse) -> Void) {
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

    /// Passes no WebSockets on.
    public func refuses(_ upgrade: ServerRequest) -> HTTPResponse? { HTTPResponse(status: 404) }
    /// Never happens.
    public func opened(_ socket: ServerWebSocket, _ upgrade: ServerRequest) {}
    /// Never happens.
    public func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket) {}
    /// Never happens.
    public func closed(_ socket: ServerWebSocket, _ close: WebSocketClose) {}
}
