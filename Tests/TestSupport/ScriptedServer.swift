public import Network
public import Wire

/// A Twake server on a loopback port that says what a test wants to be said. Its REST service has one answer, or none.
public final class ScriptedServer: HTTPServerHandler {
    /// What is said after a room was joined.
    let frames: [String]
    /// What is said to `authenticate`.
    let answer: String
    /// What is said to whoever joins a room.
    let joining: String
    /// What is said first, instead of an Engine.IO handshake.
    let greeting: String?
    /// What is answered to every request; nil for 404.
    let rest: String?
    /// The headers of each upgrade, as `name: value`.
    public let upgrades = Mailbox<[String]>()
    private let loop: EventLoop
    private let server = Monitor<HTTPServer?>(nil)

    /// A server that listens when it is made.
    public init(
        frames: [String] = [], answer: String = #"42["authenticated"]"#, greeting: String? = nil,
        joining: String = #"42["realtime:join:success",{"name":"/r"}]"#, identity: TLSIdentity? = nil,
        rest: String? = nil
    ) throws {
        self.rest = rest
        self.frames = frames
        self.answer = answer
        self.greeting = greeting
        self.joining = joining
        loop = try EventLoop(name: "weir-scripted")
        let made = try HTTPServer(on: loop, identity: identity, handler: self)
        server.change { $0 = made }
    }

    /// Where it listens.
    public var port: UInt16 { server.change { $0?.port ?? 0 } }

    /// Cuts every connection and ends its thread.
    public func close() {
        server.change { $0 }?.close()
        loop.shutDown()
    }

    /// Says what it was given.
    public func handle(_ request: ServerRequest, respond: @escaping @Sendable (HTTPResponse) -> Void) {
        if let rest { return respond(HTTPResponse(status: 200, body: Array(rest.utf8))) }
        respond(HTTPResponse(status: 404, body: Array("nothing here".utf8)))
    }

    /// Only the Socket.IO path upgrades.
    public func refuses(_ upgrade: ServerRequest) -> HTTPResponse? {
        upgrades.put(upgrade.headers.map { "\($0.name): \($0.value)" })
        return upgrade.path == "/socket/" ? nil : HTTPResponse(status: 404)
    }

    /// Greets.
    public func opened(_ socket: ServerWebSocket, _ upgrade: ServerRequest) {
        socket.send(.text(greeting ?? #"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#))
    }

    /// Answers what a Twake client says.
    public func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket) {
        for message in messages {
            let text = String(decoding: message.bytes, as: UTF8.self)
            if text.hasPrefix("40") {
                socket.send(.text(#"40{"sid":"t"}"#))
            } else if text.contains("authenticate") {
                socket.send(.text(answer))
            } else if text.contains("realtime:join") {
                socket.send(.text(joining))
                for frame in frames { socket.send(.text(frame)) }
            }
        }
    }

    /// Nothing is to be done.
    public func closed(_ socket: ServerWebSocket, _ close: WebSocketClose) {}
}
