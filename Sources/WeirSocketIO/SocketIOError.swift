import WeirJSON
import WeirNetwork
import WeirWire

/// The errors of a `SocketIOClient`. Cancelled calls throw `CancellationError`.
public enum SocketIOError: Error, Hashable, Sendable {
    /// A URL, name, header or setting cannot be used, for this reason.
    case invalid(String)
    /// The system refuses a thread or a descriptor.
    case cannotStart(String)
    /// The client is not connected: `connect()` was not called, or the connection has ended.
    case notConnected
    /// The server could not be reached, or does not speak Socket.IO. `status` is the HTTP status of a refusal.
    case cannotConnect(String, status: Int?)
    /// The server refused a namespace. `message` and `data` are the server's.
    case refused(namespace: String, message: String, data: JSONValue?)
    /// The connection was lost, for this reason.
    case lost(String)
    /// The server removed the client, and the settings forbid returning.
    case removed
    /// The connection ended before the answer, or an event belongs to an earlier connection.
    case disconnected
    /// No answer came in time.
    case timeout
    /// Too much waits to be sent or to be acknowledged.
    case overflow
}

extension SocketIOError: CustomStringConvertible {
    /// The error as one line for people. It may contain the server's words.
    public var description: String {
        switch self {
        case .invalid(let reason), .cannotStart(let reason), .cannotConnect(let reason, _), .lost(let reason): reason
        case .notConnected: "the client is not connected"
        case .refused(let namespace, let message, _): "the server refused the namespace \(namespace): \(message)"
        case .removed: "the server disconnected the client"
        case .disconnected: "the connection ended before the answer"
        case .timeout: "no answer in time"
        case .overflow: "too much waits to be sent or acknowledged"
        }
    }
}

/// The states of a `SocketIOClient`'s connection, and what happens to it.
public enum SocketIOState: Hashable, Sendable {
    /// An attempt begins. `attempt` counts from 1 since the last success.
    case connecting(attempt: Int)
    /// The server accepted the client in a namespace. `id` is the server's id for the client; Engine.IO 3 does not send
    /// it. If the session is recovered, the missed events follow.
    case joined(namespace: String, id: String?, isRecovered: Bool)
    /// The server refused a namespace.
    case refused(namespace: String, message: String)
    /// The server removed the client from a namespace.
    case removed(namespace: String)
    /// The server sent a frame that is not valid. The client ignored it.
    case malformed(String)
    /// The connection was lost or not established. The next attempt follows after `retryIn`.
    case waiting(retryIn: Duration, SocketIOError)
    /// The client does nothing more. The error is `nil` after `disconnect()`.
    case ended(SocketIOError?)
}

extension SocketIOError {
    init(_ loss: SocketIOReconnection.Loss) {
        switch loss {
        case .failed(let failure): self = .cannotConnect(failure.message, status: failure.httpStatus)
        case .closed(let close):
            let reason = close.reason.isEmpty ? "" : ": \(close.reason)"
            self = .lost("the server closed the connection with code \(close.code)\(reason)")
        case .protocolEnd(let cause): self.init(cause)
        }
    }

    private init(_ cause: SocketIOClientMachine.CloseCause) {
        switch cause {
        case .pingTimeout: self = .lost("the server was silent for too long")
        case .handshakeTimeout: self = .cannotConnect("no Socket.IO handshake in time", status: nil)
        case .notEngineIO(let malformed):
            self = .cannotConnect("not a Socket.IO server: \(malformed.message)", status: nil)
        case .revisionMismatch(let revision):
            self = .cannotConnect("the server uses Engine.IO \(revision.rawValue)", status: nil)
        case .outOfStep(let malformed): self = .lost("the server is out of step: \(malformed.message)")
        case .msgpack: self = .cannotConnect("the server uses the msgpack parser", status: nil)
        case .requested: self = .disconnected
        case .byServer: self = .lost("the server closed the session")
        }
    }

    /// The error for the end of a connection; `nil` if the application wanted it.
    static func error(for ending: SocketIOReconnection.Ending, namespace: String) -> SocketIOError? {
        switch ending {
        case .requested: nil
        case .refused(let failure): .cannotConnect(failure.message, status: failure.httpStatus)
        case .namespaceRefused(let refusal): .refused(refusal, namespace)
        case .disconnectedByServer: .removed
        case .gaveUp(_, let loss): SocketIOError(loss)
        }
    }

    static func refused(_ refusal: SocketIO.Refusal, _ namespace: String) -> SocketIOError {
        let data = refusal.data.flatMap { try? JSONValue(parsing: $0.bytes) }
        return .refused(namespace: namespace, message: refusal.message, data: data)
    }

    init(_ failure: AcknowledgementFailure) {
        switch failure {
        case .unacknowledged(.timeout), .notSent(.timeout): self = .timeout
        case .unacknowledged(.overflow), .notSent(.overflow): self = .overflow
        case .unacknowledged(.disconnected): self = .disconnected
        case .notSent(.notJoined), .notSent(.finished): self = .notConnected
        }
    }
}
