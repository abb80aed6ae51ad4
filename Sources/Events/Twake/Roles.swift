extension Twake {
    /// What a user may do in a company, a workspace or a channel, by one word (section 6): `owner`, `member`, `guest` of a channel;
    /// `owner`, `admin`, `member`, `guest` of a company; `admin`, `moderator`, `member` of a workspace.
    public struct Role: WireEnumeration {
        /// `owner`: it is theirs.
        public static var owner: Self { "owner" }
        /// `admin`: they administer it.
        public static var admin: Self { "admin" }
        /// `moderator`: they look after it.
        public static var moderator: Self { "moderator" }
        /// `member`: they belong to it.
        public static var member: Self { "member" }
        /// `guest`: they are let in.
        public static var guest: Self { "guest" }

        /// The name as it was written.
        public let wireName: String
        /// The value the wire calls `name`.
        public init(wire name: String) { wireName = name }
    }

    /// One thing a user may do, as era A lists them (4.3); a role says it all since July 2021.
    public struct Permission: WireEnumeration {
        /// `CREATE_WORKSPACES`, of a company.
        public static var createWorkspaces: Self { "CREATE_WORKSPACES" }
        /// `EDIT_WORKSPACE`, of a workspace.
        public static var editWorkspace: Self { "EDIT_WORKSPACE" }
        /// `UPDATE_NAME`, of a channel as all that follow.
        public static var updateName: Self { "UPDATE_NAME" }
        /// `UPDATE_DESCRIPTION`.
        public static var updateDescription: Self { "UPDATE_DESCRIPTION" }
        /// `ADD_MEMBER`.
        public static var addMember: Self { "ADD_MEMBER" }
        /// `REMOVE_MEMBER`.
        public static var removeMember: Self { "REMOVE_MEMBER" }
        /// `UPDATE_PRIVACY`.
        public static var updatePrivacy: Self { "UPDATE_PRIVACY" }
        /// `DELETE_CHANNEL`.
        public static var deleteChannel: Self { "DELETE_CHANNEL" }

        /// The name as it was written.
        public let wireName: String
        /// The value the wire calls `name`.
        public init(wire name: String) { wireName = name }
    }
}

extension Twake.Role: FieldScalar {}
extension Twake.Permission: FieldScalar {}
