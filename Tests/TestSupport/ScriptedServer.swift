public import WeirNetwork
import WeirThreads
package import WeirWire

/// A Twake server on a loopback port that sends scripted messages. Its REST service gives the same answer to every
/// request.
public final class ScriptedServer: HTTPServerHandler {
    /// The frames sent after a room was joined.
    let frames: [String]
    /// The answer sent to `authenticate`.
    let answer: String
    /// The answer to a join.
    let joining: String
    /// The first message, in place of an Engine.IO handshake.
    let greeting: String?
    /// The body of the answer to every request; `nil` for 404.
    let rest: String?
    /// The headers of each upgrade request, as `name: value`.
    public let upgrades = Mailbox<[String]>()
    private let loop: EventLoop
    private let server = Monitor<HTTPServer?>(nil)

    /// Creates a server that listens at once.
    package init(
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

    /// The port on which the server listens.
    public var port: UInt16 { server.change { $0?.port ?? 0 } }

    /// Cuts all connections and ends the thread.
    public func close() {
        server.change { $0 }?.close()
        loop.shutDown()
    }

    /// Answers with the scripted body, or with 404.
    package func handle(_ request: ServerRequest, respond: @escaping @Sendable (HTTPResponse) -> Void) {
        if let rest { return respond(HTTPResponse(status: 200, body: Array(rest.utf8))) }
        respond(HTTPResponse(status: 404, body: Array("nothing here".utf8)))
    }

    /// Accepts upgrades only on the Socket.IO path.
    package func refuses(_ upgrade: ServerRequest) -> HTTPResponse? {
        upgrades.put(upgrade.headers.map { "\($0.name): \($0.value)" })
        return upgrade.path == "/socket/" ? nil : HTTPResponse(status: 404)
    }

    /// Sends the greeting, or an Engine.IO handshake.
    package func opened(_ socket: ServerWebSocket, _ upgrade: ServerRequest) {
        socket.send(.text(greeting ?? #"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#))
    }

    /// Answers the messages of a Twake client.
    package func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket) {
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

    /// Does nothing when a client disconnects.
    package func closed(_ socket: ServerWebSocket, _ close: WebSocketClose) {}
}
