extension Twake {
    /// What a login or a renewal is answered with (4.2). All times are seconds on the wire.
    ///
    /// Both tokens are secrets: they are not shown when the value is printed or reflected.
    package struct Authentication: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
        /// The access token: what requests carry and the socket is authenticated with.
        package var token: String
        /// When the access token ends. A socket that was authenticated outlives it.
        package var expiration: Timestamp
        /// What the next token is asked for with. It may be used more than once.
        package var refreshToken: String?
        /// When the refresh token ends.
        package var refreshExpiration: Timestamp?
        /// When the server made it (B).
        package var issuedAt: Timestamp?

        /// Whether the access token is to be renewed: it ends within `margin` milliseconds from `now`. The app renewed ten minutes ahead.
        package func isDue(at now: Timestamp, margin: Int64 = 600_000) -> Bool {
            let (limit, overflows) = now.milliseconds.addingReportingOverflow(margin)
            return overflows || expiration.milliseconds < limit
        }

        /// When it ends; not the tokens.
        package var description: String { "tokens until \(expiration.milliseconds)" }

        /// The times; not the tokens.
        package var customMirror: Mirror {
            Mirror(self, children: ["expiration": expiration, "refreshExpiration": refreshExpiration as Any])
        }
    }

    /// A thread as its maker is answered (B, `POST …/threads`).
    package struct Thread: Hashable, Sendable {
        /// The thread's id, which is its head message's.
        package var id: EntityID
        /// Who began it.
        package var createdBy: EntityID?
        /// When it was begun.
        package var createdAt: Timestamp?
        /// When it last changed.
        package var updatedAt: Timestamp?
        /// When something was last said in it.
        package var lastActivity: Timestamp?
        /// How many answers it has.
        package var answers: Int?
        /// Where it is read: its channel.
        package var participants: [Participant] = []
        /// Its head message.
        package var message: Message?

        /// Something a thread belongs to.
        package struct Participant: Hashable, Sendable {
            /// `channel` or `user`.
            package var type: String?
            /// The channel or the user.
            package var id: EntityID
            /// The company of the channel.
            package var company: EntityID?
            /// Its workspace; `direct` for directs.
            package var workspace: EntityID?
            /// When it was added.
            package var createdAt: Timestamp?
            /// Who added it.
            package var createdBy: EntityID?
        }
    }
}
