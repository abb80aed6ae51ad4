import WeirPipeline
import WeirWire

/// Decides which captured messages a session receives, when another program captured the traffic.
///
/// If the capture contains parallel connections, the session receives one of them: the first that delivers a message it
/// understands. A capture may begin in the middle of a connection. The messages that open a connection are then
/// supplied before the first captured one.
struct CapturedTraffic {
    /// The decision on a received message.
    enum Verdict {
        /// The message belongs to the open connection.
        case heard
        /// The message opens its connection. The session first receives the given messages.
        case opens(with: [WebSocketMessage])
        /// The message is the first of a new connection with the number of the open one, whose end was not captured. A
        /// log with a single connection number produces this.
        case opensAnew
        /// The message is ignored. The reason is set only for the first ignored message of its connection.
        case passedOver(why: String?)
    }

    private let speaksBayeux: Bool
    private let namespace: String
    /// The connections with an ignored message. The reason is reported once per connection.
    private var left: Set<Int> = []

    /// Creates the state for a session with this configuration, before any message.
    init(_ configuration: Configuration) {
        speaksBayeux = configuration.backend.speaksBayeux
        namespace = configuration.namespaces[0]
    }

    /// Returns the decision on a message that `connection` received.
    mutating func judge(_ message: WebSocketMessage, of connection: Int, for session: Session) -> Verdict {
        if let open = session.openConnection {
            if open == connection { return !speaksBayeux && message.opensSocketIO ? .opensAnew : .heard }
            return passOver(
                connection, "was open at the same time as connection \(open), which is played: its messages were")
        }
        guard case .text(let text) = message else { return passOver(connection, unknown) }
        return speaksBayeux ? judgeBayeux(text, of: connection) : judgeSocketIO(text, of: connection, session.revision)
    }

    private var unknown: String {
        "does not begin like a \(speaksBayeux ? "Bayeux" : "Socket.IO") connection: its first messages were"
    }

    private mutating func judgeBayeux(_ text: ArraySlice<UInt8>, of connection: Int) -> Verdict {
        guard text.first == UInt8(ascii: "[") else { return passOver(connection, unknown) }
        // The session ignores an answer whose id it did not assign, such as the captured client's handshake. It accepts
        // an answer without an id, so the supplied one has none.
        return .opens(with: [
            .text(
                #"[{"channel":"/meta/handshake","successful":true,"version":"1.0","clientId":"captured","#
                    + #""supportedConnectionTypes":["websocket"]}]"#)
        ])
    }

    private mutating func judgeSocketIO(
        _ text: ArraySlice<UInt8>, of connection: Int, _ revision: EngineIO.Revision
    ) -> Verdict {
        switch String(decoding: text.prefix(2), as: UTF8.self) {
        case "0{": .opens(with: [])
        case "40": .opens(with: [Self.handshake])
        case "42", "45": .opens(with: [Self.handshake] + joined(revision))
        // Heartbeats, transport upgrades and the end of an unheard connection carry no events. They are ignored
        // silently.
        case let start where start.first.map { "1"..."6" ~= $0 } ?? false: .passedOver(why: nil)
        default: passOver(connection, unknown)
        }
    }

    private static let handshake = WebSocketMessage.text(
        #"0{"sid":"captured","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}"#)

    /// Returns the server's answers to joining the namespace. A server of revision 3 first joins every client to `/`.
    private func joined(_ revision: EngineIO.Revision) -> [WebSocketMessage] {
        let name = namespace == "/" ? "" : namespace + ","
        switch revision {
        case .v3: return namespace == "/" ? [.text("40")] : [.text("40"), .text("40" + namespace)]
        case .v4: return [.text(#"40\#(name){"sid":"captured"}"#)]
        }
    }

    private mutating func passOver(_ connection: Int, _ why: String) -> Verdict {
        .passedOver(why: left.insert(connection).inserted ? "connection \(connection) \(why) skipped" : nil)
    }
}

extension WebSocketMessage {
    /// Whether the message is the Engine.IO open packet, the first of a session.
    fileprivate var opensSocketIO: Bool {
        if case .text(let text) = self { text.starts(with: "0{".utf8) } else { false }
    }
}
