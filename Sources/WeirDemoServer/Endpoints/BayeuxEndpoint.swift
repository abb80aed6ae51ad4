import WeirJSON
package import WeirNetwork
package import WeirWire

/// A Bayeux endpoint of an HTTP server. It passes frames from WebSockets and exchanges to the session machine, and
/// sends the machine's answers. The owner is an actor on the loop.
///
/// The endpoint serves WebSockets, POSTs of JSON or of a form, and the GETs of JSONP (Bayeux BX-25).
package struct BayeuxEndpoint {
    /// The path that clients connect to.
    let path: String
    private let loop: EventLoop
    private let configuration: BayeuxServer.Configuration
    private var seed: UInt64
    private var machine: BayeuxServer
    private var links: [Int: Link] = [:]
    private var sockets: [ObjectIdentifier: Int] = [:]
    private var exchanges: [Int: Int] = [:]
    private var nextLink = 1
    /// The number of bytes that may wait for a slow client before it is disconnected.
    private static let mostPending = 8 << 20

    private enum Link {
        case socket(ServerWebSocket)
        /// An HTTP exchange. `callback` is the function that JSONP calls with the answer.
        case exchange(request: Int, callback: String?, respond: @Sendable (HTTPResponse) -> Void)
    }

    package init(
        on loop: EventLoop, path: String = "/faye", _ configuration: BayeuxServer.Configuration, seed: UInt64
    ) {
        self.loop = loop
        self.path = path
        self.configuration = configuration
        self.seed = seed
        machine = BayeuxServer(configuration, seed: seed)
    }

    /// The time at which `advance` must be called next.
    package var deadline: Moment? { machine.deadline }

    // MARK: - What clients do

    /// Handles a request for the endpoint's path.
    mutating func handle(
        _ request: ServerRequest, _ policy: BayeuxServer.Policy, respond: @escaping @Sendable (HTTPResponse) -> Void
    ) -> [BayeuxServer.Occasion] {
        guard let body = Self.frame(of: request) else {
            respond(HTTPResponse(status: request.method == "POST" || request.method == "GET" ? 400 : 405))
            return []
        }
        let link = nextLink
        nextLink += 1
        let callback = request.method == "GET" ? request.queryParameter("jsonp") ?? "jsonpcallback" : nil
        links[link] = .exchange(request: request.id, callback: callback, respond: respond)
        exchanges[request.id] = link
        return receive(body[...], on: link, isSocket: false, policy)
    }

    /// Notes that the client of an exchange disconnected.
    mutating func aborted(_ request: ServerRequest) {
        guard let link = exchanges.removeValue(forKey: request.id) else { return }
        links[link] = nil
        machine.linkClosed(link)
    }

    mutating func opened(_ socket: ServerWebSocket) {
        links[nextLink] = .socket(socket)
        sockets[ObjectIdentifier(socket)] = nextLink
        nextLink += 1
    }

    mutating func received(
        _ messages: [WebSocketMessage], from socket: ServerWebSocket, _ policy: BayeuxServer.Policy
    ) -> [BayeuxServer.Occasion] {
        guard let link = sockets[ObjectIdentifier(socket)] else { return [] }
        return messages.flatMap { receive($0.bytes, on: link, isSocket: true, policy) }
    }

    mutating func closed(_ socket: ServerWebSocket) {
        guard let link = sockets.removeValue(forKey: ObjectIdentifier(socket)) else { return }
        links[link] = nil
        machine.linkClosed(link)
    }

    private mutating func receive(
        _ frame: ArraySlice<UInt8>, on link: Int, isSocket: Bool, _ policy: BayeuxServer.Policy
    ) -> [BayeuxServer.Occasion] {
        let now = loop.now
        return run { machine, effects in
            machine.receive(frame, on: link, isSocket: isSocket, at: now, policy: policy, into: &effects)
        }
    }

    // MARK: - What the server does

    /// Publishes data on a channel from the server itself.
    mutating func publish(_ channel: Bayeux.Channel, _ data: RawJSON) -> [BayeuxServer.Occasion] {
        run { machine, effects in machine.publish(channel, data, into: &effects) }
    }

    /// Cuts every WebSocket without a closing handshake. The sessions live on for a while.
    func dropSockets() {
        for link in links.keys.sorted() {
            if case .socket(let socket)? = links[link] { socket.close(WebSocketClose(code: 1001), abrupt: true) }
        }
    }

    /// Forgets all sessions, as after a restart.
    mutating func forgetSessions() {
        for link in links.keys.sorted() { answer(link, HTTPResponse(status: 503)) }
        seed &+= 1
        machine = BayeuxServer(configuration, seed: seed)
    }

    /// Performs everything that is due now.
    package mutating func advance() -> [BayeuxServer.Occasion] {
        let now = loop.now
        return run { machine, effects in machine.advance(to: now, into: &effects) }
    }

    private mutating func run(
        _ body: (inout BayeuxServer, inout [BayeuxServer.Effect]) -> Void
    ) -> [BayeuxServer.Occasion] {
        var effects: [BayeuxServer.Effect] = []
        body(&machine, &effects)
        return effects.compactMap { effect in
            switch effect {
            case .send(let link, let frame): send(frame, on: link)
            case .refuse(let link, let status): answer(link, HTTPResponse(status: status))
            case .close(let link):
                if case .socket(let socket)? = links[link] { socket.close(WebSocketClose(code: 1000)) }
            case .occasion(let occasion): return occasion
            }
            return nil
        }
    }

    private mutating func send(_ frame: [UInt8], on link: Int) {
        switch links[link] {
        case .socket(let socket):
            socket.send(.text(frame[...]))
            if socket.pendingBytes > Self.mostPending { socket.close(WebSocketClose(code: 1008), abrupt: true) }
        case .exchange(_, let callback, _):
            guard let callback else {
                let type = (name: "content-type", value: "application/json; charset=utf-8")
                return answer(link, HTTPResponse(status: 200, headers: [type], body: frame))
            }
            // The comment keeps a function name chosen by the client from being the first bytes of the file.
            let type = (name: "content-type", value: "text/javascript; charset=utf-8")
            let body = Array("/**/\(callback)(".utf8) + frame + Array(");".utf8)
            answer(link, HTTPResponse(status: 200, headers: [type], body: body))
        case nil: break
        }
    }

    private mutating func answer(_ link: Int, _ response: HTTPResponse) {
        guard case .exchange(let request, _, let respond)? = links.removeValue(forKey: link) else { return }
        exchanges[request] = nil
        respond(response)
    }

    /// Returns the frame in a request, or `nil` when it contains none.
    private static func frame(of request: ServerRequest) -> [UInt8]? {
        switch request.method {
        case "GET":
            if let callback = request.queryParameter("jsonp"), !isFunctionName(callback) { return nil }
            return request.queryParameter("message").map { Array($0.utf8) }
        case "POST":
            let type = request.header("content-type") ?? ""
            guard type.hasPrefix("application/x-www-form-urlencoded") else { return request.body }
            let form = String(decoding: request.body, as: UTF8.self).replacing("+", with: "%20")
            return ServerRequest(method: "GET", path: "/", query: form).queryParameter("message").map { Array($0.utf8) }
        default: return nil
        }
    }

    private static func isFunctionName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 100
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}

