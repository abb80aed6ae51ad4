extension GroupMe {
    /// What said a message (1.9, 1.10).
    public struct SenderType: WireEnumeration {
        /// `user`: a person.
        public static var user: Self { "user" }
        /// `bot`.
        public static var bot: Self { "bot" }
        /// `system`: the server.
        public static var system: Self { "system" }
        /// `service`: the server's calendar and the like.
        public static var service: Self { "service" }

        /// The name as it was written.
        public let wireName: String
        /// The value the wire calls `name`.
        public init(wire name: String) { wireName = name }
    }

    /// In which role a message was deleted (2.3): never an id.
    public struct DeletionActor: WireEnumeration {
        /// `sender`: who said it.
        public static var sender: Self { "sender" }
        /// `admin`: somebody who may delete what others say.
        public static var admin: Self { "admin" }
        /// `system`: the server.
        public static var system: Self { "system" }

        /// The name as it was written.
        public let wireName: String
        /// The value the wire calls `name`.
        public init(wire name: String) { wireName = name }
    }

    /// Who may join a group and speak in it (3.3).
    public struct GroupType: WireEnumeration {
        /// `private`: any member adds others.
        public static var `private`: Self { "private" }
        /// `closed`: only its admins add others.
        public static var closed: Self { "closed" }
        /// `announcement`: only its admins speak.
        public static var announcement: Self { "announcement" }

        /// The name as it was written.
        public let wireName: String
        /// The value the wire calls `name`.
        public init(wire name: String) { wireName = name }
    }

    /// What a member of a group is besides a member (3.3).
    public struct Role: WireEnumeration {
        /// `admin`.
        public static var admin: Self { "admin" }
        /// `owner`.
        public static var owner: Self { "owner" }
        /// `user`: no more than a member.
        public static var user: Self { "user" }

        /// The name as it was written.
        public let wireName: String
        /// The value the wire calls `name`.
        public init(wire name: String) { wireName = name }
    }

    /// How the user stands to a group (3.3, `/memberships/states`).
    package struct MembershipState: WireEnumeration {
        /// `active`: a member.
        package static var active: Self { "active" }
        /// `exited`: left.
        package static var exited: Self { "exited" }
        /// `removed`: was removed.
        package static var removed: Self { "removed" }
        /// `exited_removed`: left, and may not come back.
        package static var exitedRemoved: Self { "exited_removed" }
        /// `pending`: asked to join.
        package static var pending: Self { "pending" }

        /// The name as it was written.
        package let wireName: String
        /// The value the wire calls `name`.
        package init(wire name: String) { wireName = name }
    }
}

extension GroupMe.Role: FieldScalar {}
extension GroupMe.GroupType: FieldScalar {}
extension GroupMe.MembershipState: FieldScalar {}
