import WeirJSON

extension EngineIO {
    /// The reasons for which a server refuses a request, with the texts of the JavaScript server
    /// (Engine.IO EIO-32). The raw value is the error code.
    package enum Refusal: Int, Hashable, Sendable, CaseIterable {
        case transportUnknown, sessionUnknown, badHandshakeMethod, badRequest, forbidden, unsupportedVersion

        /// The JavaScript server's text for this reason.
        package var message: String {
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
        package var response: Response {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("code", rawValue)
            writer.member("message", message)
            writer.endObject()
            return Response(
                status: self == .forbidden ? 403 : 400, contentType: "application/json", body: writer.bytes)
        }

        /// The response to a WebSocket handshake: always status 400, with the plain text.
        package var upgradeResponse: Response {
            Response(status: 400, contentType: "text/html", body: Array(message.utf8))
        }
    }

    /// The server's response to one HTTP request.
    package struct Response: Hashable, Sendable {
        /// The HTTP status code, such as 200.
        package var status: Int
        /// The content type, or `nil` for a response without a body.
        package var contentType: String?
        /// The bytes of the body; empty if there is none.
        package var body: [UInt8]
        /// Whether caches must not store the response.
        package var isUncached: Bool
        /// Creates a response. By default it has no body and may be cached.
        package init(status: Int, contentType: String? = nil, body: [UInt8] = [], isUncached: Bool = false) {
            self.status = status
            self.contentType = contentType
            self.body = body
            self.isUncached = isUncached
        }

        /// The headers of the response, except `Content-Length`.
        package var headers: [(name: String, value: String)] {
            let type = contentType.map { [(name: "Content-Type", value: $0)] } ?? []
            return type + (isUncached ? [(name: "cache-control", value: "no-store")] : [])
        }
    }
}

extension EngineIO {
    /// The response of a server that refuses a request (Engine.IO EIO-32).
    package struct ServerError: Hashable, Sendable {
        /// The HTTP status code of the response.
        package var status: Int
        /// Engine.IO's error code. Only JavaScript servers send one.
        package var code: Int?
        /// The server's error text: one line, shortened, untrusted. `nil` if the response contains none.
        package var text: String?

        /// The number of bytes of a body that are worth reading.
        package static let longestBody = 4096
        private static let longestText = 200

        /// Creates an error from the body of a response: `{"code":n,"message":"…"}` from a JavaScript server, a JSON
        /// string from a Python server, or any text.
        package init(status: Int, body: ArraySlice<UInt8>) {
            self.status = status
            let body = body.prefix(Self.longestBody)
            if let (code, message) = Self.object(body) {
                self.code = code
                text = message.flatMap(Self.line)
            } else if body.first(where: { $0 > 0x20 }) != UInt8(ascii: "<") {
                // An HTML page is not suitable for a one-line message.
                text = Self.line(Self.string(body) ?? String(decoding: body, as: UTF8.self))
            }
        }

        /// Creates an error from the start of an HTTP response. Returns `nil` if the bytes are not HTTP.
        package init?(answer: ArraySlice<UInt8>) {
            let text = String(decoding: answer.prefix(Self.longestBody), as: UTF8.self)
            let line = text.utf8.prefix { $0 != UInt8(ascii: "\r") }.split(separator: UInt8(ascii: " "), maxSplits: 2)
            guard text.hasPrefix("HTTP/1."), line.count > 1, let status = Int(Substring(line[1])) else { return nil }
            var body = Substring(line.count > 2 ? Substring(line[2]) : "")
            if let gap = text.firstRange(of: "\r\n\r\n"), gap.upperBound < text.endIndex {
                body = text[gap.upperBound...]
            }
            self.init(status: status, body: ArraySlice(body.utf8))
        }

        /// Whether an immediate new handshake helps, because the server does not know the session (any more).
        package var isSessionLost: Bool {
            guard status == 400 else { return false }
            return code == 1 || (text?.hasPrefix("Invalid session") ?? false)
                || (text?.contains("Session is disconnected") ?? false)
        }

        /// Whether the server does not support the requested revision.
        package var isUnsupportedRevision: Bool {
            guard status == 400 else { return false }
            return code == 5 || (text?.hasPrefix("Unsupported protocol version") ?? false)
                || (text?.contains("unsupported version of the Socket.IO or Engine.IO") ?? false)
        }

        /// Returns whether another attempt can help. `detectsRevision` tells whether the requested revision was a
        /// guess.
        package func retry(detectsRevision: Bool) -> Reconnection {
            if isSessionLost { return .atOnce }
            if isUnsupportedRevision { return detectsRevision ? .withRevision(.v3) : .never }
            return status == 403 ? .never : .later
        }

        /// One line for people; the text in it is untrusted.
        package var message: String {
            var words = "HTTP status \(status)"
            if let text { words += ": \(text)" }
            if let code { words += " (code \(code))" }
            return words
        }

        private static func object(_ body: ArraySlice<UInt8>) -> (code: Int?, message: String?)? {
            var (code, message): (Int?, String?)
            do throws(JSONError) {
                var reader = JSONReader(body.span)
                guard try reader.peek() == .object else { return nil }
                try reader.beginObject()
                while let key = try reader.nextKey() {
                    switch try reader.peek() {
                    case .number where reader.matches(key, "code"): code = Int(exactly: try reader.double())
                    case .string where reader.matches(key, "message"): message = try reader.string()
                    default: try reader.skip()
                    }
                }
                try reader.end()
            } catch {
                return nil
            }
            return (code, message)
        }

        private static func string(_ body: ArraySlice<UInt8>) -> String? {
            do throws(JSONError) {
                var reader = JSONReader(body.span)
                guard try reader.peek() == .string else { return nil }
                let text = try reader.string()
                try reader.end()
                return text
            } catch {
                return nil
            }
        }

        /// Returns one line of the peer's text without control characters, or `nil` if only white space is left.
        private static func line(_ text: String) -> String? {
            var scalars = String.UnicodeScalarView()
            for scalar in text.unicodeScalars.prefix(longestText) {
                let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                scalars.append(isControl ? " " : scalar)
            }
            let blank = Unicode.Scalar(" ")
            guard let end = scalars.lastIndex(where: { $0 != blank }) else { return nil }
            return String(String.UnicodeScalarView(scalars[...end].drop { $0 == blank }))
        }
    }
}
