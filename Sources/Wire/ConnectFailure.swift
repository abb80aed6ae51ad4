/// Why a connection did not come about, and where on the way.
public struct ConnectFailure: Error, Hashable, Sendable {
    /// The steps, in order; `handshake` is the upgrade request and whatever follows it.
    public enum Phase: String, Hashable, Sendable {
        case resolve, connect, tls, proxy, handshake
    }
    /// The step that failed.
    public var phase: Phase
    /// The HTTP status of a refused handshake.
    public var httpStatus: Int?
    /// One line for people, without secrets; may hold text from the peer.
    public var message: String
    /// A failure.
    public init(phase: Phase, httpStatus: Int? = nil, message: String) {
        self.phase = phase
        self.httpStatus = httpStatus
        self.message = message
    }
}
