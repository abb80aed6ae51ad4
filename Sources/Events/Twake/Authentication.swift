extension Twake {
    /// The answer to a login or a token renewal (Twake TW-67). All times are seconds on the wire.
    ///
    /// Both tokens are secrets: they do not appear when the value is printed or reflected.
    package struct Authentication: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
        /// The access token, which requests carry and with which the socket is authenticated.
        package var token: String
        /// The time the access token expires. A socket that is already authenticated outlives it.
        package var expiration: Timestamp
        /// The token with which to request the next access token. It may be used more than once.
        package var refreshToken: String?
        /// The time the refresh token expires.
        package var refreshExpiration: Timestamp?
        /// The time the server issued the tokens (B).
        package var issuedAt: Timestamp?

        /// Returns whether the access token must be renewed: it expires within `margin` milliseconds from `now`. The
        /// app renewed ten minutes ahead.
        package func isDue(at now: Timestamp, margin: Int64 = 600_000) -> Bool {
            let (limit, overflows) = now.milliseconds.addingReportingOverflow(margin)
            return overflows || expiration.milliseconds < limit
        }

        /// The time the access token expires, without the tokens.
        package var description: String { "tokens until \(expiration.milliseconds)" }

        /// The times of expiry, without the tokens.
        package var customMirror: Mirror {
            Mirror(self, children: ["expiration": expiration, "refreshExpiration": refreshExpiration as Any])
        }
    }
}
