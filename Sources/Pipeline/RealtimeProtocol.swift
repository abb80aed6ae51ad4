public import Wire

/// The protocol that a realtime connection speaks.
public enum RealtimeProtocol: Hashable, Sendable, CustomStringConvertible {
    /// Socket.IO over this revision of Engine.IO.
    case socketIO(EngineIO.Revision)
    /// Version 1.0 of the Bayeux protocol.
    case bayeux
    /// Plain JSON messages, as a profile describes them.
    case json
    /// No realtime protocol: all information comes from REST services.
    case rest

    /// The revision of Engine.IO; `nil` for any other protocol.
    public var revision: EngineIO.Revision? {
        switch self {
        case .socketIO(let revision): revision
        case .bayeux, .json, .rest: nil
        }
    }

    /// The name of the protocol for people.
    public var description: String {
        switch self {
        case .socketIO(let revision): "Engine.IO \(revision.rawValue)"
        case .bayeux: "Bayeux \(Bayeux.version)"
        case .json: "plain WebSocket"
        case .rest: "REST alone"
        }
    }

    /// The name of the protocol in recordings.
    public var name: String {
        switch self {
        case .socketIO(let revision): "eio\(revision.rawValue)"
        case .bayeux: "bayeux"
        case .json: "json"
        case .rest: "rest"
        }
    }
}
