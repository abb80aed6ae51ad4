import Pipeline
import Wire

/// Decides what a session hears of traffic that something else captured. Of connections side by side it hears one, the first that brings
/// something that it understands; a capture may begin in the middle of a connection, and then what opens one is put before.
struct CapturedTraffic {
    /// What becomes of a message that was received.
    enum Verdict {
        /// It is for the open connection.
        case heard
        /// Its connection opens with it; the session is given these messages first.
        case opens(with: [WebSocketMessage])
        /// The connection that is open ended unseen, and it is the first of another: of the same number, as in a log that knows one.
        case opensAnew
        /// It is passed over; why, when it is the first of its connection to be.
        case passedOver(why: String?)
    }

    private let speaksBayeux: Bool
    private let namespace: String
    /// Connections that a message of was passed over.
    private var left: Set<Int> = []

    /// Of a session of this configuration.
    init(_ configuration: Configuration) {
        speaksBayeux = configuration.backend.speaksBayeux
        namespace = configuration.namespaces[0]
    }

    /// Decides on a message that `connection` received.
    mutating func judge(_ message: WebSocketMessage, of connection: Int, for session: Session) -> Verdict {
        if let open = session.openConnection {
            if open == connection { return !speaksBayeux && message.opensSocketIO ? .opensAnew : .heard }
            return passOver(connection, "was open beside connection \(open), which is played: what it received is")
        }
        guard case .text(let text) = message else { return passOver(connection, unknown) }
        return speaksBayeux ? judgeBayeux(text, of: connection) : judgeSocketIO(text, of: connection, session.revision)
    }

    private var unknown: String {
        "received what no \(speaksBayeux ? "Bayeux" : "Socket.IO") connection begins with: such messages of it are"
    }

    private mutating func judgeBayeux(_ text: ArraySlice<UInt8>, of connection: Int) -> Verdict {
        guard text.first == UInt8(ascii: "[") else { return passOver(connection, unknown) }
        // The ids of another client's requests are not ours, so that its own answers are not heeded. One without an id is.
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
        // Heartbeats, the upgrade of a transport, the end of what was not heard: nobody misses them.
        case let start where start.first.map { "1"..."6" ~= $0 } ?? false: .passedOver(why: nil)
        default: passOver(connection, unknown)
        }
    }

    private static let handshake = WebSocketMessage.text(
        #"0{"sid":"captured","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}"#)

    /// What a server answers to who joins the namespace; one of revision 3 has everybody in `/` first.
    private func joined(_ revision: EngineIO.Revision) -> [WebSocketMessage] {
        let name = namespace == "/" ? "" : namespace + ","
        switch revision {
        case .v3: return namespace == "/" ? [.text("40")] : [.text("40"), .text("40" + namespace)]
        case .v4: return [.text(#"40\#(name){"sid":"captured"}"#)]
        }
    }

    private mutating func passOver(_ connection: Int, _ why: String) -> Verdict {
        .passedOver(why: left.insert(connection).inserted ? "connection \(connection) \(why) passed over" : nil)
    }
}

extension WebSocketMessage {
    /// Whether it is the first of an Engine.IO session.
    fileprivate var opensSocketIO: Bool {
        if case .text(let text) = self { text.starts(with: "0{".utf8) } else { false }
    }
}
