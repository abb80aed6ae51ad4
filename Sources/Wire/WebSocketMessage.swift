/// One whole WebSocket message, as received or to be sent.
public enum WebSocketMessage: Hashable, Sendable {
    /// A text message; the bytes are UTF-8.
    case text(ArraySlice<UInt8>)
    /// A binary message.
    case binary(ArraySlice<UInt8>)

    /// A text message of a string.
    public static func text(_ string: String) -> WebSocketMessage { .text(ArraySlice(string.utf8)) }

    /// The payload, whatever its kind.
    public var bytes: ArraySlice<UInt8> {
        switch self {
        case .text(let bytes), .binary(let bytes): bytes
        }
    }
}

/// How a WebSocket ended: the close code of RFC 6455 section 7.4 (1005 none given, 1006 cut off) and its text.
public struct WebSocketClose: Hashable, Sendable {
    /// The close code.
    public var code: UInt16
    /// The reason the peer gave; untrusted text.
    public var reason: String
    /// What the transport knows about connecting again.
    public var retry: Reconnection
    /// A close.
    public init(code: UInt16, reason: String = "", retry: Reconnection = .later) {
        self.code = code
        self.reason = reason
        self.retry = retry
    }
}
