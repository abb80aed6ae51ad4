package import Network
package import Wire

/// An actor on the loop that serves a Bayeux endpoint: it hands what sockets and exchanges say to the endpoint, and hears what that made
/// of it.
package protocol ChannelHost: Actor, HTTPServerHandler {
    nonisolated var loop: EventLoop { get }
    var endpoint: BayeuxEndpoint { get set }
    /// Who may subscribe to what and publish where.
    var policy: BayeuxServer.Policy { get }
    /// Whether WebSockets are taken; else they are refused, as by a proxy that lets nothing but HTTP through.
    var takesWebSockets: Bool { get }
    /// Hears what happened at the endpoint.
    func note(_ occasions: [BayeuxServer.Occasion])
    /// Does what comes after every turn.
    func settle()
    /// Answers a request that is not for the endpoint.
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
