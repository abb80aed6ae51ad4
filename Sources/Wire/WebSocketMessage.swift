/// One whole WebSocket message, either received or to be sent.
public enum WebSocketMessage: Hashable, Sendable {
    /// A text message, whose bytes are UTF-8.
    case text(ArraySlice<UInt8>)
    /// A binary message, whose bytes may be anything.
    case binary(ArraySlice<UInt8>)

    /// Creates a text message from a string.
    public static func text(_ string: String) -> WebSocketMessage { .text(ArraySlice(string.utf8)) }

    /// The payload of either kind of message.
    public var bytes: ArraySlice<UInt8> {
        switch self {
        case .text(let bytes), .binary(let bytes): bytes
        }
    }
}

/// How a WebSocket ended: the close code of RFC 6455 section 7.4 and its reason. 1005 means that no code was sent, and
/// 1006 that the connection was cut off.
public struct WebSocketClose: Hashable, Sendable {
    /// The close code, received or generated.
    public var code: UInt16
    /// The reason that the peer sent. Untrusted text.
    public var reason: String
    /// Whether another attempt makes sense, as far as the transport knows.
    public var retry: Reconnection
    /// Creates a close. By default, another attempt may help after a while.
    public init(code: UInt16, reason: String = "", retry: Reconnection = .later) {
        self.code = code
        self.reason = reason
        self.retry = retry
    }
}
