import JSONText
import Pipeline
import Terminal

/// What somebody wants of the rooms of a running tail, by its control socket.
struct RoomCall {
    /// What is to be done.
    enum Method: String, CaseIterable {
        case list, resolve, join, leave, only, reset, select, pin, unpin, mute, unmute, who, history, context
    }

    var method: Method
    /// Patterns, each an expression.
    var rooms: [String] = []
    /// Whether rooms that nobody wants are listed, too.
    var all = false
    /// How long the wish lasts; nil for ever.
    var lasting: Duration?
    /// How long the server's answers are waited for; nil for not at all.
    var wait: Duration?
    /// Messages of which time on; milliseconds since 1970.
    var since: Int64?
    /// Whether the page before the oldest message that is shown is wanted.
    var older = false
}

/// Why it is not done.
struct RoomCallError: Error {
    /// What kind of trouble it is.
    enum Kind {
        /// A parameter is not what it should be.
        case parameters
        /// There is nothing it could be done to.
        case nothing
        /// The backend cannot.
        case unsupported
    }
    var kind: Kind
    /// What is wrong and what to do, in one sentence.
    var message: String

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// A pattern that cannot be read.
    init(_ error: RoomPatternError) {
        let near = error.unknown.map { Suggestion.phrase(for: $0.word, among: $0.candidates) } ?? ""
        self.init(.parameters, error.message + near)
    }
}

/// Rooms whose fate somebody waits for.
struct RoomSettlement {
    /// Those that are open.
    var open: Set<String>
    /// Those that are asked about, in order.
    let rooms: [String]
    /// Whether they are to be joined; else they are to be left.
    let isJoining: Bool
    /// Told the rooms once.
    let reply: @Sendable ([RoomRow]) -> Void
    let number: Int
}
