import JSONText

extension EngineIO {
    /// Why the server refuses a request, in the words of the JavaScript server (`reference/socketio.md` 1.8). The raw value is its code.
    public enum Refusal: Int, Hashable, Sendable, CaseIterable {
        case transportUnknown, sessionUnknown, badHandshakeMethod, badRequest, forbidden, unsupportedVersion

        /// What is said.
        public var message: String {
            switch self {
            case .transportUnknown: "Transport unknown"
            case .sessionUnknown: "Session ID unknown"
            case .badHandshakeMethod: "Bad handshake method"
            case .badRequest: "Bad request"
            case .forbidden: "Forbidden"
            case .unsupportedVersion: "Unsupported protocol version"
            }
        }

        /// The answer to a plain request.
        public var response: Response {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("code", rawValue)
            writer.member("message", message)
            writer.endObject()
            return Response(
                status: self == .forbidden ? 403 : 400, contentType: "application/json", body: writer.bytes)
        }

        /// The answer to a WebSocket handshake: always 400, and the bare words.
        public var upgradeResponse: Response {
            Response(status: 400, contentType: "text/html", body: Array(message.utf8))
        }
    }

    /// What the server answers to one HTTP request.
    public struct Response: Hashable, Sendable {
        /// The HTTP status.
        public var status: Int
        /// The content type; nil for an answer without a body.
        public var contentType: String?
        /// The body.
        public var body: [UInt8]
        /// Whether caches must not keep it.
        public var isUncached: Bool
        /// A response.
        public init(status: Int, contentType: String? = nil, body: [UInt8] = [], isUncached: Bool = false) {
            self.status = status
            self.contentType = contentType
            self.body = body
            self.isUncached = isUncached
        }

        /// The headers but for the length.
        public var headers: [(name: String, value: String)] {
            let type = contentType.map { [(name: "Content-Type", value: $0)] } ?? []
            return type + (isUncached ? [(name: "cache-control", value: "no-store")] : [])
        }
    }
}
