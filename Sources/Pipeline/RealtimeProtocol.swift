public import Wire

/// What is spoken on a realtime connection.
public enum RealtimeProtocol: Hashable, Sendable, CustomStringConvertible {
    /// Socket.IO, over Engine.IO of that revision.
    case socketIO(EngineIO.Revision)
    /// Bayeux 1.0.
    case bayeux
    /// Plain JSON messages, as a profile describes them.
    case json
    /// None: what there is to know is read from services.
    case rest

    /// The revision of Engine.IO; nil where none is spoken.
    public var revision: EngineIO.Revision? {
        switch self {
        case .socketIO(let revision): revision
        case .bayeux, .json, .rest: nil
        }
    }

    /// What people call it.
    public var description: String {
        switch self {
        case .socketIO(let revision): "Engine.IO \(revision.rawValue)"
        case .bayeux: "Bayeux \(Bayeux.version)"
        case .json: "plain WebSocket"
        case .rest: "REST alone"
        }
    }

    /// What recordings call it.
    public var name: String {
        switch self {
        case .socketIO(let revision): "eio\(revision.rawValue)"
        case .bayeux: "bayeux"
        case .json: "json"
        case .rest: "rest"
        }
    }
}
