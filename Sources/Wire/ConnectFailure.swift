/// Why a connection did not come about, and where on the way.
public struct ConnectFailure: Error, Hashable, Sendable {
    /// The steps, in order; `token`: a secret could not be had; `handshake` is the upgrade request, or the first polling request, and whatever follows it.
    public enum Phase: String, Hashable, Sendable {
        case token, resolve, connect, tls, proxy, handshake
    }
    /// The step that failed.
    public var phase: Phase
    /// The HTTP status of a refused handshake.
    public var httpStatus: Int?
    /// Engine.IO's number of the error, where the server gave one (`reference/socketio.md` 1.8).
    public var code: Int?
    /// The server's own words, when there are some: one line, shortened, untrusted.
    public var text: String?
    /// One line for people, without secrets; may hold text from the peer.
    public var message: String
    /// Whether another attempt can help.
    public var retry: Reconnection
    /// Whether a server answered, in another protocol than the expected one.
    public var isForeign: Bool
    /// A failure.
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

/// What is known about connecting again when a connection failed or ended.
public enum Reconnection: Hashable, Sendable {
    /// It may help after a while.
    case later
    /// The server asks not to be called before so many seconds are over (Retry-After).
    case after(seconds: Int)
    /// The server is there, and has forgotten the session or broke the protocol: a new handshake helps, and need not wait.
    case atOnce
    /// The server speaks that revision of Engine.IO: ask with it, at once.
    case withRevision(EngineIO.Revision)
    /// The server has refused for good.
    case never
}

extension Reconnection {
    /// What a Retry-After says, if there was one.
    public init(afterSeconds seconds: Int?) { self = seconds.map { .after(seconds: $0) } ?? .later }

    /// What a server asked for, for messages.
    public var words: String { if case .after(let seconds) = self { ", and asks for \(seconds) s" } else { "" } }
}

extension Reconnection: RawRepresentable {
    /// The name that recordings use; nil is returned for unknown ones.
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

    /// The name that recordings use.
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
