/// What goes wrong in a simulated network, or in the simulated server. `a` and `b` are a step's numbers.
package enum Fault: String, CaseIterable, Sendable {
    /// The connection is cut. `a` 0: both ends hear of it; 1: neither does, and everything sent is swallowed until a heartbeat is missed.
    case cut
    /// The server puts the client out, in the `a`-th way of its own.
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
    /// What the server tells of the `a`-th kind waits for `b` ms, while the rest goes on: nothing orders rooms and types.
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

    /// What a server in between answers, whatever the backend.
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
