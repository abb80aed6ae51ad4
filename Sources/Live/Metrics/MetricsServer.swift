import Network
import Wire

/// Answers scrapes of `/metrics`, on the loop of its tail.
final class MetricsServer: HTTPServerHandler {
    private let families = Monitor<(@Sendable () -> [MetricFamily])?>(nil)
    private let server = Monitor<HTTPServer?>(nil)

    /// Listens on an address and a port. With port 0 the system chooses one. Blocks, so the loop must not call it.
    init(_ address: String, _ port: UInt16, on loop: EventLoop) throws(NetworkError) {
        let made = try HTTPServer(on: loop, address: address, port: port, maximumBody: 1 << 16, handler: self)
        server.change { $0 = made }
    }

    /// The port that the server listens on; 0 after `close()`.
    var port: UInt16 { server.look { $0?.port } ?? 0 }

    /// Starts to answer scrapes with the result of `families`, which the server calls on the loop.
    func serve(_ families: @escaping @Sendable () -> [MetricFamily]) { self.families.change { $0 = families } }

    /// Stops listening. Blocks, so the loop must not call it.
    func close() {
        families.change { $0 = nil }
        server.change { server in
            defer { server = nil }
            return server
        }?.close()
    }

    func handle(_ request: ServerRequest, respond: @escaping @Sendable (HTTPResponse) -> Void) {
        let isMetrics = request.path == "/metrics"
        guard isMetrics, ["GET", "HEAD"].contains(request.method), let families = families.look({ $0 }) else {
            let status = isMetrics ? (families.look { $0 == nil } ? 503 : 405) : 404
            return respond(
                HTTPResponse(
                    status: status, headers: [("Content-Type", "text/plain")], body: Array("see /metrics\n".utf8)))
        }
        let form = MetricsText.Form(accepting: request.header("accept"))
        respond(
            HTTPResponse(
                status: 200, headers: [("Content-Type", form.contentType)],
                body: Array(MetricsText.text(of: families(), as: form).utf8)))
    }

    func refuses(_ upgrade: ServerRequest) -> HTTPResponse? { HTTPResponse(status: 404) }
    func opened(_ socket: ServerWebSocket, _ upgrade: ServerRequest) {}
    func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket) {}
    func closed(_ socket: ServerWebSocket, _ close: WebSocketClose) {}
}
