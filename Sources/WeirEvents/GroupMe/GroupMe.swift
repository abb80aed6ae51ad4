/// The vocabulary of the GroupMe backend: what its push service and its REST service, version 3, send. Section numbers
/// refer to the protocol's sheet.
public enum GroupMe {}

extension GroupMe {
    /// The kind of sender of a message (GroupMe GM-11, GM-20).
    public struct SenderType: WireEnumeration {
        /// `user`: a person sent the message.
        public static var user: Self { "user" }
        /// `bot`: a bot sent the message.
        public static var bot: Self { "bot" }
        /// `system`: the server sent the message.
        public static var system: Self { "system" }
        /// `service`: the server's calendar or a similar service sent the message.
        public static var service: Self { "service" }

        /// The name as written on the wire.
        public let wireName: String
        /// Creates the value that the wire calls `name`.
        public init(wire name: String) { wireName = name }
    }

    /// The role of the user who deleted a message (GroupMe GM-25): never an id.
    public struct DeletionActor: WireEnumeration {
        /// `sender`: the author of the message.
        public static var sender: Self { "sender" }
        /// `admin`: a user who may delete the messages of others.
        public static var admin: Self { "admin" }
        /// `system`: the server deleted the message.
        public static var system: Self { "system" }

        /// The name as written on the wire.
        public let wireName: String
        /// Creates the value that the wire calls `name`.
        public init(wire name: String) { wireName = name }
    }

    /// The type of a group, which decides which users may join and write (GroupMe GM-30).
    public struct GroupType: WireEnumeration {
        /// `private`: any member may add others.
        public static var `private`: Self { "private" }
        /// `closed`: only admins may add others.
        public static var closed: Self { "closed" }
        /// `announcement`: only admins may write messages.
        public static var announcement: Self { "announcement" }

        /// The name as written on the wire.
        public let wireName: String
        /// Creates the value that the wire calls `name`.
        public init(wire name: String) { wireName = name }
    }

    /// The role of a member of a group (GroupMe GM-30).
    public struct Role: WireEnumeration {
        /// `admin`: the member administers the group.
        public static var admin: Self { "admin" }
        /// `owner`: the member owns the group.
        public static var owner: Self { "owner" }
        /// `user`: an ordinary member of the group.
        public static var user: Self { "user" }

        /// The name as written on the wire.
        public let wireName: String
        /// Creates the value that the wire calls `name`.
        public init(wire name: String) { wireName = name }
    }

    /// The state of the user's membership of a group (GroupMe GM-30, `/memberships/states`).
    package struct MembershipState: WireEnumeration {
        /// `active`: the user is a member.
        package static var active: Self { "active" }
        /// `exited`: the user left the group.
        package static var exited: Self { "exited" }
        /// `removed`: the user was removed from the group.
        package static var removed: Self { "removed" }
        /// `exited_removed`: the user left and may not come back.
        package static var exitedRemoved: Self { "exited_removed" }
        /// `pending`: the user asked to join.
        package static var pending: Self { "pending" }

        /// The name as written on the wire.
        package let wireName: String
        /// Creates the value that the wire calls `name`.
        package init(wire name: String) { wireName = name }
    }
}

extension GroupMe.Role: FieldScalar {}
extension GroupMe.GroupType: FieldScalar {}
extension GroupMe.MembershipState: FieldScalar {}