/// An actor on the loop that serves a Bayeux endpoint. It passes input from sockets and exchanges to the endpoint, and
/// handles the resulting occasions.
package protocol ChannelHost: Actor, HTTPServerHandler {
    nonisolated var loop: EventLoop { get }
    var endpoint: BayeuxEndpoint { get set }
    /// The rules for which clients may subscribe to, and publish on, which channels.
    var policy: BayeuxServer.Policy { get }
    /// Whether WebSockets are accepted. If not, they are refused, as by a proxy that only allows HTTP.
    var takesWebSockets: Bool { get }
    /// Handles what happened at the endpoint.
    func note(_ occasions: [BayeuxServer.Occasion])
    /// Finishes a turn. Called after every call of the server that may change the endpoint.
    func settle()
    /// Answers a request for any path other than the endpoint's.
    func answer(_ request: ServerRequest) -> HTTPResponse
}

extension ChannelHost {
    package var takesWebSockets: Bool { true }

    package nonisolated func handle(_ request: ServerRequest, respond: @escaping @Sendable (HTTPResponse) -> Void) {
        assumeIsolated { host in
            if request.path == host.endpoint.path {
                host.note(host.endpoint.handle(request, host.policy, respond: respond))
            } else {
                respond(host.answer(request))
            }
            host.settle()
        }
    }

    package nonisolated func aborted(_ request: ServerRequest) {
        assumeIsolated { host in
            host.endpoint.aborted(request)
            host.settle()
        }
    }

    package nonisolated func refuses(_ upgrade: ServerRequest) -> HTTPResponse? {
        assumeIsolated { host in
            guard host.endpoint.path == upgrade.path else { return HTTPResponse(status: 404) }
            return host.takesWebSockets ? nil : HTTPResponse(status: 400)
        }
    }

    package nonisolated func opened(_ socket: ServerWebSocket, _ upgrade: ServerRequest) {
        assumeIsolated { $0.endpoint.opened(socket) }
    }

    package nonisolated func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket) {
        assumeIsolated { host in
            host.note(host.endpoint.received(messages, from: socket, host.policy))
            host.settle()
        }
    }

    package nonisolated func closed(_ socket: ServerWebSocket, _ close: WebSocketClose) {
        assumeIsolated { host in
            host.endpoint.closed(socket)
            host.settle()
        }
    }
}
