import JSONText
import Pipeline
import Terminal

/// A request about the rooms of a running tail, received over the control socket.
struct RoomCall {
    /// The operations that a request can name.
    enum Method: String, CaseIterable {
        case list, resolve, join, leave, only, reset, select, pin, unpin, mute, unmute, who, history, context
    }

    var method: Method
    /// The patterns. Each one is an expression.
    var rooms: [String] = []
    /// Whether to list unwanted rooms as well.
    var all = false
    /// The lifetime of the rule that the request adds; `nil` for no limit.
    var lasting: Duration?
    /// How long to wait for the server's answers; `nil` to answer at once.
    var wait: Duration?
    /// The time of the oldest message to return, in milliseconds since 1970.
    var since: Int64?
    /// Whether to fetch the page before the oldest known message.
    var older = false
}

/// The reason for which a room request fails.
struct RoomCallError: Error {
    /// The kinds of failures, each with its error code on the control socket.
    enum Kind {
        /// A parameter is missing, invalid or ambiguous.
        case parameters
        /// No target for the operation exists.
        case nothing
        /// The backend does not support the operation.
        case unsupported
    }
    var kind: Kind
    /// A sentence with the problem and its remedy.
    var message: String

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// Creates an error about a malformed pattern.
    init(_ error: RoomPatternError) {
        let near = error.unknown.map { Suggestion.phrase(for: $0.word, among: $0.candidates) } ?? ""
        self.init(.parameters, error.message + near)
    }
}

/// A pending answer to a request that waits until rooms are joined or left.
struct RoomSettlement {
    /// The rooms whose outcome is still open.
    var open: Set<String>
    /// All rooms of the request, in order.
    let rooms: [String]
    /// Whether the request joins the rooms; otherwise it leaves them.
    let isJoining: Bool
    /// Called once, with the final rows of the rooms.
    let reply: @Sendable ([RoomRow]) -> Void
    let number: Int
}
