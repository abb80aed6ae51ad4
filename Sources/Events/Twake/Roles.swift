extension Twake {
    /// The role of a user in a company, a workspace or a channel, as one word (Twake TW-46). A channel has
    /// `owner`, `member`, `guest`; a company has `owner`, `admin`, `member`, `guest`; a workspace has
    /// `admin`, `moderator`, `member`.
    public struct Role: WireEnumeration {
        /// `owner`: the user owns the entity.
        public static var owner: Self { "owner" }
        /// `admin`: the user administers the entity.
        public static var admin: Self { "admin" }
        /// `moderator`: the user moderates the entity.
        public static var moderator: Self { "moderator" }
        /// `member`: the user is an ordinary member.
        public static var member: Self { "member" }
        /// `guest`: the user is admitted as a guest.
        public static var guest: Self { "guest" }

        /// The name as written on the wire.
        public let wireName: String
        /// Creates the value that the wire calls `name`.
        public init(wire name: String) { wireName = name }
    }

    /// A single permission of a user, as era A lists them (Twake TW-73). Since July 2021 the role alone
    /// describes what a user may do.
    public struct Permission: WireEnumeration {
        /// `CREATE_WORKSPACES`: the user may create workspaces in the company.
        public static var createWorkspaces: Self { "CREATE_WORKSPACES" }
        /// `EDIT_WORKSPACE`: the user may edit the workspace.
        public static var editWorkspace: Self { "EDIT_WORKSPACE" }
        /// `UPDATE_NAME`: the user may rename the channel.
        public static var updateName: Self { "UPDATE_NAME" }
        /// `UPDATE_DESCRIPTION`: the user may change the channel's description.
        public static var updateDescription: Self { "UPDATE_DESCRIPTION" }
        /// `ADD_MEMBER`: the user may add members to the channel.
        public static var addMember: Self { "ADD_MEMBER" }
        /// `REMOVE_MEMBER`: the user may remove members from the channel.
        public static var removeMember: Self { "REMOVE_MEMBER" }
        /// `UPDATE_PRIVACY`: the user may change the channel's visibility.
        public static var updatePrivacy: Self { "UPDATE_PRIVACY" }
        /// `DELETE_CHANNEL`: the user may delete the channel.
        public static var deleteChannel: Self { "DELETE_CHANNEL" }

        /// The name as written on the wire.
        public let wireName: String
        /// Creates the value that the wire calls `name`.
        public init(wire name: String) { wireName = name }
    }
}

extension Twake.Role: FieldScalar {}
extension Twake.Permission: FieldScalar {}
