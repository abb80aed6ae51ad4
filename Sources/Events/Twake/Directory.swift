extension Twake {
    /// One user's presence (1.6).
    public struct OnlineStatus: Hashable, Sendable {
        /// The user.
        public var user: EntityID
        /// Whether the server holds the user for present.
        public var isOnline: Bool
        /// The company the user is present in, where that is said. A server that says `toBeFetched` does not know it.
        public var company: EntityID?
        /// When the user was last seen, as far as an account says; events do not.
        public var lastSeen: Timestamp?

        /// The presence of a user.
        public init(user: EntityID, isOnline: Bool, company: EntityID? = nil) {
            self.user = user
            self.isOnline = isOnline
            self.company = company
        }
    }

    /// A room the era A list offers (2.2).
    package struct SocketIORoom: Hashable, Sendable {
        /// What a room is for.
        package enum Kind: WireEnumeration {
            /// `channels_list`: the channels of a workspace.
            case channelsList
            /// `directs_list`: the directs of a company.
            case directsList
            /// `notifications`: badges and desktop notifications of the user.
            case notifications
            /// `channel`: the messages of a channel.
            case channel
            /// `direct`: the messages of a direct.
            case direct
            /// A value this version does not know, as written; never one of the above.
            indirect case unknown(String)

            /// The kind the wire calls `name`; upper case before 2021-05-27.
            package init(wire name: String) {
                self =
                    switch name.lowercased() {
                    case "channels_list": .channelsList
                    case "directs_list": .directsList
                    case "notifications": .notifications
                    case "channel": .channel
                    case "direct": .direct
                    default: .unknown(name)
                    }
            }

            /// The wire's `type`, in lower case.
            package var wireName: String {
                switch self {
                case .channelsList: "channels_list"
                case .directsList: "directs_list"
                case .notifications: "notifications"
                case .channel: "channel"
                case .direct: "direct"
                case .unknown(let name): name
                }
            }
        }
        /// The room's name, the wire's `key`; opaque (`RoomName` reads it).
        package var key: String
        /// What the room is for.
        package var kind: Kind
        /// The channel's id, or `public`, `private`, `direct`, in lower case whatever the wire's.
        package var id: String
    }

    /// A company or a workspace in a list.
    package struct Place: Hashable, Sendable {
        /// The id of the company or workspace.
        package var id: EntityID
        /// Its name; empty when not sent.
        package var name: String
    }
}

extension Twake.OnlineStatus: FieldedEntity {
    package static let subject = "presence"
    package static let blank = Self(user: .none, isOnline: false)
    package static let fields: [Field<Self>] = [
        Field("user_id", at: \.user).required,
        Field("company_id", at: \.company),
        Field("online", wire: "is_online", at: \.isOnline).required,
        Field("last_seen", at: \.lastSeen).kept,
    ]

    package mutating func complete() {
        if company == .text("toBeFetched") { company = nil }
    }
}

extension Twake.Place: FieldedEntity {
    package static let subject = "place"
    package static let blank = Self(id: .none, name: "")
    package static let fields: [Field<Self>] = [
        Field("id", at: \.id).required,
        Field("name", at: \.name),
    ]
}
