import WeirDemoServer
package import WeirEvents
import WeirJSON
package import WeirWire

/// A whole server as a value, for simulations: its world, tokens, REST service, rooms and client connections.
///
/// It has no socket and no clock. Immediate messages are returned as outputs. Changes of the world are returned as
/// publications, which travel in separate queues: the driver decides when each reaches its rooms (`publish`).
package protocol SimulatedService: Sendable {
    /// Returns a token of the watching user; a new one if tokens expire.
    func token(at now: Moment) -> Secret

    /// Expires every token issued before `now`, if tokens expire.
    mutating func expireTokens(at now: Moment)

    /// When `advance` must be called next.
    var deadline: Moment? { get }

    /// Performs the work that is due by `now`.
    mutating func advance(to now: Moment, into outputs: inout [SimulatedOutput]) -> [SimulatedPublication]

    /// Handles the opening of a client's WebSocket.
    mutating func open(_ client: Int, at now: Moment, into outputs: inout [SimulatedOutput])

    /// Handles a message from a client.
    mutating func receive(
        _ message: WebSocketMessage, from client: Int, at now: Moment, into outputs: inout [SimulatedOutput]
    ) -> [SimulatedPublication]

    /// Handles the loss of a client's socket.
    mutating func forget(_ client: Int)

    /// Ends the process, which forgets all connections.
    mutating func forgetAll()

    /// Disconnects a client, in the `manner`-th way.
    mutating func kick(_ client: Int, _ manner: Int, into outputs: inout [SimulatedOutput])

    /// Delivers a publication to its room.
    mutating func publish(_ publication: SimulatedPublication, into outputs: inout [SimulatedOutput])

    /// Performs an act of person `user` (0 is the watching user). Returns the resulting publications, or `nil` when the
    /// act is not possible.
    mutating func perform(_ act: SimulatedAct, by user: Int, _ a: Int, _ b: Int, at now: Moment)
        -> [SimulatedPublication]?

    /// Answers a request. Also returns the publications that it causes.
    mutating func answer(
        _ method: String, _ target: String, body: [UInt8], bearer: String?, at now: Moment
    ) -> (status: Int, body: [UInt8], publications: [SimulatedPublication])

    /// The conversations that the watching user sees.
    var conversations: Set<EntityID> { get }

    /// The messages in these conversations.
    var sayings: [SimulatedSaying] { get }

    /// Returns whether a message is the server's answer to a join.
    func isJoinAnswer(_ message: WebSocketMessage) -> Bool
}

/// An operation on a client's socket. Operations are performed in order.
package enum SimulatedOutput: Sendable {
    /// Sends a message to the client.
    case send(client: Int, WebSocketMessage)
    /// Closes the client's socket with a close code.
    case close(client: Int, WebSocketClose = WebSocketClose(code: 1005))
}

/// News on its way from the world to a room. Publications with the same `path` keep their order; others may overtake
/// them.
package struct SimulatedPublication: Sendable {
    /// The contents, in the form of the backend.
    enum Content: Sendable {
        case frame(Frame)
        case push(GroupMePublication)
        /// News from the server process with this number of restarts.
        case news(DeclaredNews, life: Int)
    }

    /// The queue of the publication: the room, and the kind of news if a room has several queues.
    package let path: String
    /// The kind of news, as the wire names it.
    package let kind: String
    let content: Content

    init(_ frame: Frame) {
        kind = frame.payload["type"]?.stringValue ?? "event"
        path = "\(frame.room) \(kind)"
        content = .frame(frame)
    }

    init(_ push: GroupMePublication) {
        kind = push.data["type"]?.stringValue ?? ""
        path = push.channel.description
        content = .push(push)
    }

    /// Creates a publication of a gateway, which keeps the order of the news inside each channel, and of the news about
    /// channels.
    init(_ news: DeclaredNews, life: Int) {
        kind = news.name
        path = news.room ?? "channels"
        content = .news(news, life: life)
    }
}

/// A message, with the properties that simulations of all backends check.
package struct SimulatedSaying: Hashable, Sendable {
    package var id: EntityID
    /// The conversation, and the head of the thread, which is the conversation itself without threads.
    package var conversation: EntityID
    package var thread: EntityID
    package var text: String
    package var createdAt: Timestamp
    /// The nonce that the sender's client chose, if the server keeps it.
    package var word: String?
}

extension SimulatedService {
    /// Returns one of `elements` for any number, or `nil` when there are none.
    static func pick<Element>(_ number: Int, of elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[number % elements.count]
    }

    /// Performs the acts of a burst and returns their publications.
    mutating func burst(_ a: Int, _ b: Int, at now: Moment) -> [SimulatedPublication] {
        SimulatedAct.burst(a, b).reduce(into: []) { told, each in
            told += perform(each.act, by: each.user, each.a, each.b, at: now) ?? []
        }
    }
}
