extension Twake {
    /// One user's presence (1.6).
    public struct OnlineStatus: Hashable, Sendable {
        /// The user.
        public var user: EntityID
        /// Whether the server holds the user for present.
        public var isOnline: Bool

        /// The presence of a user.
        public init(user: EntityID, isOnline: Bool) {
            self.user = user
            self.isOnline = isOnline
        }
    }

    /// A room the era A list offers (2.2).
    public struct SocketIORoom: Hashable, Sendable {
        /// What a room is for.
        public enum Kind: Hashable, Sendable {
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
            case unknown(String)

            /// The kind the wire calls `name`; upper case before 2021-05-27.
            public init(wire name: String) {
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
            public var wireName: String {
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
        public var key: String
        /// What the room is for.
        public var kind: Kind
        /// The channel's id, or `public`, `private`, `direct`, in lower case whatever the wire's.
        public var id: String

        /// A room of the list.
        public init(key: String, kind: Kind, id: String) {
            self.key = key
            self.kind = kind
            self.id = id
        }
    }

    /// The user (era A `/user`, era B `users/me`), as far as the pipeline needs it.
    public struct Account: Hashable, Sendable {
        /// The user's id.
        public var id: EntityID
        /// The display name: first and last name, else the user name, else the address, else the id.
        public var name: String

        /// A user.
        public init(id: EntityID, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// A company or a workspace in a list.
    public struct Place: Hashable, Sendable {
        /// The id of the company or workspace.
        public var id: EntityID
        /// Its name; empty when not sent.
        public var name: String

        /// A company or a workspace.
        public init(id: EntityID, name: String) {
            self.id = id
            self.name = name
        }
    }
}
