import Wire

/// An Engine.IO endpoint's decision about a request, before it acts on it (Engine.IO EIO-1, EIO-32).
enum EndpointVerdict: Hashable, Sendable {
    /// The request is not for the endpoint's path.
    case elsewhere
    case refused(EngineIO.Refusal)
    /// A handshake. `isBase64` means that the client requested base64 instead of binary data.
    case opens(EngineIO.Revision, isBase64: Bool)
    /// A request of the session with this id.
    case belongs(sid: String)

    /// Decides about a request. `transport` returns the current transport of a session by its id. The path only needs
    /// the endpoint's path as a prefix.
    init(
        method: String, path: String, query: String, isUpgrade: Bool, endpoint: String,
        transport: (String) -> EngineIOServerTransport.Transport?
    ) {
        guard path.hasPrefix(endpoint) else {
            self = .elsewhere
            return
        }
        let pairs = PercentText.pairs(query)
        func value(_ name: String) -> String? { pairs.first { $0.name == name }?.value }
        // The checks have the same order as in the JavaScript server.
        guard let asked = value("transport").flatMap(Self.transport) else {
            self = .refused(.transportUnknown)
            return
        }
        if let sid = value("sid"), !sid.isEmpty {
            self = Self.verdict(on: sid, asked, isUpgrade: isUpgrade, transport(sid))
        } else if method != "GET" {
            self = .refused(.badHandshakeMethod)
        } else if isUpgrade != (asked == .webSocket) {
            self = .refused(.badRequest)
        } else if let revision = value("EIO").flatMap({ Int($0) }).flatMap(EngineIO.Revision.init) {
            self = .opens(revision, isBase64: value("b64").map { !$0.isEmpty } ?? false)
        } else {
            self = .refused(.unsupportedVersion)
        }
    }

    private static func transport(_ name: String) -> EngineIOServerTransport.Transport? {
        switch name {
        case "polling": .polling
        case "websocket": .webSocket
        default: nil
        }
    }

    private static func verdict(
        on sid: String, _ asked: EngineIOServerTransport.Transport, isUpgrade: Bool,
        _ ridesOn: EngineIOServerTransport.Transport?
    ) -> EndpointVerdict {
        guard let ridesOn else { return .refused(.sessionUnknown) }
        let fits = isUpgrade ? asked == .webSocket : asked == ridesOn && asked == .polling
        return fits ? .belongs(sid: sid) : .refused(.badRequest)
    }
}
