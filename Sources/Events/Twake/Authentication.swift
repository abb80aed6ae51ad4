extension Twake {
    /// What a login or a renewal is answered with (4.2). All times are seconds on the wire.
    ///
    /// Both tokens are secrets: they are not shown when the value is printed or reflected.
    public struct Authentication: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
        /// The access token: what requests carry and the socket is authenticated with.
        public var token: String
        /// When the access token ends. A socket that was authenticated outlives it.
        public var expiration: Timestamp
        /// What the next token is asked for with. It may be used more than once.
        public var refreshToken: String?
        /// When the refresh token ends.
        public var refreshExpiration: Timestamp?
        /// When the server made it (B).
        public var issuedAt: Timestamp?

        /// Whether the access token is to be renewed: it ends within `margin` milliseconds from `now`. The app renewed ten minutes ahead.
        public func isDue(at now: Timestamp, margin: Int64 = 600_000) -> Bool {
            let (limit, overflows) = now.milliseconds.addingReportingOverflow(margin)
            return overflows || expiration.milliseconds < limit
        }

        /// When it ends; not the tokens.
        public var description: String { "tokens until \(expiration.milliseconds)" }

        /// The times; not the tokens.
        public var customMirror: Mirror {
            Mirror(self, children: ["expiration": expiration, "refreshExpiration": refreshExpiration as Any])
        }
    }

    /// A thread as its maker is answered (B, `POST …/threads`).
    public struct Thread: Hashable, Sendable {
        /// The thread's id, which is its head message's.
        public var id: EntityID
        /// Who began it.
        public var createdBy: EntityID?
        /// When it was begun.
        public var createdAt: Timestamp?
        /// When it last changed.
        public var updatedAt: Timestamp?
        /// When something was last said in it.
        public var lastActivity: Timestamp?
        /// How many answers it has.
        public var answers: Int?
        /// Where it is read: its channel.
        public var participants: [Participant] = []
        /// Its head message.
        public var message: Message?

        /// Something a thread belongs to.
        public struct Participant: Hashable, Sendable {
            /// `channel` or `user`.
            public var type: String?
            /// The channel or the user.
            public var id: EntityID
            /// The company of the channel.
            public var company: EntityID?
            /// Its workspace; `direct` for directs.
            public var workspace: EntityID?
            /// When it was added.
            public var createdAt: Timestamp?
            /// Who added it.
            public var createdBy: EntityID?
        }
    }
}
