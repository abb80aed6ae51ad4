import Events
import JSONText
import Wire

/// The routes for login and logout (Twake TW-67).
extension EraA {
    static let tokenRoutes: [Route] = [
        Route("POST", "authorize", isPublic: true, authorize),
        Route("POST", "authorization/prolong", isPublic: true, prolong),
        Route("POST", "logout", logout),
    ]

    private static func authorize(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        let name = try call.requiredField("username")
        guard let user = backend.world.user(login: name), try call.requiredField("password") == EraB.password else {
            throw RESTError(status: 403, message: "Wrong credentials")
        }
        return RESTAnswer(value: backend.proxyToken(for: user.id, at: call))
    }

    private static func prolong(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        guard case .valid(let user) = backend.tokens.judge(try call.requiredField("refresh_token"), at: call.moment)
        else { throw RESTError(status: 403, message: "Wrong token") }
        return RESTAnswer(value: backend.proxyToken(for: user, at: call))
    }

    /// Answers a logout. The token stays valid, because the server keeps no list of tokens.
    private static func logout(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        RESTAnswer(value: .fields(["success": .bool(true)]))
    }
}

extension Backend {
    /// Returns era A's answer to a login. Times are Unix seconds (Twake TW-67).
    fileprivate func proxyToken(for user: EntityID, at call: RESTCall) -> JSONValue {
        let token = tokens.issue(for: user, at: call.moment, lifetime: tokenLifetime).reveal()
        let expiration = call.now / 1_000 + tokenLifetime.components.seconds
        let (refresh, end) = refreshToken(for: user, at: call)
        return .fields([
            "token": .string(token), "expiration": .integer(expiration), "refresh_token": .string(refresh),
            "refresh_expiration": .integer(end),
        ])
    }

    /// Returns a refresh token that is valid for a month, and its expiry in Unix seconds. It is an ordinary token, as
    /// on the real server.
    func refreshToken(for user: EntityID, at call: RESTCall) -> (token: String, end: Int64) {
        let life = Duration.seconds(2_592_000)
        let token = tokens.issue(for: user, at: call.moment, lifetime: life)
        return (token.reveal(), call.now / 1_000 + life.components.seconds)
    }
}
