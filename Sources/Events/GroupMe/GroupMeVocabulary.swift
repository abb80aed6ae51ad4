extension GroupMe {
    /// What said a message (1.9, 1.10).
    public enum SenderType: WireEnumeration {
        /// `user`: a person.
        case user
        /// `bot`.
        case bot
        /// `system`: the server.
        case system
        /// `service`: the server's calendar and the like.
        case service
        /// A value this version does not know, as written; never one of the above.
        indirect case unknown(String)

        /// The type the wire calls `name`.
        public init(wire name: String) {
            self =
                switch name {
                case "user": .user
                case "bot": .bot
                case "system": .system
                case "service": .service
                default: .unknown(name)
                }
        }

        /// The wire's `sender_type`.
        public var wireName: String {
            switch self {
            case .user: "user"
            case .bot: "bot"
            case .system: "system"
            case .service: "service"
            case .unknown(let name): name
            }
        }
    }

    /// In which role a message was deleted (2.3): never an id.
    public enum DeletionActor: WireEnumeration {
        /// `sender`: who said it.
        case sender
        /// `admin`: somebody who may delete what others say.
        case admin
        /// `system`: the server.
        case system
        /// A value this version does not know, as written; never one of the above.
        indirect case unknown(String)

        /// The role the wire calls `name`.
        public init(wire name: String) {
            self =
                switch name {
                case "sender": .sender
                case "admin": .admin
                case "system": .system
                default: .unknown(name)
                }
        }

        /// The wire's `deletion_actor`.
        public var wireName: String {
            switch self {
            case .sender: "sender"
            case .admin: "admin"
            case .system: "system"
            case .unknown(let name): name
            }
        }
    }

    /// Who may join a group and speak in it (3.3).
    public enum GroupType: WireEnumeration {
        /// `private`: any member adds others.
        case `private`
        /// `closed`: only its admins add others.
        case closed
        /// `announcement`: only its admins speak.
        case announcement
        /// A value this version does not know, as written; never one of the above.
        indirect case unknown(String)

        /// The type the wire calls `name`.
        public init(wire name: String) {
            self =
                switch name {
                case "private": .private
                case "closed": .closed
                case "announcement": .announcement
                default: .unknown(name)
                }
        }

        /// The wire's `type`.
        public var wireName: String {
            switch self {
            case .private: "private"
            case .closed: "closed"
            case .announcement: "announcement"
            case .unknown(let name): name
            }
        }
    }

    /// What a member of a group is besides a member (3.3).
    public enum Role: WireEnumeration {
        /// `admin`.
        case admin
        /// `owner`.
        case owner
        /// `user`: no more than a member.
        case user
        /// A value this version does not know, as written; never one of the above.
        indirect case unknown(String)

        /// The role the wire calls `name`.
        public init(wire name: String) {
            self =
                switch name {
                case "admin": .admin
                case "owner": .owner
                case "user": .user
                default: .unknown(name)
                }
        }

        /// The wire's name of it.
        public var wireName: String {
            switch self {
            case .admin: "admin"
            case .owner: "owner"
            case .user: "user"
            case .unknown(let name): name
            }
        }
    }

    /// How the user stands to a group (3.3, `/memberships/states`).
    public enum MembershipState: WireEnumeration {
        /// `active`: a member.
        case active
        /// `exited`: left.
        case exited
        /// `removed`: was removed.
        case removed
        /// `exited_removed`: left, and may not come back.
        case exitedRemoved
        /// `pending`: asked to join.
        case pending
        /// A value this version does not know, as written; never one of the above.
        indirect case unknown(String)

        /// The state the wire calls `name`.
        public init(wire name: String) {
            self =
                switch name {
                case "active": .active
                case "exited": .exited
                case "removed": .removed
                case "exited_removed": .exitedRemoved
                case "pending": .pending
                default: .unknown(name)
                }
        }

        /// The wire's `state`.
        public var wireName: String {
            switch self {
            case .active: "active"
            case .exited: "exited"
            case .removed: "removed"
            case .exitedRemoved: "exited_removed"
            case .pending: "pending"
            case .unknown(let name): name
            }
        }
    }
}
