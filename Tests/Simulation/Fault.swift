/// What goes wrong in a simulated network, or in the simulated server. `a` and `b` are a step's numbers.
package enum Fault: String, CaseIterable, Sendable {
    /// The connection is cut. `a` 0: both ends hear of it; 1: neither does, and everything sent is swallowed until a heartbeat is missed.
    case cut
    /// The server takes the client out of the namespace.
    case kick
    /// The server is gone for `a` ms; all it knew of connections is lost.
    case restart
    /// Every token made so far is expired.
    case expire
    /// The client's machine sleeps for `a` ms: nothing reaches it, and its clock jumps when it wakes.
    case sleep
    /// The client's process ends, and a new one starts with what its store kept: the `a`-th way of `Kept`.
    case crash
    /// The next `a` frames that tell of changes are lost without a sign.
    case lose
    /// The next `a` frames that tell of changes come twice.
    case double
    /// The socket delivers nothing for `a` ms, then everything in order.
    case stall
    /// What the server tells of the `a`-th kind waits for `b` ms, while the rest goes on: nothing orders rooms and types (3.4).
    case hold
    /// The next `b` requests are spoiled in the `a`-th way of `Spoil`.
    case spoil
    /// The next `a` attempts to connect fail.
    case refuse
    /// The next connection is cut after `a` messages of the server.
    case stumble
    /// The next `a` answers to joins are lost.
    case mute
    /// The server sends the `a`-th stray frame: unknown, malformed, or of a room that nobody asked for.
    case stray
}

/// How a request or its answer is spoiled.
package enum Spoil: String, CaseIterable, Sendable {
    /// Answered with that status before it is looked at.
    case unauthorized, forbidden, missing, conflict, busy, broken
    /// Answered with a page of a server in between.
    case missingPage, gatewayPage, welcomePage
    /// Answered, and the answer is cut short, or is JSON of something else.
    case truncated, nonsense
    /// Lost on the way there, lost on the way back, refused by the machine.
    case lostRequest, lostAnswer, reset
    /// Slow on the way there, slow on the way back.
    case slowRequest, slowAnswer

    /// The status and body of an answer that is given without the server's having looked.
    var answer: (status: Int, body: String, retryAfter: Int?)? {
        func fastify(_ status: Int, _ error: String) -> String {
            #"{"statusCode":\#(status),"error":"\#(error)","message":"\#(error)"}"#
        }
        switch self {
        case .unauthorized: return (401, fastify(401, "Unauthorized"), nil)
        case .forbidden: return (403, #"{"error":"Wrong token"}"#, nil)
        case .missing: return (404, fastify(404, "Not Found"), nil)
        case .conflict: return (409, fastify(409, "Conflict"), nil)
        case .busy: return (429, fastify(429, "Too Many Requests"), 3)
        case .broken: return (500, fastify(500, "Internal Server Error"), nil)
        case .missingPage: return (404, "<html><body>404 page not found</body></html>", nil)
        case .gatewayPage: return (502, "<html><body>Bad Gateway</body></html>", nil)
        case .welcomePage: return (200, "<html><body>It works!</body></html>", nil)
        case .truncated, .nonsense, .lostRequest, .lostAnswer, .reset, .slowRequest, .slowAnswer: return nil
        }
    }
}
