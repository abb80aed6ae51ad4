/// A fault in the simulated network or the simulated server. `a` and `b` are the numbers of the step.
package enum Fault: String, CaseIterable, Sendable {
    /// Cuts the connection. `a` 0: both ends notice. 1: neither notices, and everything sent is lost until a heartbeat
    /// is missed.
    case cut
    /// The server disconnects the client, in the `a`-th of its ways.
    case kick
    /// The server is down for `a` ms and loses all knowledge of connections.
    case restart
    /// Expires every token issued so far.
    case expire
    /// The client's machine sleeps for `a` ms: it receives nothing, and its clock jumps when it wakes.
    case sleep
    /// The client's process ends, and a new one starts with the store's contents: case `a` of `Kept`.
    case crash
    /// Silently loses the next `a` frames that report changes.
    case lose
    /// Delivers the next `a` frames that report changes twice.
    case double
    /// The socket delivers nothing for `a` ms, then everything in order.
    case stall
    /// Delays publications of the `a`-th kind for `b` ms while others continue: rooms and types have no common order.
    case hold
    /// Spoils the next `b` requests in the `a`-th way of `Spoil`.
    case spoil
    /// The next `a` connection attempts fail.
    case refuse
    /// The next connection is cut after `a` messages from the server.
    case stumble
    /// Loses the next `a` answers to joins.
    case mute
    /// The server sends the `a`-th stray frame: unknown, malformed, or for a room that was never joined.
    case stray
}

/// A way to spoil a request or its answer.
package enum Spoil: String, CaseIterable, Sendable {
    /// The server answers with this status without handling the request.
    case unauthorized, forbidden, missing, conflict, busy, broken
    /// A proxy answers with an HTML page.
    case missingPage, gatewayPage, welcomePage
    /// The server handles the request, but its answer is cut short, or is JSON of another kind.
    case truncated, nonsense
    /// The request is lost, the answer is lost, or the host refuses the connection.
    case lostRequest, lostAnswer, reset
    /// The request is slow, or the answer is slow.
    case slowRequest, slowAnswer

    /// The page that a proxy answers with, for any backend.
    var page: FixedAnswer? {
        switch self {
        case .missingPage: FixedAnswer(status: 404, body: "<html><body>404 page not found</body></html>")
        case .gatewayPage: FixedAnswer(status: 502, body: "<html><body>Bad Gateway</body></html>")
        case .welcomePage: FixedAnswer(status: 200, body: "<html><body>It works!</body></html>")
        case .unauthorized, .forbidden, .missing, .conflict, .busy, .broken, .truncated, .nonsense, .lostRequest,
            .lostAnswer, .reset, .slowRequest, .slowAnswer:
            nil
        }
    }
}
