import WeirJSON
import WeirWire

/// A client machine with its effects as comparable lines.
struct ClientTranscript {
    var machine: SocketIOClientMachine

    init(
        _ revision: EngineIO.Revision, namespace: String = "/", auth: String? = nil, openedAt milliseconds: Int64 = 0
    ) {
        let configuration = SocketIOClientMachine.Configuration(
            revision: revision, namespace: namespace, auth: auth.map(json), handshakeTimeout: .seconds(20))
        machine = SocketIOClientMachine(configuration, openedAt: ms(milliseconds))
    }

    init(
        _ configuration: SocketIOClientMachine.Configuration, memory: SocketIOClientMachine.Memory = .init(),
        openedAt milliseconds: Int64 = 0
    ) {
        machine = SocketIOClientMachine(configuration, memory: memory, openedAt: ms(milliseconds))
    }

    /// A client that joined its namespace at 0 ms (ping interval 25 s, timeout 20 s).
    static func joined(
        _ revision: EngineIO.Revision, maximumAttachments: Int = Limits.standard, count: Int = 10, depth: Int = 1024
    ) -> ClientTranscript {
        var configuration = SocketIOClientMachine.Configuration(revision: revision, handshakeTimeout: .seconds(20))
        configuration.limits.attachments = maximumAttachments
        (configuration.limits.attachmentCount, configuration.limits.depth) = (count, depth)
        var client = ClientTranscript(configuration)
        _ = client.receive(openPacket)
        _ = client.receive(revision == .v3 ? "40" : #"40{"sid":"s"}"#)
        return client
    }

    mutating func receive(_ text: String, at milliseconds: Int64 = 0) -> [String] {
        receive(.text(text), at: milliseconds)
    }

    mutating func receive(_ message: WebSocketMessage, at milliseconds: Int64 = 0) -> [String] {
        run { $0.receive(message, at: ms(milliseconds), into: &$1) }
    }

    mutating func advance(to milliseconds: Int64) -> [String] {
        run { $0.advance(to: ms(milliseconds), into: &$1) }
    }

    mutating func emit(
        _ name: String, _ arguments: String? = nil, to namespace: String? = nil, wantsAck: Bool = false
    ) -> [String] {
        run {
            _ = $0.emit(name, arguments: arguments.map(json), namespace: namespace, wantsAck: wantsAck, into: &$1)
        }
    }

    mutating func emit(_ emission: SocketIO.Emission, at milliseconds: Int64 = 0) -> [String] {
        run { _ = $0.emit(emission, at: ms(milliseconds), into: &$1) }
    }

    mutating func run(_ step: (inout SocketIOClientMachine, inout [SocketIOClientMachine.Effect]) -> Void) -> [String] {
        var effects: [SocketIOClientMachine.Effect] = []
        step(&machine, &effects)
        return effects.map(\.line)
    }
}

/// A started server machine with its effects as lines.
struct ServerTranscript {
    var machine: SocketIOServer

    init(
        _ revision: EngineIO.Revision, namespaces: [String] = ["/", "/admin"], maxPayload: Int = 1_000_000,
        recoverySecret: String? = nil, asks: Bool = false
    ) {
        var configuration = SocketIOServer.Configuration(
            revision: revision, sid: recoverySecret ?? "engine-sid", maxPayload: maxPayload, namespaces: namespaces,
            recoverySecret: recoverySecret.map(Secret.init))
        configuration.asks = asks
        machine = SocketIOServer(configuration, openedAt: .zero)
    }

    /// A server whose client joined `/` at 0 ms (ping interval 25 s, timeout 20 s).
    static func joined(_ revision: EngineIO.Revision) -> ServerTranscript {
        var server = ServerTranscript(revision)
        _ = server.start()
        if revision == .v4 { _ = server.receive("40") }
        return server
    }

    mutating func start() -> [String] { run { $0.start(into: &$1) } }

    mutating func receive(_ text: String, at milliseconds: Int64 = 0) -> [String] {
        receive(.text(text), at: milliseconds)
    }

