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

    /// Asks which era it is: the newer one knows the answer, the older one says 404.
    package static let probe = RESTCall(.get, "/internal/services/general/v1/server")

    /// The era that an answer to `probe` means; nil when it tells nothing.
    package static func era(status: Int) -> TwakeEra? {
        switch status {
        case 200..<300: .b
        case 404, 410: .a
        default: nil
        }
    }

    /// Logs in with a name, or an address, and a password.
    package static func login(_ era: TwakeEra, user: String, password: Secret) -> RESTCall {
        switch era {
        case .a:
            RESTCall(
                .post, "/internal/mobile/authorize",
                body: JSONValue.fields([
                    "username": .string(user), "password": .string(password.reveal()), "device": .string("android"),
                    "timezoneoffset": .integer(0), "fcm_token": .string(""),
                ]).bytes)
        case .b:
            RESTCall(
                .post, "/internal/services/console/v1/login",
                body: JSONValue.fields(["email": .string(user), "password": .string(password.reveal())]).bytes)
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
    package static func whoami(_ era: TwakeEra) -> RESTCall {
        switch era {
        case .a: RESTCall(.get, "/internal/mobile/user")
        case .b: RESTCall(.get, "/internal/services/users/v1/users/me")
        }
    }

    /// The answer to `whoami`.
    package static func account(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> Twake.Account {
        try Twake.account(from: body)
    }

    /// Tells the server that one goes; nil where it has nothing to be told.
    package static func logout(_ era: TwakeEra) -> RESTCall? {
        switch era {
        case .a: RESTCall(.post, "/internal/mobile/logout", body: JSONValue.fields(["fcm_token": .string("")]).bytes)
        case .b: nil
        }
    }

    /// The server's words in a refusal, or its status. Untrusted.
    package static func refusal(status: Int, body: ArraySlice<UInt8>) -> String {
        let words = (try? JSONValue(parsing: body)).flatMap { $0["message"]?.text ?? $0["error"]?.text } ?? ""
        return words.isEmpty ? "HTTP status \(status)" : String(words.prefix(300))
    }
}
