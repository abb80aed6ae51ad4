/// The reason why a connection could not be established, and the step that failed.
public struct ConnectFailure: Error, Hashable, Sendable {
    /// The steps of connecting, in order.
    ///
    /// `token` means that a secret was not available. `handshake` is the upgrade request or the first polling request,
    /// and everything after it.
    public enum Phase: String, Hashable, Sendable {
        case token, resolve, connect, tls, proxy, handshake
    }
    /// The step at which it failed.
    public var phase: Phase
    /// The HTTP status of a refused handshake.
    public var httpStatus: Int?
    /// Engine.IO's error code, if the server sent one (Engine.IO EIO-32).
    public var code: Int?
    /// The server's error text, if any: one line, shortened, untrusted.
    public var text: String?
    /// One line for people, without secrets. It may contain text from the peer.
    public var message: String
    /// Whether and when another attempt can help.
    public var retry: Reconnection
    /// Whether a server answered in a protocol other than the expected one.
    public var isForeign: Bool
    /// Creates a failure. By default, another attempt may help after a while.
    public init(
        phase: Phase, httpStatus: Int? = nil, code: Int? = nil, text: String? = nil, message: String,
        retry: Reconnection = .later, isForeign: Bool = false
    ) {
        self.phase = phase
        self.httpStatus = httpStatus
        self.code = code
        self.text = text
        self.message = message
        self.retry = retry
        self.isForeign = isForeign
    }
}

/// What is known about reconnecting after a connection failed or ended.
public enum Reconnection: Hashable, Sendable {
    /// Another attempt may help after a while.
    case later
    /// The server asks the client to wait this long before it reconnects (Retry-After).
    case after(seconds: Int)
    /// The server is available, but has forgotten the session or violated the protocol. A new handshake helps and need
    /// not wait.
    case atOnce
    /// The server uses this revision of Engine.IO. Reconnect with it at once.
    case withRevision(EngineIO.Revision)
    /// The server refused permanently; do not reconnect.
    case never
}

extension Reconnection {
    /// Creates a value from the seconds of a Retry-After header; `nil` means that the answer contains none.
    public init(afterSeconds seconds: Int?) { self = seconds.map { .after(seconds: $0) } ?? .later }

    /// The server's Retry-After request as a phrase for messages; empty if there is none.
    public var words: String { if case .after(let seconds) = self { ", and requests \(seconds) s" } else { "" } }
}

extension Reconnection: RawRepresentable {
    /// Creates a value from its name in recordings. Returns `nil` for an unknown name.
    public init?(rawValue: String) {
        switch rawValue {
        case "later": self = .later
        case "at-once": self = .atOnce
        case "eio3": self = .withRevision(.v3)
        case "eio4": self = .withRevision(.v4)
        case "never": self = .never
        default:
            guard rawValue.hasPrefix("after-"), let seconds = Int(rawValue.dropFirst(6)), seconds >= 0 else {
                return nil
            }
            self = .after(seconds: seconds)
        }
    }

    /// The value's name in recordings.
    public var rawValue: String {
        switch self {
        case .later: "later"
        case .after(let seconds): "after-\(seconds)"
        case .atOnce: "at-once"
        case .withRevision(.v3): "eio3"
        case .withRevision(.v4): "eio4"
        case .never: "never"
        }
    }
}
