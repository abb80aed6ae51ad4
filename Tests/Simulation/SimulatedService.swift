import DemoServer
package import Events
import JSONText
package import Wire

/// A whole server as one value, for simulations: its world, its tokens, its REST service, its rooms and its clients' connections.
///
/// It has no socket and no clock. What it would send at once comes out as outputs; what it tells of changes of the world comes out as
/// publications, since those go through queues of their own: whoever drives it decides when each reaches the rooms (`publish`).
package protocol SimulatedService: Sendable {
    /// A token of the user who watches, a new one where tokens expire.
    func token(at now: Moment) -> Secret

    /// Every token made before `now` is expired, where tokens expire.
    mutating func expireTokens(at now: Moment)

    /// When `advance` wants to be called next.
    var deadline: Moment? { get }

    /// Does what is due by `now`.
    mutating func advance(to now: Moment, into outputs: inout [SimulatedOutput]) -> [SimulatedPublication]

    /// A client's WebSocket opened.
    mutating func open(_ client: Int, at now: Moment, into outputs: inout [SimulatedOutput])

    /// A client's message arrived.
    mutating func receive(
        _ message: WebSocketMessage, from client: Int, at now: Moment, into outputs: inout [SimulatedOutput]
    ) -> [SimulatedPublication]

    /// A client's socket is gone.
    mutating func forget(_ client: Int)

    /// The process ended: nothing is known of any connection any more.
    mutating func forgetAll()

    /// Puts a client out, in the `manner`-th way.
    mutating func kick(_ client: Int, _ manner: Int, into outputs: inout [SimulatedOutput])

    /// A publication reaches its room.
    mutating func publish(_ publication: SimulatedPublication, into outputs: inout [SimulatedOutput])

    /// Performs an act of person `user` (0 is the one who watches), and gives what the server tells of it; nil when it is not possible.
    mutating func perform(_ act: SimulatedAct, by user: Int, _ a: Int, _ b: Int, at now: Moment)
        -> [SimulatedPublication]?

    /// Answers a request; the publications are what it makes the server tell.
    mutating func answer(
        _ method: String, _ target: String, body: [UInt8], bearer: String?, at now: Moment
    ) -> (status: Int, body: [UInt8], publications: [SimulatedPublication])

    /// The conversations that the user who watches sees.
    var conversations: Set<EntityID> { get }

    /// What was said in them.
    var sayings: [SimulatedSaying] { get }

    /// Whether a message is the server's word on a join.
    func isJoinAnswer(_ message: WebSocketMessage) -> Bool
}

/// Something to be done to a client's socket, in this order.
package enum SimulatedOutput: Sendable {
    /// Send a message.
    case send(client: Int, WebSocketMessage)
    /// End the socket.
    case close(client: Int, WebSocketClose = WebSocketClose(code: 1005))
}

/// What a server tells, on its way from the world to a room. Those of one `path` keep their order; others may overtake it.
package struct SimulatedPublication: Sendable {
    /// In a backend's own form.
    enum Content: Sendable {
        case frame(Frame)
        case push(GroupMePublication)
        /// Of the so-many-th life of its server.
        case news(DeclaredNews, life: Int)
    }

    /// What orders it: the room, and, where a room has several queues, what it is about.
    package let path: String
    /// What it is about, in the wire's word.
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

    /// A gateway keeps the order of what is said in a channel, and that of what is said of channels.
    init(_ news: DeclaredNews, life: Int) {
        kind = news.name
        path = news.room ?? "channels"
        content = .news(news, life: life)
    }
}

/// A message, as far as simulations of all backends ask about it.
package struct SimulatedSaying: Hashable, Sendable {
    package var id: EntityID
    /// Its conversation, and the head of its thread, itself where there are no threads.
    package var conversation: EntityID
    package var thread: EntityID
    package var text: String
    package var createdAt: Timestamp
    /// The word that its sender's client made for it, where servers keep one.
    package var word: String?
}

extension SimulatedService {
    /// One of `elements`, whatever the number; nil when there are none.
    static func pick<Element>(_ number: Int, of elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[number % elements.count]
    }

    /// Performs the acts of a burst.
    mutating func burst(_ a: Int, _ b: Int, at now: Moment) -> [SimulatedPublication] {
        SimulatedAct.burst(a, b).reduce(into: []) { told, each in
            told += perform(each.act, by: each.user, each.a, each.b, at: now) ?? []
        }
    }
}
