package import Network
package import Wire

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