    mutating func receive(_ message: WebSocketMessage, at milliseconds: Int64 = 0) -> [String] {
        run { $0.receive(message, at: ms(milliseconds), into: &$1) }
    }

    mutating func advance(to milliseconds: Int64) -> [String] {
        run { $0.advance(to: ms(milliseconds), into: &$1) }
    }

    mutating func run(_ step: (inout SocketIOServer, inout [SocketIOServer.Effect]) -> Void) -> [String] {
        var effects: [SocketIOServer.Effect] = []
        step(&machine, &effects)
        return effects.map(\.line)
    }
}

let openPacket = #"0{"sid":"engine","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}"#

func ms(_ milliseconds: Int64) -> Moment { Moment(microseconds: milliseconds * 1000) }

func json(_ text: String) -> RawJSON { RawJSON(unchecked: ArraySlice(text.utf8)) }

extension WebSocketMessage {
    var line: String {
        switch self {
        case .text(let bytes): String(decoding: bytes, as: UTF8.self)
        case .binary(let bytes): "binary \(Array(bytes))"
        }
    }
}

extension SocketIO.Event {
    /// `event NAMESPACE NAME ARGUMENT|ARGUMENT ack ID`
    var line: String {
        let texts = arguments.map(\.description)
        let ack = ackID.map { " ack \($0)" } ?? ""
        return
            "event \(namespace) \(name) \(texts.joined(separator: "|"))\(ack)\(hasOffset ? " offset" : "")\(shown(attachments))"
    }
}

/// A namespace within a line: nothing for the default one.
private func shown(_ namespace: String) -> String { namespace == "/" ? "" : " " + namespace }

/// Attachments at the end of a line: nothing, or ` with [1, 2] [3]`.
private func shown(_ attachments: [ArraySlice<UInt8>]) -> String {
    attachments.isEmpty ? "" : " with " + attachments.map { "\(Array($0))" }.joined(separator: " ")
}

extension SocketIOClientMachine.Effect {
    var line: String {
        switch self {
        case .send(let message): "send \(message.line)"
        case .connected(let joined):
            "connected \(joined.handshake.sid)\(shown(joined.namespace))\(joined.isRecovered ? " recovered" : "")"
        case .refused(let namespace, let refusal):
            "refused\(shown(namespace)) \(refusal.message)\(refusal.data.map { " \($0)" } ?? "")"
        case .event(let event): event.line
        case .acknowledged(let answer):
            "acknowledged\(shown(answer.namespace)) \(answer.id) \(answer.arguments)\(shown(answer.attachments))"
        case .unacknowledged(let namespace, let id, let cause): "unacknowledged\(shown(namespace)) \(id) \(cause)"
        case .dropped(let dropped):
            "dropped\(shown(dropped.namespace)) \(dropped.emission.name)\(dropped.id.map { " \($0)" } ?? "") \(dropped.cause)"
        case .disconnected(let namespace): "disconnected\(shown(namespace))"
        case .malformed(let error): "malformed at \(error.offset ?? -1): \(error.message)"
        case .close(.notEngineIO(let error)): "close notEngineIO at \(error.offset ?? -1): \(error.message)"
        case .close(.outOfStep(let error)): "close outOfStep at \(error.offset ?? -1): \(error.message)"
        case .close(let cause): "close \(cause)"
        }
    }
}

extension SocketIOServer.Effect {
    var line: String {
        switch self {
        case .send(let message): "send \(message.line)"
        case .connected(let namespace, let auth): "connected \(namespace)\(auth.map { " \($0)" } ?? "")"
        case .event(let event): event.line
        case .acknowledged(let answer):
            "acknowledged \(answer.namespace) \(answer.id) \(answer.arguments)\(shown(answer.attachments))"
        case .unacknowledged(let namespace, let id): "unacknowledged \(namespace) \(id)"
        case .joinAsked(let namespace, let auth): "joinAsked \(namespace) \(auth?.description ?? "")"
        case .recoveryAsked(let namespace, let pid, let offset, _): "recoveryAsked \(namespace) \(pid) \(offset)"
        case .disconnected(let namespace): "disconnected \(namespace)"
        case .close(let ending): "close \(ending.cause)"
        }
    }
}
