import JSONText
import Wire

/// What the Engine.IO endpoint says to a request before there is a session (`reference/socketio.md` 1.1, 1.8).
enum HandshakeVerdict: Hashable, Sendable {
    case accepted(EngineIO.Revision)
    /// Not the endpoint's path.
    case elsewhere
    /// Refused with 400, and the JavaScript server's code and words.
    case refused(code: Int64, message: String)

    /// The endpoint's path; the check is one of prefix.
    static let path = "/socket/"

    init(method: String, path: String, query: String, isUpgrade: Bool) {
        guard path.hasPrefix(Self.path) else {
            self = .elsewhere
            return
        }
        let pairs = PercentText.pairs(query)
        func value(_ name: String) -> String? { pairs.first { $0.name == name }?.value }
        // The JavaScript server's order of checks.
        if value("transport") != "websocket" {
            self = .refused(code: 0, message: "Transport unknown")
        } else if value("sid") != nil {
            self = .refused(code: 1, message: "Session ID unknown")
        } else if method != "GET" {
            self = .refused(code: 2, message: "Bad handshake method")
        } else if !isUpgrade {
            self = .refused(code: 3, message: "Bad request")
        } else if let revision = value("EIO").flatMap({ Int($0) }).flatMap(EngineIO.Revision.init) {
            self = .accepted(revision)
        } else {
            self = .refused(code: 5, message: "Unsupported protocol version")
        }
    }

    /// The body of a refusal to a plain request. (A refused upgrade gets the bare message.)
    static func body(code: Int64, message: String) -> [UInt8] {
        Array(JSONValue.fields(["code": .integer(code), "message": .string(message)]).raw.bytes)
    }
}
