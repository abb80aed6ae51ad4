package import Events
import JSONText
public import Wire

/// Logging in, out, and asking who one is (4.2): requests and the reading of their answers, for a hand without a session.
public enum TwakeLogin {
    /// What a server of either era hands out.
    public struct Tokens: Sendable {
        /// Goes with every request.
        public var token: Secret
        /// Gets another one.
        public var refresh: Secret?
        /// When the token is over, unix seconds.
        public var expiration: Int64?
        /// When it cannot be refreshed any more, unix seconds.
        public var refreshExpiration: Int64?
    }

    /// One request of a hand.
    package struct Call: Hashable, Sendable {
        /// The method.
        package var method: String
        /// Path and query.
        package var target: String
        /// JSON text, or empty.
        package var body: [UInt8]

        init(_ method: String, _ target: RESTTarget, _ body: JSONValue? = nil) {
            self.method = method
            self.target = target.text
            self.body = body?.bytes ?? []
        }

        init(_ call: RESTCall) {
            method = call.method.rawValue
            target = call.target
            body = call.body
        }
    }

    /// The two generations of servers.
    public enum Era: String, Hashable, Sendable {
        /// Behind the mobile proxy.
        case a
        /// The core itself.
        case b
    }

    /// Asks which era it is: the newer one knows the answer, the older one says 404.
    package static let probe = Call("GET", "/internal/services/general/v1/server")

    /// The era that an answer to `probe` means; nil when it tells nothing.
    package static func era(status: Int) -> Era? {
        switch status {
        case 200..<300: .b
        case 404, 410: .a
        default: nil
        }
    }

    /// Logs in with a name, or an address, and a password.
    package static func login(_ era: Era, user: String, password: Secret) -> Call {
        switch era {
        case .a:
            Call(
                "POST", "/internal/mobile/authorize",
                .fields([
                    "username": .string(user), "password": .string(password.reveal()), "device": .string("android"),
                    "timezoneoffset": .integer(0), "fcm_token": .string(""),
                ]))
        case .b:
            Call(
                "POST", "/internal/services/console/v1/login",
                .fields(["email": .string(user), "password": .string(password.reveal())]))
        }
    }

    /// The answer to a login; nil when it is none.
    package static func tokens(from body: ArraySlice<UInt8>) -> Tokens? {
        guard let value = try? JSONValue(parsing: body) else { return nil }
        if let access = value["access_token"], let token = access["value"]?.text {
            return Tokens(
                token: Secret(token), refresh: access["refresh"]?.text.map { Secret($0) },
                expiration: access["expiration"]?.int64, refreshExpiration: access["refresh_expiration"]?.int64)
        }
        guard let token = value["token"]?.text else { return nil }
        return Tokens(
            token: Secret(token), refresh: value["refresh_token"]?.text.map { Secret($0) },
            expiration: value["expiration"]?.int64, refreshExpiration: value["refresh_expiration"]?.int64)
    }

    /// Asks who one is.
    package static func whoami(_ era: Era) -> Call {
        switch era {
        case .a: Call("GET", "/internal/mobile/user")
        case .b: Call("GET", "/internal/services/users/v1/users/me")
        }
    }

    /// The answer to `whoami`.
    package static func account(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> Twake.Account {
        try Twake.account(from: body)
    }

    /// Tells the server that one goes; nil where it has nothing to be told.
    package static func logout(_ era: Era) -> Call? {
        switch era {
        case .a: Call("POST", "/internal/mobile/logout", .fields(["fcm_token": .string("")]))
        case .b: nil
        }
    }

    /// The server's words in a refusal, or its status. Untrusted.
    package static func refusal(status: Int, body: ArraySlice<UInt8>) -> String {
        let words = (try? JSONValue(parsing: body)).flatMap { $0["message"]?.text ?? $0["error"]?.text } ?? ""
        return words.isEmpty ? "HTTP status \(status)" : String(words.prefix(300))
    }
}
