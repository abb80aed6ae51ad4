import JSONText

extension EngineIO {
    /// The reasons for which a server refuses a request, with the texts of the JavaScript server
    /// (Engine.IO EIO-32). The raw value is the error code.
    public enum Refusal: Int, Hashable, Sendable, CaseIterable {
        case transportUnknown, sessionUnknown, badHandshakeMethod, badRequest, forbidden, unsupportedVersion

        /// The JavaScript server's text for this reason.
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

        /// The response to a request that is not a WebSocket handshake.
        public var response: Response {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("code", rawValue)
            writer.member("message", message)
            writer.endObject()
            return Response(
                status: self == .forbidden ? 403 : 400, contentType: "application/json", body: writer.bytes)
        }

        /// The response to a WebSocket handshake: always status 400, with the plain text.
        public var upgradeResponse: Response {
            Response(status: 400, contentType: "text/html", body: Array(message.utf8))
        }
    }

    /// The server's response to one HTTP request.
    public struct Response: Hashable, Sendable {
        /// The HTTP status code, such as 200.
        public var status: Int
        /// The content type, or `nil` for a response without a body.
        public var contentType: String?
        /// The bytes of the body; empty if there is none.
        public var body: [UInt8]
        /// Whether caches must not store the response.
        public var isUncached: Bool
        /// Creates a response. By default it has no body and may be cached.
        public init(status: Int, contentType: String? = nil, body: [UInt8] = [], isUncached: Bool = false) {
            self.status = status
            self.contentType = contentType
            self.body = body
            self.isUncached = isUncached
        }

        /// The headers of the response, except `Content-Length`.
        public var headers: [(name: String, value: String)] {
            let type = contentType.map { [(name: "Content-Type", value: $0)] } ?? []
            return type + (isUncached ? [(name: "cache-control", value: "no-store")] : [])
        }
    }
}
